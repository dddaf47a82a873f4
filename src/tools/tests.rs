//! What holds for every tool, and what their tests share.

use std::path::Path;

use super::{sandbox::Mode, *};

/// What a tool works with when `root` is all there is.
pub(super) fn cx(root: &Path) -> ToolCx {
    ToolCx {
        root: Root::open(root).unwrap(),
        sandbox: Sandbox::new(Mode::ReadOnly, "agentctl".into(), []),
        time_limit: Duration::from_secs(600),
        web: false,
    }
}

/// Makes a named pipe that nobody writes to.
pub(super) fn fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// Makes `calls` calls while another thread swaps a folder and a link to a folder outside for one
/// another. At every moment there is something under either name.
pub(super) fn while_swapping<T>(
    paths: [&Path; 2],
    calls: usize,
    call: impl Fn(usize) -> T,
) -> Vec<T> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    let (started, over) = (AtomicBool::new(false), AtomicBool::new(false));
    let swap = || {
        while !over.load(Ordering::Relaxed) {
            renameat_with(CWD, paths[0], CWD, paths[1], RenameFlags::EXCHANGE).unwrap();
            started.store(true, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(swap);
        while !started.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        let results = (0..calls).map(call).collect();
        over.store(true, Ordering::Relaxed);
        results
    })
}

#[test]
fn built_in_tools_are_sorted_and_known_by_their_names() {
    let tools = built_in();
    let names: Vec<String> = tools.iter().map(|tool| tool.spec().name).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(names.iter().all(|name| canonical_tool(name).is_some()), "{names:?}");
}

#[test]
fn every_parameter_is_described_and_no_other_is_taken() {
    for spec in built_in().iter().map(|tool| tool.spec()) {
        assert!(!spec.description.is_empty(), "{}", spec.name);
        assert_eq!(spec.parameters["additionalProperties"], false, "{}", spec.name);
        assert!(jsonschema::meta::is_valid(&spec.parameters), "{}", spec.name);
    }
}
