//! From a document to definitions, by the tables.
//!
//! The table says which key goes where and what it may hold. A value of the wrong kind is
//! reported and, where its meaning is plain, still read: what follows wants to know as much as
//! possible about a definition that its host would refuse.

mod store;

use std::path::Path;

use super::{
    Detected, Dialect, Fact, Failures, Fault, FaultKind, Field, FieldEffect, Fit, Form, Identity,
    Kind, Layout, Meaning, Outcome, PromptSource, fault::Checker,
};
use crate::{
    document::{Document, Entry, Map, NeedsQuotes, Node, Problem, ProblemKind},
    model::{Definition, FieldUse, Name, NameOrigin, PromptText},
    text::{Source, Span, Spanned},
};

/// One agent and what its host would make of it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The agent.
    pub definition: Definition,
    /// What the host does not take as written.
    pub faults: Vec<Fault>,
}

/// Reads the agents of a file.
pub fn lower(
    source: &Source,
    document: &Document,
    problems: &[Problem],
    detected: &Detected,
    path: &Path,
) -> Vec<Lowered> {
    let file = File { source, document, problems, detected, path };
    let mut agents = match (detected.form.layout, document.root.as_list()) {
        (Layout::OneOrList, Some(items)) => {
            items.iter().map(|item| file.agent(item, None)).collect()
        }
        (Layout::Keyed { keys, settings, top, unknown_top }, _) => {
            file.keyed(keys, settings, top, unknown_top)
        }
        (Layout::Wrapped(key), _) => {
            let inner = document
                .root
                .as_map()
                .and_then(|map| map.get(key))
                .filter(|node| node.as_map().is_some());
            vec![file.agent(inner.unwrap_or(&document.root), None)]
        }
        _ => vec![file.agent(&document.root, None)],
    };
    if let Some(first) = agents.first_mut() {
        let mut faults = file.faults();
        // What a host says about a fence takes the place of what is usually said about it.
        faults.retain(|fault| {
            let about = |own: &Fault| matches!(own.kind, FaultKind::Fence(_));
            !first.faults.iter().any(|own| about(own) && own.span == fault.span)
        });
        faults.append(&mut first.faults);
        first.faults = faults;
    }
    agents
}

/// Everything about the file that an agent in it depends on.
struct File<'a> {
    source: &'a Source,
    document: &'a Document,
    problems: &'a [Problem],
    detected: &'a Detected,
    path: &'a Path,
}

impl File<'_> {
    fn form(&self) -> &'static Form {
        self.detected.form
    }

    fn host(&self) -> &'static str {
        self.detected.dialect.host
    }

    /// One agent, whose keys are in `node`; `key` is the key it stands under, if it has one.
    fn agent(&self, node: &Node, key: Option<&Spanned<String>>) -> Lowered {
        let mut lowerer = Lowerer {
            file: self,
            definition: Definition { span: node.span, ..Definition::default() },
            faults: Vec::new(),
        };
        let anchor = key.map_or_else(|| self.head(), |key| key.span);
        match node.as_map() {
            Some(map) => {
                let failures = self.form().failures;
                lowerer.table(map, self.form().fields, "", anchor, failures.unknown_key);
            }
            None => lowerer.not_a_map(node, anchor),
        }
        lowerer.name(key);
        lowerer.prompt();
        lowerer.check()
    }

    /// The agents of a file of several.
    fn keyed(
        &self,
        keys: &[&str],
        settings: &'static [Field],
        top: &'static [Field],
        unknown_top: Fact,
    ) -> Vec<Lowered> {
        let Some(map) = self.document.root.as_map() else {
            return vec![self.agent(&self.document.root, None)];
        };
        let is_setting = |key: &str| settings.iter().any(|field| field.key == key);
        let mut agents = Vec::new();
        for entry in map.entries.iter().filter(|entry| keys.contains(&entry.key.value.as_str())) {
            let inner = entry.value.as_map().into_iter().flat_map(|map| &map.entries);
            agents.extend(
                inner
                    .filter(|inner| !is_setting(&inner.key.value))
                    .map(|inner| self.agent(&inner.value, Some(&inner.key))),
            );
        }
        if let Some(first) = agents.first_mut().filter(|_| unknown_top.outcome != Outcome::Accepted)
        {
            let known = |key: &str| keys.contains(&key) || top.iter().any(|field| field.key == key);
            for entry in map.entries.iter().filter(|entry| !known(&entry.key.value)) {
                first.faults.push(self.unknown_key(&entry.key.value, entry.key.span, unknown_top));
            }
        }
        agents
    }

    /// What is wrong with the file as a whole.
    fn faults(&self) -> Vec<Fault> {
        let failures = &self.form().failures;
        let mut faults: Vec<Fault> = self
            .problems
            .iter()
            .filter_map(|problem| {
                let fact = fact_of(&problem.kind, failures)?;
                Some(fault(FaultKind::Malformed(problem.kind.clone()), problem.span, fact))
            })
            .collect();
        if let Some((_, Fit { too_deep: true, .. })) = &self.detected.place {
            let kind = FaultKind::TooDeep { host: self.host() };
            faults.push(fault(kind, self.head(), failures.too_deep));
        }
        if let Some(owner) = self.detected.misplaced_in {
            let kind = FaultKind::Misplaced { host: self.host(), owner };
            faults.push(fault(kind, self.head(), super::documented(Outcome::Skipped)));
        }
        faults
    }

    /// The place to point at when something is not there: the opening fence, or the first key.
    fn head(&self) -> Span {
        match (&self.document.front_matter, self.document.root.as_map()) {
            (Some(front), _) => front.open,
            (None, Some(map)) => map.entries.first().map_or(Span::at(0), |entry| entry.key.span),
            (None, None) => Span::at(0),
        }
    }

    fn unknown_key(&self, path: &str, span: Span, fact: Fact) -> Fault {
        fault(FaultKind::UnknownKey { path: path.to_owned(), host: self.host() }, span, fact)
    }

    /// The file's name and path as the host would make a name of them.
    fn file_stem(&self) -> &str {
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or("agent");
        match &self.detected.place {
            Some((place, _)) => place.names.stem(name),
            None => name
                .split_once('.')
                .map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem }),
        }
    }

    fn relative_stem(&self) -> String {
        match &self.detected.place {
            Some((place, fit)) => place.names.stem(&fit.relative).to_owned(),
            None => self.file_stem().to_owned(),
        }
    }
}

fn fault(kind: FaultKind, span: Span, fact: Fact) -> Fault {
    Fault { kind, span, outcome: fact.outcome, confidence: fact.confidence }
}

/// What the host does about a problem of the text; `None` if it does not notice.
fn fact_of(kind: &ProblemKind, failures: &Failures) -> Option<Fact> {
    match kind {
        ProblemKind::ByteOrderMark => Some(failures.byte_order_mark),
        ProblemKind::LeadingBlank => Some(failures.leading_blank),
        ProblemKind::NeedsQuotes(NeedsQuotes::Colon) => {
            Some(failures.unquoted_colon.unwrap_or(failures.malformed))
        }
        ProblemKind::DuplicateKey { .. } => {
            Some(failures.duplicate_key.unwrap_or(failures.malformed))
        }
        ProblemKind::WrongClosingFence { found } if found.starts_with("---") => {
            failures.long_closing_fence.or(failures.fence).or(Some(failures.malformed))
        }
        ProblemKind::WrongOpeningFence { .. } | ProblemKind::WrongClosingFence { .. } => {
            Some(failures.fence.unwrap_or(failures.malformed))
        }
        kind if kind.is_malformed() => Some(failures.malformed),
        _ => None,
    }
    .filter(|fact| fact.outcome != Outcome::Accepted)
}

struct Lowerer<'a> {
    file: &'a File<'a>,
    definition: Definition,
    faults: Vec<Fault>,
}

impl Lowerer<'_> {
    /// Reads the keys of `map`. `anchor` is where to point when one is missing.
    fn table(
        &mut self,
        map: &Map,
        fields: &'static [Field],
        prefix: &str,
        anchor: Span,
        unknown: Fact,
    ) {
        for entry in &map.entries {
            let path = join(prefix, &entry.key.value);
            let field = fields.iter().find(|field| field.key == entry.key.value);
            self.definition.fields.push(FieldUse {
                path: path.clone(),
                key: entry.key.span,
                value: entry.value.span,
                understood: field.is_some(),
            });
            match field {
                Some(field) => self.field(field, entry, &path, unknown),
                None => self.report(self.file.unknown_key(&path, entry.key.span, unknown)),
            }
        }
        let given = |key: &str| map.get(key).is_some_and(|node| !node.is_null());
        for field in fields.iter().filter(|field| field.required && !given(field.key)) {
            let fact = Fact {
                confidence: field.confidence.min(self.failures().missing.confidence),
                ..self.failures().missing
            };
            let kind = FaultKind::Missing { key: field.key, path: join(prefix, field.key) };
            self.report(fault(kind, anchor, fact));
        }
    }

    /// Notes a fault, unless it is one the host does not mind.
    fn report(&mut self, fault: Fault) {
        if fault.outcome != Outcome::Accepted {
            self.faults.push(fault);
        }
    }

    fn failures(&self) -> &'static Failures {
        &self.file.form().failures
    }

    fn field(&mut self, field: &'static Field, entry: &Entry, path: &str, unknown: Fact) {
        let usual = self.failures().bad_value;
        let fact = match field.on_bad_value {
            Some(outcome) => Fact { outcome, confidence: field.confidence },
            None => Fact { confidence: field.confidence.min(usual.confidence), ..usual },
        };
        // A key with nothing after it is a key that is not there, except to a strict host.
        if entry.value.is_null() && (fact.outcome.loads() || field.required) {
            return;
        }
        if let Err(mismatch) = field.kind.check(&entry.value) {
            let culprit = mismatch.find(&entry.value);
            let path = mismatch.path(path);
            let kind = if mismatch.value_only {
                let found = culprit.scalar_text().unwrap_or_else(|| culprit.kind_name().to_owned());
                FaultKind::BadValue { path, found, wanted: mismatch.wanted }
            } else {
                FaultKind::WrongType { path, found: culprit.kind_name(), wanted: mismatch.wanted }
            };
            let span = if culprit.span.is_empty() { entry.key.span } else { culprit.span };
            self.report(fault(kind, span, fact));
        }
        if let FieldEffect::Ignored(why) = field.effect {
            let kind = FaultKind::NoEffect { path: path.to_owned(), why };
            self.report(fault(
                kind,
                entry.key.span,
                Fact { outcome: Outcome::Ignored, confidence: field.confidence },
            ));
        }
        self.nested(&field.kind, entry.key.span, &entry.value, path, unknown);
        store::store(self.file.source, &mut self.definition, field, entry);
    }

    /// Goes into the tables inside of a value.
    fn nested(&mut self, kind: &Kind, anchor: Span, node: &Node, path: &str, unknown: Fact) {
        match (kind, node.as_map(), node.as_list()) {
            (Kind::Table(fields), Some(map), _) => self.table(map, fields, path, anchor, unknown),
            (Kind::OpenTable(fields, outcome), Some(map), _) => {
                self.table(map, fields, path, anchor, Fact { outcome: *outcome, ..unknown });
            }
            (Kind::MapOf(kind), Some(map), _) => {
                for entry in &map.entries {
                    let path = join(path, &entry.key.value);
                    self.nested(kind, entry.key.span, &entry.value, &path, unknown);
                }
            }
            (Kind::List(kind), _, Some(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.nested(kind, item.span, item, &format!("{path}[{index}]"), unknown);
                }
            }
            (Kind::AnyOf(kinds), ..) => {
                let fitting = kinds.iter().find(|kind| kind.check(node).is_ok());
                if let Some(kind) = fitting {
                    self.nested(kind, anchor, node, path, unknown);
                }
            }
            _ => {}
        }
    }

    fn not_a_map(&mut self, node: &Node, anchor: Span) {
        let failures = self.failures();
        let markdown = self.file.document.body.is_some();
        let (kind, span, fact) = if markdown && self.file.document.front_matter.is_none() {
            (FaultKind::NoFrontMatter, Span::at(0), failures.no_front_matter)
        } else if node.is_null() {
            // An empty front matter lacks its required keys, and is not otherwise wrong.
            let required = self.file.form().fields.iter().filter(|field| field.required);
            for field in required {
                let kind = FaultKind::Missing { key: field.key, path: field.key.to_owned() };
                self.faults.push(fault(kind, anchor, failures.missing));
            }
            self.faults.retain(|fault| fault.outcome != Outcome::Accepted);
            return;
        } else {
            (FaultKind::NotAMap { found: node.kind_name() }, node.span, failures.malformed)
        };
        self.report(fault(kind, span, fact));
    }

    /// Settles the name, by what the host goes by.
    fn name(&mut self, key: Option<&Spanned<String>>) {
        let written = std::mem::take(&mut self.definition.name);
        let from_field =
            matches!(written.origin, NameOrigin::Field(_)) && !written.text.trim().is_empty();
        let file = || Name { text: self.file.file_stem().to_owned(), origin: NameOrigin::FileName };
        let path = || Name { text: self.file.relative_stem(), origin: NameOrigin::FileName };
        let identity = self.file.form().identity;
        // Where the host goes by something else, a name in the file is for people.
        if from_field
            && matches!(identity, Identity::File | Identity::Path | Identity::Key)
            && let NameOrigin::Field(span) = written.origin
        {
            self.definition.display_name.get_or_insert(Spanned::new(written.text.clone(), span));
        }
        self.definition.name = match (identity, key) {
            (Identity::Field | Identity::FieldOrFile | Identity::FieldOrPath, _) if from_field => {
                written
            }
            (Identity::Key, Some(key)) | (Identity::Field, Some(key)) => {
                Name { text: key.value.clone(), origin: NameOrigin::MapKey(key.span) }
            }
            (Identity::Field | Identity::Key, None) => {
                Name { origin: NameOrigin::Missing, ..file() }
            }
            (Identity::FieldOrPath | Identity::Path, _) => path(),
            (Identity::FieldOrFile | Identity::File, _) => file(),
        };
    }

    fn prompt(&mut self) {
        if self.definition.prompt.system.is_some() || self.file.form().prompt == PromptSource::Field
        {
            return;
        }
        let Some(body) =
            self.file.document.body.filter(|_| self.file.document.front_matter.is_some())
        else {
            return;
        };
        if !self.file.source.slice(body).trim().is_empty() {
            self.definition.prompt.system = Some(Spanned::new(PromptText::Body, body));
        }
    }

    fn check(self) -> Lowered {
        let Self { file, definition, mut faults } = self;
        let dialect = file.detected.dialect;
        if !dialect.built_in_can_be_replaced
            && dialect.built_in.contains(&definition.name.text.as_str())
        {
            let kind =
                FaultKind::BuiltInName { name: definition.name.text.clone(), host: dialect.host };
            let span = definition.name.origin.span().unwrap_or_default();
            faults.push(fault(kind, span, super::verified(Outcome::Rejected)));
        }
        let refused = refused_tools(&definition, dialect, &faults);
        faults.extend(refused);
        if let Some(check) = file.form().check {
            let File { source, document, detected, path, .. } = file;
            check(&mut Checker {
                source,
                document,
                detected,
                path,
                definition: &definition,
                faults: &mut faults,
            });
        }
        Lowered { definition, faults }
    }
}

/// Tools because of which the host does not load the agent.
fn refused_tools(definition: &Definition, dialect: &'static Dialect, told: &[Fault]) -> Vec<Fault> {
    let tools = dialect.tools;
    if tools.tools.is_empty() || tools.unknown.outcome.loads() {
        return Vec::new();
    }
    let names = definition.tools.allowed.names().unwrap_or_default();
    let is_told = |span: Span| told.iter().any(|fault| fault.span == span);
    let unknown = names
        .iter()
        .filter(|name| tools.meaning(&name.value) == Meaning::Unknown && !is_told(name.span));
    let kind = |name: &str| FaultKind::UnknownTool { name: name.to_owned(), host: dialect.host };
    unknown.map(|name| fault(kind(&name.value), name.span, tools.unknown)).collect()
}

fn join(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}
