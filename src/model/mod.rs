//! A definition as agentctl understands it, whatever host it was written for.
//!
//! Every field remembers the bytes it came from. What a host makes of a definition is not here:
//! that is `dialect`; neither are defaults: a field nobody wrote is `None`.

mod definition;
mod tool;

pub use definition::{
    Access, Behaviour, Definition, FieldUse, Input, InputType, Limits, Message, ModelChoice, Name,
    NameOrigin, Output, Persona, Prompt, PromptText, References, TEMPLATE_VARIABLES, Tools,
};
pub use tool::{CANONICAL_TOOLS, CanonicalTool, Effect, canonical_tool};
