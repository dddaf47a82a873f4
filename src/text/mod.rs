//! Text with positions: sources, byte spans, and line and column numbers.
//!
//! Knows nothing about formats. Spans count bytes of the file as it is on disk, byte order mark
//! included, so an edit can be spliced into the file without translation.

mod line_index;
mod printable;
mod source;
mod span;

pub use line_index::{LineIndex, Position};
pub use printable::{is_printable, one_line, printable, printable_in_place};
pub use source::{MAX_BYTES, Source, SourceProblem};
pub use span::{Span, Spanned};
