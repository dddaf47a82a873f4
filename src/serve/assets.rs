//! The page, as it lies in the binary. No name is ever looked up on a disk.

/// A file of the page.
pub(super) struct Asset {
    /// Its name below `/assets/`.
    pub name: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// What it says.
    pub bytes: &'static [u8],
}

const JS: &str = "text/javascript; charset=utf-8";

/// Names the files of the page with their kinds.
macro_rules! assets {
    ($($name:literal: $kind:expr),+ $(,)?) => {
        &[$(Asset {
            name: $name,
            kind: $kind,
            bytes: include_bytes!(concat!("page/", $name)),
        }),+]
    };
}

/// Every file of the page.
pub(super) static ASSETS: &[Asset] = assets! {
    "agents.js": JS,
    "app.js": JS,
    "approvals.js": JS,
    "catalog.js": JS,
    "chat.js": JS,
    "detail.js": JS,
    "dom.js": JS,
    "draw.js": JS,
    "fold.js": JS,
    "format.js": JS,
    "icon.svg": "image/svg+xml",
    "modes.js": JS,
    "rpc.js": JS,
    "session.js": JS,
    "start.js": JS,
    "style.css": "text/css; charset=utf-8",
    "timeline.css": "text/css; charset=utf-8",
    "timeline.js": JS,
};

/// The page itself, the same at every address.
pub(super) const PAGE: &str = include_str!("page/index.html");

/// The file with this name.
pub(super) fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
