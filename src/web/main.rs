//! The window of Stokeslet in a browser: opens on the canvas of `index.html`. `build` beside this makes the site, `try.py` tries it.
//!
//! A page has one thread and no disk: what would run behind the window runs between frames, files are what the page is given and what
//! it downloads.

#[cfg(target_arch = "wasm32")]
mod page;

fn main() {
    #[cfg(target_arch = "wasm32")]
    page::open();
}
