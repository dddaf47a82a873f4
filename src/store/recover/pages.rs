//! The pages of a damaged file, with those of its write-ahead log over them.
//!
//! Nothing here trusts SQLite to open the file, and nothing writes to it.

use std::{
    collections::HashMap,
    fs::File,
    io,
    mem::ManuallyDrop,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

/// How every file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The size of a page where the file no longer tells.
const PAGE: usize = 4096;
/// The page that lies here is never used.
const PENDING: usize = 0x4000_0000;
/// How long an entry of a map is: what a page is, and which page it hangs from.
const ENTRY: usize = 5;

/// What a map says a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The top of a tree.
    Root,
    /// Nothing; what is on it was deleted.
    Free,
    /// The first page of what did not fit on this one.
    Overflow(u32),
    /// What did not fit on this overflow page.
    MoreOverflow(u32),
    /// A page of a tree, below this one.
    Below(u32),
}

/// A file as pages.
pub(super) struct Pages {
    /// It stays open: closing it would give up the locks that SQLite has on it for this process.
    file: ManuallyDrop<File>,
    size: usize,
    /// How much of a page is used.
    pub usable: usize,
    /// How many there are; the first is number 1.
    pub count: u32,
    log: Option<Log>,
    maps: HashMap<u32, Vec<u8>>,
}

impl Pages {
    /// The pages of the file at `path`.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = ManuallyDrop::new(File::open(path)?);
        let mut header = [0; 100];
        read_up_to(&file, &mut header, 0)?;
        let log = Log::open(&beside(path, "-wal"));
        let stated = page_size(&header);
        let log = log.filter(|log| stated.is_none_or(|size| size == log.size));
        let size = stated.or(log.as_ref().map(|log| log.size)).unwrap_or(PAGE);
        let reserved = if stated.is_some() { usize::from(header[20]) } else { 0 };
        let there = file.metadata()?.len().div_ceil(size as u64);
        let count = log.as_ref().map_or(there, |log| u64::from(log.count));
        let mut pages = Self {
            file,
            size,
            usable: size - reserved.min(size / 2),
            count: u32::try_from(count).unwrap_or(u32::MAX),
            log,
            maps: HashMap::new(),
        };
        pages.read_maps();
        Ok(pages)
    }

    /// As much of a page as there is.
    pub fn read(&self, number: u32) -> Option<Vec<u8>> {
        if number == 0 || number > self.count {
            return None;
        }
        let mut bytes = vec![0; self.size];
        let logged = self.log.as_ref().and_then(|log| Some((log, log.pages.get(&number)?)));
        let length = match logged {
            Some((log, at)) => read_up_to(&log.file, &mut bytes, *at),
            None => {
                let at = u64::from(number - 1) * self.size as u64;
                read_up_to(&self.file, &mut bytes, at)
            }
        };
        bytes.truncate(length.ok()?.min(self.usable));
        Some(bytes)
    }

    /// What the map says of a page; `None` if there is no map that can be read.
    pub fn role(&self, number: u32) -> Option<Role> {
        let map = self.map_of(number)?;
        role(self.maps.get(&map)?, number.checked_sub(map + 1)?)
    }

    /// Whether a page is a map.
    pub fn is_map(&self, number: u32) -> bool {
        !self.maps.is_empty() && self.map_of(number) == Some(number)
    }

    /// The map that tells about a page.
    fn map_of(&self, number: u32) -> Option<u32> {
        let each = u32::try_from(self.usable / ENTRY + 1).ok()?;
        let map = number.checked_sub(2)? / each * each + 2;
        let unused = u32::try_from(PENDING / self.size + 1).ok()?;
        Some(if map == unused { map + 1 } else { map })
    }

    /// Reads the maps that make sense: of one with a wrong entry, nothing is believed.
    fn read_maps(&mut self) {
        let unused = u32::try_from(PENDING / self.size + 1).unwrap_or(u32::MAX);
        let mut number = 2;
        while number <= self.count {
            let Some(map) = self.map_of(number) else { return };
            let next = map.saturating_add(u32::try_from(self.usable / ENTRY + 1).unwrap_or(1));
            let told = (map + 1..next).take_while(|page| *page <= self.count);
            let fine = |bytes: &Vec<u8>| {
                let mut told = told.filter(|page| *page != unused);
                told.all(|page| role(bytes, page - map - 1).is_some())
            };
            if let Some(bytes) = self.read(map).filter(fine) {
                self.maps.insert(map, bytes);
            }
            number = next;
        }
    }
}

fn role(map: &[u8], index: u32) -> Option<Role> {
    let at = usize::try_from(index).ok()? * ENTRY;
    let above = u32_at(map, at + 1)?;
    match (map.get(at)?, above) {
        (1, 0) => Some(Role::Root),
        (2, 0) => Some(Role::Free),
        (3, above) if above > 0 => Some(Role::Overflow(above)),
        (4, above) if above > 0 => Some(Role::MoreOverflow(above)),
        (5, above) if above > 0 => Some(Role::Below(above)),
        _ => None,
    }
}

/// The size of a page, if the header is one.
fn page_size(header: &[u8; 100]) -> Option<usize> {
    let size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => usize::from(size),
    };
    // Every file has the same three numbers here.
    let fine = header.starts_with(MAGIC) && header[21..24] == [64, 32, 32];
    (fine && is_page_size(size)).then_some(size)
}

fn is_page_size(size: usize) -> bool {
    size.is_power_of_two() && (512..=65_536).contains(&size)
}

/// What was written and not yet brought into the file.
struct Log {
    file: File,
    size: usize,
    /// How many pages the file has with it.
    count: u32,
    /// Where the last version of each page is.
    pages: HashMap<u32, u64>,
}

impl Log {
    /// The log at `path`, up to the last transaction that is whole; `None` if there is none.
    fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let mut header = [0; 32];
        file.read_exact_at(&mut header, 0).ok()?;
        let big_endian = match u32_at(&header, 0)? {
            0x377f_0682 => false,
            0x377f_0683 => true,
            _ => return None,
        };
        let size = usize::try_from(u32_at(&header, 8)?).ok().filter(|size| is_page_size(*size))?;
        let mut sum = Sum { big_endian, first: 0, second: 0 };
        sum.add(&header[..24]);
        if !sum.is(&header[24..32]) {
            return None;
        }
        let mut log = Self { file, size, count: 0, pages: HashMap::new() };
        log.read_frames(&header[16..24], sum);
        (log.count > 0).then_some(log)
    }

    fn read_frames(&mut self, salt: &[u8], mut sum: Sum) {
        let mut frame = vec![0; 24 + self.size];
        let mut pending = Vec::new();
        let mut at = 32;
        while self.file.read_exact_at(&mut frame, at).is_ok() {
            sum.add(&frame[..8]);
            sum.add(&frame[24..]);
            if frame[8..16] != *salt || !sum.is(&frame[16..24]) {
                return;
            }
            pending.push((u32_at(&frame, 0).unwrap_or_default(), at + 24));
            match u32_at(&frame, 4).unwrap_or_default() {
                0 => {}
                count => {
                    self.count = count;
                    self.pages.extend(pending.drain(..));
                }
            }
            at += frame.len() as u64;
        }
    }
}

/// The running checksum of a log.
struct Sum {
    big_endian: bool,
    first: u32,
    second: u32,
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            self.first = self.first.wrapping_add(self.word(pair, 0)).wrapping_add(self.second);
            self.second = self.second.wrapping_add(self.word(pair, 4)).wrapping_add(self.first);
        }
    }

    fn word(&self, bytes: &[u8], at: usize) -> u32 {
        let word = u32_at(bytes, at).unwrap_or_default();
        if self.big_endian { word } else { word.swap_bytes() }
    }

    fn is(&self, stated: &[u8]) -> bool {
        (u32_at(stated, 0), u32_at(stated, 4)) == (Some(self.first), Some(self.second))
    }
}

/// The number at `at`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// The file whose name is that of `path` and `end`.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Reads until `bytes` are full or the file ends. How many there were.
fn read_up_to(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match file.read_at(&mut bytes[read..], at + read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}
