//! The designs that come with the program: each a question, a chip and what to look at.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

static DESIGNS: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../designs");

/// From the simplest to the largest; what the folder has besides comes after, by name.
const ORDER: [&str; 25] = [
    "straight",
    "tee",
    "y-mixer",
    "h-filter",
    "h-filter-species",
    "layer-in-depth",
    "flow-focus",
    "three-inlets",
    "valved-inlets",
    "bridge",
    "parallel-resistors",
    "spiral-delay",
    "serpentine-mixing",
    "gradient-generator",
    "gradient-profile",
    "gradient-even",
    "chamber-array",
    "chamber-age",
    "pockets",
    "pillar-array",
    "wide",
    "voronoi-s4",
    "voronoi-s15",
    "rgrid",
    "grid20",
];

/// A design that came with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The file's stem; what [`crate::Command::OpenExample`] says.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// The question it answers: the file's first comment.
    pub question: &'static str,
    /// The file.
    pub text: &'static str,
}

/// All of them, from the simplest to the largest.
pub fn all() -> &'static [Example] {
    static ALL: LazyLock<Vec<Example>> = LazyLock::new(read);
    &ALL
}

/// The example of this name.
pub fn named(name: &str) -> Option<&'static Example> {
    all().iter().find(|example| example.name == name)
}

fn read() -> Vec<Example> {
    let files = DESIGNS
        .files()
        .filter(|file| file.path().extension().is_some_and(|e| e == "toml"));
    let mut examples: Vec<Example> = files
        .filter_map(|file| {
            let name = file.path().file_stem()?.to_str()?;
            let text = file.contents_utf8()?;
            let first = text.lines().next().unwrap_or_default();
            Some(Example {
                name,
                title: title(text).unwrap_or_else(|| name.to_owned()),
                question: first.strip_prefix('#').map_or("", str::trim),
                text,
            })
        })
        .collect();
    let place = |name: &str| {
        ORDER
            .iter()
            .position(|known| *known == name)
            .unwrap_or(ORDER.len())
    };
    examples.sort_by_key(|example| (place(example.name), example.name));
    examples
}

/// The `title` at the head of a design, without reading all of it.
fn title(text: &str) -> Option<String> {
    let head = text.lines().take_while(|line| !line.starts_with('['));
    let line = head.filter_map(|line| line.strip_prefix("title")).next()?;
    let value = line.trim_start().strip_prefix('=')?.trim();
    Some(value.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_cad::chip::place;
    use stokeslet_cad::library::Library;

    #[test]
    fn every_example_can_be_solved_as_it_is() {
        let library = Library::embedded();
        for example in all() {
            let (design, mistakes) = stokeslet_cad::design::parse(example.text, example.name);
            assert!(mistakes.is_empty(), "{}: {mistakes:?}", example.name);
            let design = design.expect("no mistakes");
            assert_eq!(design.title.as_deref(), Some(example.title.as_str()));
            assert!(
                example.question.ends_with('?'),
                "{}: a question, in one line",
                example.name
            );
            let (chip, mistakes) = place(&design, &library);
            assert!(chip.is_some(), "{}: {mistakes:?}", example.name);
        }
    }

    #[test]
    fn all_designs_of_the_folder_are_there_in_the_order_of_the_list() {
        let names: Vec<&str> = all().iter().map(|example| example.name).collect();
        assert_eq!(names, ORDER);
        assert_eq!(
            named("tee").map(|e| e.title.as_str()),
            Some("Tee with unequal arms")
        );
        assert_eq!(named("nothing"), None);
    }
}
