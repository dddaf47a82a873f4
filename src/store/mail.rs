//! What is sent to threads, whoever runs them.

use rusqlite::params;

use super::{Durability, Owner, Store, StoreError, now};

pub(super) const WAITING: &str = "SELECT 1 FROM mail WHERE thread = ?1 AND taken IS NULL LIMIT 1";
pub(super) const UNREAD: &str =
    "SELECT kind, text FROM mail WHERE thread = ?1 AND taken IS NULL ORDER BY id";
pub(super) const TAKE: &str = "UPDATE mail SET taken = ?2 WHERE thread = ?1 AND taken IS NULL";

pub(super) const AFTER: &str = "
    SELECT id, kind, text FROM mail WHERE thread = ?1 AND taken IS NULL AND id > ?2 ORDER BY id";
pub(super) const OF_AN_OWNER: &str = "
    SELECT mail.id, mail.thread, mail.kind, mail.text
    FROM threads JOIN mail ON mail.thread = threads.id
    WHERE threads.owner = ?1 AND mail.taken IS NULL AND mail.id > ?2 ORDER BY mail.id";
pub(super) const TAKE_UP_TO: &str =
    "UPDATE mail SET taken = ?3 WHERE thread = ?1 AND taken IS NULL AND id <= ?2";

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailKind {
    /// More to do, after the present turn.
    Input,
    /// More to do, at once.
    Interrupt,
    /// The thread is to end.
    Close,
}

impl MailKind {
    const ALL: &[(&str, Self)] =
        &[("input", Self::Input), ("interrupt", Self::Interrupt), ("close", Self::Close)];

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// Something that was sent to a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// What it is for.
    pub kind: MailKind,
    /// What it says.
    pub text: String,
}

impl Store {
    /// Sends something to a thread.
    pub fn send(&self, id: &str, mail: &Mail) -> Result<(), StoreError> {
        self.write(Durability::Machine, |store| {
            store.execute(
                "INSERT INTO mail (thread, kind, text, sent) VALUES (?1, ?2, ?3, ?4)",
                params![id, mail.kind.name(), mail.text, now()],
            )
        })?;
        Ok(())
    }

    /// Takes what was sent to a thread, in order. Nobody else gets it.
    pub fn take_mail(&self, id: &str) -> Result<Vec<Mail>, StoreError> {
        if !self.has_mail(id)? {
            return Ok(Vec::new());
        }
        let found = self.write(Durability::Process, |store| {
            let mut query = store.prepare_cached(UNREAD)?;
            let rows = query
                .query_map([id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
            let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            store.execute(TAKE, params![id, now()])?;
            Ok(found)
        })?;
        let mails = found
            .into_iter()
            .filter_map(|(name, text)| MailKind::parse(&name).map(|kind| Mail { kind, text }));
        Ok(mails.collect())
    }

    /// What was sent to a thread after number `after` and nobody has taken, in order and with its
    /// numbers. It stays there until [`Self::mail_is_read`].
    pub fn unread(&self, id: &str, after: i64) -> Result<Vec<(i64, Mail)>, StoreError> {
        self.read(|store| {
            let mut query = store.prepare_cached(AFTER)?;
            let rows = query.query_map(params![id, after], |row| {
                Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?))
            })?;
            let mut found = Vec::new();
            for row in rows {
                let (number, name, text) = row?;
                if let Some(kind) = MailKind::parse(&name) {
                    found.push((number, Mail { kind, text }));
                }
            }
            Ok(found)
        })
    }

    /// What was sent after number `after` to any thread of `owner` and nobody has taken: numbers,
    /// threads and mail, in order. It stays there until [`Self::mail_is_read`].
    pub fn mail_for(
        &self,
        owner: &Owner,
        after: i64,
    ) -> Result<Vec<(i64, String, Mail)>, StoreError> {
        self.read(|store| {
            let mut query = store.prepare_cached(OF_AN_OWNER)?;
            let rows = query.query_map(params![owner.to_string(), after], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?, row.get(3)?))
            })?;
            let mut found = Vec::new();
            for row in rows {
                let (number, thread, name, text) = row?;
                if let Some(kind) = MailKind::parse(&name) {
                    found.push((number, thread, Mail { kind, text }));
                }
            }
            Ok(found)
        })
    }

    /// What was sent to a thread up to number `last` is part of its conversation now.
    pub fn mail_is_read(&self, id: &str, last: i64) -> Result<(), StoreError> {
        self.write(Durability::Process, |store| {
            store.execute(TAKE_UP_TO, params![id, last, now()])
        })?;
        Ok(())
    }

    /// Whether there is anything to take. Looking writes nothing.
    pub fn has_mail(&self, id: &str) -> Result<bool, StoreError> {
        self.read(|store| {
            let mut query = store.prepare_cached(WAITING)?;
            query.exists([id])
        })
    }
}
