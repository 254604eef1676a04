//! A request to stop that reaches the inner loops.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by who asks (Ctrl-C, a window that closes) and who works; clones are the same token.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    asked: Arc<AtomicBool>,
}

impl CancelToken {
    /// A token that nobody has used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everyone who holds this token to stop. There is no way back.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked. One relaxed load: cheap enough for every task.
    pub fn is_cancelled(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_the_same_token() {
        let token = CancelToken::new();
        let other = token.clone();
        assert!(!other.is_cancelled(), "nobody asked yet");
        token.cancel();
        assert!(other.is_cancelled(), "the clone hears of it");
    }
}
