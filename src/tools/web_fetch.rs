//! stub
use super::*;
/// x
#[derive(Debug)]
pub struct WebFetch;
impl WebFetch {
    /// x
    pub fn new() -> Self {
        Self
    }
}
impl Tool for WebFetch {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "web_fetch".to_owned(), description: String::new(), parameters: Value::Null }
    }
    fn call<'a>(&'a self, _cx: &'a ToolCx, _arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { Ok(String::new()) })
    }
}
