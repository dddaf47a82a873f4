//! The live view: what agents are doing, on a terminal, and questions to whoever sits there.

use std::{
    io::{self, Write as _},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    cli::keyboard::Keyboard,
    event::{Decision, Event, Sink, What},
    render::{Activity, Paint},
    run::{Approver, Question, Ruling},
    text::printable,
};

/// How often the view is drawn again.
const TICK: Duration = Duration::from_millis(100);

/// The terminal.
pub(in crate::cli) struct Screen {
    state: Mutex<State>,
    paint: Paint,
    width: usize,
    done: AtomicBool,
}

struct State {
    activity: Activity,
    /// Lines of the view on the terminal now.
    drawn: usize,
    /// When the view was first there.
    since: Instant,
    /// A question stands there; the view waits.
    asking: bool,
}

impl Screen {
    pub fn new(paint: Paint, width: usize) -> Arc<Self> {
        let (activity, since) = (Activity::default(), Instant::now());
        let state = State { activity, drawn: 0, since, asking: false };
        Arc::new(Self { state: Mutex::new(state), paint, width, done: AtomicBool::new(false) })
    }

    /// Takes in what happened without drawing anything.
    pub fn fold(&self, event: &Event) {
        let mut state = self.state();
        let now = state.since.elapsed();
        state.activity.take(event, now, self.paint);
    }

    /// Draws the view anew.
    pub fn show(&self) {
        self.draw(&mut self.state(), None);
    }

    /// Takes the view away, so that something else can be printed.
    pub fn hide(&self) {
        let drawn = std::mem::take(&mut self.state().drawn);
        eprint_raw(&"\x1b[1A\x1b[2K".repeat(drawn));
    }

    /// Draws the view until the screen is closed.
    pub fn animate(self: &Arc<Self>) -> Animation {
        let screen = Arc::clone(self);
        let thread = thread::spawn(move || {
            while !screen.done.load(Ordering::Relaxed) {
                let mut state = screen.state();
                if !state.asking {
                    screen.draw(&mut state, None);
                }
                drop(state);
                thread::park_timeout(TICK);
            }
        });
        Animation { screen: Arc::clone(self), thread: Some(thread) }
    }

    /// Replaces the view, with a line above it that stays.
    fn draw(&self, state: &mut State, keep: Option<&str>) {
        let mut text = String::new();
        for _ in 0..state.drawn {
            text.push_str("\x1b[1A\x1b[2K");
        }
        if let Some(line) = keep {
            text.push_str(line);
            text.push('\n');
        }
        let lines = state.activity.lines(state.since.elapsed(), self.paint);
        state.drawn = lines.len();
        for line in lines {
            text.push_str(&cut(&line, self.width));
            text.push('\n');
        }
        // Without a terminal there is nobody to show it to.
        let mut err = io::stderr().lock();
        err.write_all(text.as_bytes()).and_then(|()| err.flush()).ok();
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A screen's thread; ends with it.
pub(in crate::cli) struct Animation {
    screen: Arc<Screen>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Drop for Animation {
    fn drop(&mut self) {
        self.screen.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            thread.join().ok();
        }
    }
}

/// A screen as a reader of events.
pub(super) struct Watch(pub Arc<Screen>);

impl Sink for Watch {
    fn take(&self, event: &Event) -> io::Result<()> {
        let mut state = self.0.state();
        let now = state.since.elapsed();
        let line = state.activity.take(event, now, self.0.paint);
        if !state.asking && (line.is_some() || matches!(event.what, What::Completed(_))) {
            self.0.draw(&mut state, line.as_deref());
        }
        Ok(())
    }
}

/// Asks whoever sits at the terminal, one question at a time.
pub(super) struct Terminal {
    screen: Arc<Screen>,
    /// Opened with the first question; what is typed before that is for whoever comes next.
    keyboard: tokio::sync::Mutex<Option<Keyboard>>,
}

impl Terminal {
    pub fn new(screen: Arc<Screen>) -> Self {
        Self { screen, keyboard: tokio::sync::Mutex::default() }
    }
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> Ruling<'a> {
        Box::pin(async move {
            let mut keyboard = self.keyboard.lock().await;
            if keyboard.is_none() {
                *keyboard = Keyboard::open().ok();
            }
            let Some(keyboard) = keyboard.as_mut() else { return Decision::NobodyToAsk };
            // What was typed before the question is no answer to it.
            keyboard.forget();
            let _asking = Asking::begin(&self.screen, question);
            read_answer(keyboard).await
        })
    }
}

/// While it lives, a question stands on the screen.
struct Asking<'a>(&'a Screen);

impl<'a> Asking<'a> {
    fn begin(screen: &'a Screen, question: &Question) -> Self {
        let mut state = screen.state();
        state.asking = true;
        for _ in 0..std::mem::take(&mut state.drawn) {
            eprint_raw("\x1b[1A\x1b[2K");
        }
        let mut text = asked(question, screen.paint).join("\n");
        text.push_str(CHOICES);
        eprint_raw(&text);
        Self(screen)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.state().asking = false;
    }
}

/// What can be answered.
pub(in crate::cli) const CHOICES: &str = "Allow it? [y]es, [n]o, [a]lways for this run: ";

/// A question in words: who asks and exactly what for.
pub(in crate::cli) fn asked(question: &Question, paint: Paint) -> Vec<String> {
    let Question { agent, path, tool, detail, .. } = question;
    let path = if path.is_empty() { agent.agent_type.clone() } else { path.join(" › ") };
    let name = paint.yellow(printable(&path));
    let mut lines = vec![format!("[{name}] wants to use `{}`:", printable(tool)), String::new()];
    lines.extend(printable(detail).lines().map(|line| format!("    {line}")));
    lines.extend([String::new(), String::new()]);
    lines
}

/// What an answer means, if it can be understood.
pub(in crate::cli) fn answer(typed: &str) -> Option<Decision> {
    match typed.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(Decision::Approved),
        "n" | "no" => Some(Decision::Denied),
        "a" | "always" => Some(Decision::ApprovedForRun),
        _ => None,
    }
}

/// Reads answers until one is understood. Whoever closes the terminal says no.
async fn read_answer(keyboard: &mut Keyboard) -> Decision {
    while let Some(line) = keyboard.line().await {
        match answer(&line) {
            Some(decision) => return decision,
            None => eprint_raw("Please answer y, n or a: "),
        }
    }
    Decision::Denied
}

fn eprint_raw(text: &str) {
    let mut err = io::stderr().lock();
    err.write_all(text.as_bytes()).and_then(|()| err.flush()).ok();
}

/// As much of `line` as fits, not counting what colours it.
pub(in crate::cli) fn cut(line: &str, width: usize) -> String {
    let mut cut = String::with_capacity(line.len());
    let mut room = width.saturating_sub(1);
    let mut coloured = false;
    for c in line.chars() {
        if c == '\x1b' {
            coloured = true;
        } else if !coloured {
            if room == 0 {
                cut.push_str("\x1b[0m");
                break;
            }
            room -= 1;
        }
        cut.push(c);
        coloured &= c != 'm';
    }
    cut
}
