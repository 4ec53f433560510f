//! What happened, line by line: kept only while a run is replayed.

use crate::plan::BEGIN_MS;

/// The lines.
#[derive(Debug)]
pub struct Trace {
    lines: Option<Vec<String>>,
}

impl Trace {
    /// Keeps lines, or none.
    #[must_use]
    pub fn new(is_kept: bool) -> Self {
        Self { lines: is_kept.then(Vec::new) }
    }

    /// One line, with the time since the beginning.
    pub fn note(&mut self, now: u64, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            let ms = now.saturating_sub(BEGIN_MS);
            let (hours, rest) = (ms / 3_600_000, ms % 3_600_000);
            lines.push(format!(
                "{hours:>3}:{:02}:{:06.3}  {}",
                rest / 60_000,
                (rest % 60_000) as f64 / 1_000.0,
                line()
            ));
        }
    }

    /// All lines.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        self.lines.as_deref().unwrap_or_default()
    }
}
