//! What clients are told.
