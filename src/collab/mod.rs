//! The tools with which agents start others.

mod task;
mod task_output;

pub use task::TaskTool;
pub use task_output::TaskOutputTool;
