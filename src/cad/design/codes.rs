//! Codes of what [`super::parse`] reports; the table is in the module doc of `design`.

pub(super) const ENCODING: &str = "D001";
pub(super) const SYNTAX: &str = "D002";
pub(super) const VERSION: &str = "D003";
pub(super) const UNKNOWN_KEY: &str = "D004";
pub(super) const MISSING: &str = "D005";
pub(super) const TYPE: &str = "D006";
pub(super) const QUANTITY: &str = "D007";
pub(super) const DIMENSION: &str = "D008";
pub(super) const RANGE: &str = "D009";
pub(super) const DUPLICATE: &str = "D010";
pub(super) const NAME: &str = "D011";
pub(super) const CHOICE: &str = "D012";
pub(super) const EXCLUSIVE: &str = "D013";
pub(super) const SOCKET: &str = "D014";
pub(super) const TOO_LARGE: &str = "D015";
pub(super) const NEEDS_DEPTH: &str = "D016";
pub(super) const UNUSED_DEPTH: &str = "D017";

// Of variables, expressions and repetitions.
pub(super) const EXPRESSION: &str = "D340";
pub(super) const CYCLE: &str = "D341";
pub(super) const UNKNOWN: &str = "D342";
pub(super) const DIMENSIONS: &str = "D343";
pub(super) const VALUE: &str = "D344";
pub(super) const SETTING: &str = "D345";
pub(super) const REPEAT: &str = "D346";
pub(super) const STEP: &str = "D347";
pub(super) const INLET: &str = "D018";
pub(super) const MEMBER: &str = "D019";
