//! Liquids in scenes of one's own: text into a scene, and that into frames by any solver of either family.
//!
//! ```text
//! TOML --LiquidScene::parse--> LiquidScene --LiquidRun--> the loop of scenes (cut cells) with a solver of complementarity problems,
//!                                                         or the loop of tanks (staircase) with a splitting method
//! ```
//! Both loops are those of the papers' scenes and tanks; a splitting method works in units of cells and frames, and what comes out is in SI.
//!
//! | file | turns what into what |
//! | --- | --- |
//! | [`region`] | a tree of shapes in a file into a [`Shape`](crate::grid::Shape) |
//! | [`scene`] | a file into a checked scene |
//! | [`settings`] | what is chosen of solvers and walls, in the file or by `--set` |
//! | [`run`] | a scene into frames |
//! | `stepped` | that into what lists and windows know of it |

pub mod region;
pub mod run;
pub mod scene;
pub mod settings;
mod stepped;

pub use region::Region;
pub use run::{LiquidError, LiquidLog, LiquidRun, LiquidSnapshot};
pub use scene::LiquidScene;
pub use settings::LiquidSettings;
