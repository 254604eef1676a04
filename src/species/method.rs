#![doc = include_str!("method/before.md")]
#![doc = include_str!("method/tee.svg")]
#![doc = include_str!("method/after.md")]
