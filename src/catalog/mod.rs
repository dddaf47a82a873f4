//! Every definition there is: where it was found, what it is, who shadows whom, and which of them
//! a host would not load and why.
//!
//! Each file is read once. Nothing that was found is dropped: a file that cannot be understood is
//! an entry with its problems.

mod built_in;
mod discover;
mod entry;
mod load;
mod lookup;
mod shadow;
mod surroundings;

pub use built_in::BUILT_IN;
pub use discover::{Candidate, Exclude, Roots, discover, discover_paths};
pub use entry::{Entry, Located, Origin};
pub use load::{File, Keep, Reading, Unreadable, load};
pub use lookup::NotFound;
pub use surroundings::{Surroundings, surroundings};

/// All definitions, in the order in which a name is looked up.
#[derive(Debug, Default)]
pub struct Catalog {
    /// The definitions.
    pub entries: Vec<Entry>,
    /// Files that could not be read at all.
    pub unreadable: Vec<Unreadable>,
    /// How many files were looked at, definitions or not.
    pub files: usize,
}

impl Catalog {
    /// Works out who hides whom, for a catalog whose entries were put together by hand.
    pub fn mark_shadows(&mut self) {
        shadow::mark(&mut self.entries);
    }
}
