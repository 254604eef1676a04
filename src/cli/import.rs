//! `stokeslet import`: other people's files become design files.

use std::fs;
use std::path::Path;

use stokeslet::design::PortCondition;
use stokeslet::diagnostic::Severity;
use stokeslet::units::{
    Dimension, FlowRate, FlowRatePerDepth, Pascal, parse_quantity, parse_quantity_as,
};
use stokeslet::{export, import};

use super::args::ImportArgs;
use super::inputs::is_same_file;
use super::load::find_library;
use super::outcome::{CliError, Outcome};
use super::{compare, print_diagnostics, print_out};

/// Reads the file, prints what is wrong with it, writes the design.
///
/// # Errors
/// Files that can't be read or written, wrong values of flags.
pub fn run(args: &ImportArgs, components: Option<&Path>) -> Result<Outcome, CliError> {
    let options = options(args)?;
    if is_same_file(&args.output, &args.network) {
        let message = format!(
            "`{}` is the file to be imported: give the design another name with -o",
            args.output.display()
        );
        return Err(CliError::Usage { message });
    }
    let bytes = fs::read(&args.network).map_err(|source| CliError::Read {
        path: args.network.clone(),
        source,
    })?;
    let text = String::from_utf8_lossy(&bytes);
    // Editors of some systems begin files with a mark of the order of bytes.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if let Some(message) = unfit(args, &bytes, import::format_of(text)) {
        return Err(CliError::Usage { message });
    }
    let to_stdout = args.output == Path::new("-");
    let named_after = if to_stdout {
        &args.network
    } else {
        &args.output
    };
    let name = named_after
        .file_stem()
        .map_or_else(|| "network".into(), |s| s.to_string_lossy());
    let library = find_library(components)?;
    let (read, diagnostics) = import::read(text, &name, &library, &options);
    print_diagnostics(&diagnostics, &args.network.display().to_string(), text);
    let Some(read) = read.filter(|_| diagnostics.iter().all(|d| d.severity != Severity::Error))
    else {
        return Ok(Outcome::InputErrors);
    };
    if let Some(path) = &args.compare {
        compare::write(path, text, &read.design, args.resolution, components)?;
    }
    if to_stdout {
        print_out(&read.text)?;
        return Ok(Outcome::Fine);
    }
    export::write_file(&args.output, read.text.as_bytes())?;
    let design = &read.design;
    let mut line = format!(
        "{}: {} components, {} ports",
        args.output.display(),
        design.components.len() + design.channels.len(),
        design.ports.len()
    );
    if import::format_of(text) != import::Format::Network {
        line.push_str(&format!(", {} links; {}", design.links.len(), read.dialect));
    }
    print_out(&format!("{line}\n"))?;
    Ok(Outcome::Fine)
}

/// What is asked for that this file can't have.
fn unfit(args: &ImportArgs, bytes: &[u8], format: import::Format) -> Option<String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let file = args.network.display();
        return Some(format!("`{file}` is in UTF-16: save it as UTF-8"));
    }
    if args.compare.is_some() && format != import::Format::Mmft {
        return Some("--compare is for networks of MMFT: other files tell no laws".to_owned());
    }
    let options = [
        ("--drive", !args.drive.is_empty()),
        ("--close", !args.close.is_empty()),
        ("--width", args.width.is_some()),
    ];
    let is_used = |option: &str| match format {
        import::Format::ParchMint => true,
        import::Format::Drawing => option == "--drive",
        import::Format::Mmft | import::Format::Network => false,
    };
    let mut given = options.into_iter().filter(|(_, is_given)| *is_given);
    let (option, _) = given.find(|(option, _)| !is_used(option))?;
    let file = args.network.display();
    Some(format!(
        "{option} changes nothing of `{file}`: files of its kind say that themselves"
    ))
}

fn options(args: &ImportArgs) -> Result<import::Options, CliError> {
    let usage = |message: String| CliError::Usage { message };
    let mut drive = Vec::new();
    for given in &args.drive {
        let Some((port, value)) = given.split_once('=') else {
            return Err(usage(format!(
                "--drive: `{given}` is not PORT=VALUE, such as `in1=2uL/min`"
            )));
        };
        let condition = match parse_quantity(value) {
            Ok((value, Dimension::Pressure)) => PortCondition::Pressure(Pascal(value)),
            Ok((value, Dimension::FlowRate)) => PortCondition::FlowRate(FlowRate(value)),
            Ok((value, Dimension::FlowRatePerDepth)) => {
                PortCondition::FlowRatePerDepth(FlowRatePerDepth(value))
            }
            _ => {
                return Err(usage(format!(
                    "--drive: `{value}` is neither a pressure nor a flow rate, such as \"1 kPa\" or \"2 uL/min\""
                )));
            }
        };
        drive.push((port.trim().to_owned(), condition));
    }
    let width = match &args.width {
        None => None,
        Some(text) => match parse_quantity_as(text, Dimension::Length) {
            Ok(width) if (1e-8..=1.0).contains(&width) => Some(width),
            _ => {
                return Err(usage(format!(
                    "--width: `{text}` is not a width from 10 nm to 1 m"
                )));
            }
        },
    };
    Ok(import::Options {
        width,
        drive,
        close: args.close.clone(),
    })
}
