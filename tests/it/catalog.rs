//! How often files are read, as the kernel sees it.

#![cfg(target_os = "linux")]

use std::{
    collections::HashMap,
    fs::{self, File},
    mem::MaybeUninit,
    os::fd::OwnedFd,
    thread,
};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

use crate::support::{Sandbox, agent, column};

const FOLDERS: usize = 100;
const FILES_PER_FOLDER: usize = 100;

/// Opening this file tells the watcher that it has seen everything.
const LAST: &str = "last";

#[test]
fn each_of_ten_thousand_files_is_opened_once_by_a_command() {
    let sandbox = Sandbox::empty();
    let watch = inotify::init(CreateFlags::CLOEXEC).unwrap();
    let mut folders = HashMap::new();
    for folder in 0..FOLDERS {
        let path = sandbox.path(&format!("catalog/{folder:02}"));
        fs::create_dir_all(&path).unwrap();
        for file in 0..FILES_PER_FOLDER {
            let name = format!("agent-{folder:02}-{file:02}");
            fs::write(path.join(format!("{name}.md")), agent(&name)).unwrap();
        }
        folders.insert(inotify::add_watch(&watch, &path, WatchFlags::OPEN).unwrap(), folder);
    }
    let end = sandbox.path("end");
    fs::create_dir(&end).unwrap();
    fs::write(end.join(LAST), "").unwrap();
    inotify::add_watch(&watch, &end, WatchFlags::OPEN).unwrap();

    let watcher = thread::spawn(move || opened(&watch, &folders));
    let list = sandbox.json(&["list", "--format", "json", "catalog"]);
    let report = sandbox.json(&["validate", "--format", "json", "catalog"]);
    File::open(end.join(LAST)).unwrap();
    let opened = watcher.join().unwrap();

    assert_eq!(column(&list, "path").len(), FOLDERS * FILES_PER_FOLDER);
    assert_eq!(report["files"], FOLDERS * FILES_PER_FOLDER);
    assert_eq!(opened.len(), FOLDERS * FILES_PER_FOLDER);
    // Once by each of the two commands.
    let again: Vec<_> = opened.iter().filter(|(_, times)| **times != 2).collect();
    assert!(again.is_empty(), "{again:?}");
}

/// How often each file was opened until the last one is. The queue is emptied while it fills.
fn opened(watch: &OwnedFd, folders: &HashMap<i32, usize>) -> HashMap<(usize, String), usize> {
    let mut buffer = [MaybeUninit::uninit(); 64 << 10];
    let mut reader = Reader::new(watch, &mut buffer);
    let mut opened = HashMap::new();
    loop {
        let event = reader.next().unwrap();
        assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW), "events were lost");
        if event.events().contains(ReadFlags::ISDIR) {
            continue;
        }
        let name = event.file_name().unwrap().to_str().unwrap().to_owned();
        match folders.get(&event.wd()) {
            Some(folder) => *opened.entry((*folder, name)).or_default() += 1,
            None if name == LAST => return opened,
            None => {}
        }
    }
}
