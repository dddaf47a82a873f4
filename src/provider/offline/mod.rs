//! placeholder
pub struct Served<'a> {
    pub agent_type: &'a str,
    pub description: &'a str,
    pub tools: &'a [&'a str],
    pub has_output_schema: bool,
}
pub fn serves(_: &Served<'_>) -> Result<(), String> {
    Ok(())
}
