//! `stokeslet apic fourier`: the thesis's pictures of eigenvalues (figures 3.3 to 3.5, 3.8) and of leaking energy (3.15).

use std::path::{Path, PathBuf};

use image::RgbImage;
use stokeslet::apic::fourier::image::{scale, square};
use stokeslet::apic::fourier::spectrum::spectrum;
use stokeslet::apic::fourier::{Response, centred, regular};
use stokeslet::apic::kernel::Kernel;
use stokeslet::apic::measure;
use stokeslet::apic::scenes;
use stokeslet::apic::seeding::Seeding;
use stokeslet::apic::transfer::Transfer;
use stokeslet::apic::world::World;
use stokeslet::apic::{Scene, Settings};
use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::report::chart::{Axis, Chart, Series};
use stokeslet::dynamics::report::picture;
use stokeslet::export::write_file;

use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::super::stepped::sibling::usage;

/// What can be drawn.
const NAMES: [&str; 5] = ["maps", "sections", "positions", "particles", "leakage"];

/// Arguments of `fourier`.
#[derive(Debug, clap::Args)]
pub struct FourierArgs {
    /// Which: maps (figure 3.3), sections (3.4), positions (3.5), particles (3.8), leakage (3.15) [default: all].
    #[arg(value_name = "NAME,...", value_delimiter = ',')]
    pub names: Vec<String>,
    /// Waves along each axis of the maps.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..=4096))]
    pub size: u32,
    /// Waves along each axis of the particles' maps, where each wave is an eigenproblem.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(8..=1024))]
    pub particles_size: u32,
    /// Where pictures and tables go.
    #[arg(long, value_name = "DIR", default_value = "results/apic-fourier")]
    pub out: PathBuf,
    /// Threads to work with [default: one per processor]. Results don't depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
}

/// Draws what was asked for.
///
/// # Errors
/// Unknown names, pictures that can't be written.
pub fn run(args: &FourierArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let names: Vec<&str> = match args.names.is_empty() {
        true => NAMES.to_vec(),
        false => args.names.iter().map(String::as_str).collect(),
    };
    if let Some(name) = names.iter().find(|n| !NAMES.contains(n)) {
        return Err(usage(format!(
            "there is no picture `{name}`; there are {}",
            NAMES.join(", ")
        )));
    }
    for name in names {
        if cancel.is_cancelled() {
            return Ok(Outcome::CouldNotRun);
        }
        match name {
            "maps" => maps(args.size as usize, &args.out)?,
            "sections" => sections(&args.out)?,
            "positions" => positions(&args.out)?,
            "particles" => particles(args.particles_size as usize, &args.out)?,
            _ => leakage(&args.out, cancel)?,
        }
    }
    print_out(&format!("pictures in {}\n", args.out.display()))?;
    Ok(Outcome::Fine)
}

fn write_picture(path: &Path, picture: &RgbImage) -> Result<(), CliError> {
    Ok(write_file(path, &picture::png(picture)?)?)
}

/// Pictures in rows, with the scale at the right.
fn sheet(rows: &[Vec<RgbImage>]) -> RgbImage {
    let rows: Vec<RgbImage> = rows.iter().map(|row| picture::beside(row)).collect();
    let all = picture::below(&rows);
    let height = all.height();
    picture::beside(&[all, scale(height.max(2))])
}

/// Figure 3.3: PIC above, APIC below, linear, quadratic and cubic from the left.
fn maps(n: usize, out: &Path) -> Result<(), CliError> {
    let mut rows = Vec::new();
    for transfer in [Transfer::Pic, Transfer::Apic] {
        let mut row = Vec::new();
        for kernel in Kernel::ALL {
            let map = Response::new(kernel, transfer, &regular(2)).map(n);
            let picture = square(&map, n, 1);
            let name = format!("map-{}-{}.png", transfer.name(), kernel.name());
            write_picture(&out.join(name), &picture)?;
            row.push(picture);
        }
        rows.push(row);
    }
    write_picture(&out.join("maps.png"), &sheet(&rows))
}

/// Figure 3.4: sections along x and the diagonal, as a chart and a table.
fn sections(out: &Path) -> Result<(), CliError> {
    let mut series = Vec::new();
    let mut losses = Vec::new();
    let mut csv = String::from("transfer,kernel,particles_a_cell,x,lambda_x_0,lambda_x_x\n");
    let cases = [
        (Kernel::Linear, 2),
        (Kernel::Linear, 3),
        (Kernel::Linear, 8),
        (Kernel::Quadratic, 2),
        (Kernel::Cubic, 2),
    ];
    for transfer in [Transfer::Pic, Transfer::Apic] {
        for (colour, (kernel, k)) in cases.into_iter().enumerate() {
            let response = Response::new(kernel, transfer, &regular(k));
            let label = format!("{} {} {}", transfer.name(), kernel.name(), k * k);
            let (mut line, mut loss) = (Vec::new(), Vec::new());
            for i in 0..=200 {
                let x = f64::from(i) / 400.0;
                let (along, diagonal) = (response.at(x, 0.0), response.at(x, x));
                csv += &format!(
                    "{},{},{},{x},{along},{diagonal}\n",
                    transfer.name(),
                    kernel.name(),
                    k * k
                );
                line.push((x, diagonal));
                if i > 1 {
                    loss.push((x, 1.0 - diagonal));
                }
            }
            let one = |points| Series {
                label: label.clone(),
                points,
                colour,
                dashed: transfer == Transfer::Pic,
            };
            series.push(one(line));
            losses.push(one(loss));
        }
    }
    let chart = |title: &str, y_label: &str, axis, series| Chart {
        title: title.into(),
        x_label: "periods a cell along each axis".into(),
        y_label: y_label.into(),
        x_axis: axis,
        y_axis: axis,
        names: Vec::new(),
        series,
    };
    let kept = chart(
        "What survives a round trip",
        "lambda(x, x)",
        Axis::Linear,
        series,
    );
    let lost = chart(
        "What a round trip loses",
        "1 - lambda(x, x)",
        Axis::Logarithmic,
        losses,
    );
    write_file(&out.join("sections.svg"), kept.svg().as_bytes())?;
    write_file(&out.join("sections-loss.svg"), lost.svg().as_bytes())?;
    Ok(write_file(&out.join("sections.csv"), csv.as_bytes())?)
}

/// Figure 3.5: a single particle a cell, in fifteen places of half a quadrant; a map each, places in rows.
fn positions(out: &Path) -> Result<(), CliError> {
    const N: usize = 96;
    let mut csv = String::from("transfer,kernel,offset_x,offset_y,x,lambda_x_0,lambda_x_x\n");
    for transfer in [Transfer::Pic, Transfer::Apic] {
        for kernel in Kernel::ALL {
            let mut rows = Vec::new();
            for j in 0..5 {
                let mut row = Vec::new();
                for i in j..5 {
                    // Component 0 sits at the left of the cell, half way up.
                    let offset = [f64::from(i) / 8.0, f64::from(j) / 8.0];
                    let place = [offset[0], 0.5 + offset[1]];
                    let response = Response::new(kernel, transfer, &[place]);
                    row.push(square(&response.map(N), N, 1));
                    for k in 0..=50 {
                        let x = f64::from(k) / 100.0;
                        csv += &format!(
                            "{},{},{},{},{x},{},{}\n",
                            transfer.name(),
                            kernel.name(),
                            offset[0],
                            offset[1],
                            response.at(x, 0.0),
                            response.at(x, x)
                        );
                    }
                }
                rows.push(row);
            }
            let name = format!("positions-{}-{}.png", transfer.name(), kernel.name());
            write_picture(&out.join(name), &sheet(&rows))?;
        }
    }
    Ok(write_file(&out.join("positions.csv"), csv.as_bytes())?)
}

/// Figure 3.8: the two largest maps of PIC, APIC and XPIC, and FLIP's smallest.
fn particles(n: usize, out: &Path) -> Result<(), CliError> {
    let pixels = (256 / n as u32).max(1);
    let mut rows = Vec::new();
    for (transfer, order) in [
        (Transfer::Pic, 1),
        (Transfer::Xpic, 2),
        (Transfer::Xpic, 3),
        (Transfer::Xpic, 5),
        (Transfer::Apic, 1),
        (Transfer::Flip, 1),
    ] {
        let settings = Settings {
            transfer,
            order,
            ..Settings::default()
        };
        let maps = spectrum(&settings, &regular(2), n).map_err(usage)?;
        let shown: Vec<&Vec<f64>> = match transfer {
            Transfer::Flip => vec![&maps[0], &maps[maps.len() - 1]],
            _ => vec![&maps[0], &maps[1]],
        };
        let row: Vec<RgbImage> = shown.iter().map(|m| square(m, n, pixels)).collect();
        let name = format!("particles-{}.png", settings.name());
        write_picture(&out.join(name), &picture::beside(&row))?;
        rows.push(row);
    }
    let (left, right) = rows.split_at(3);
    let both = [sheet(left), sheet(right)];
    write_picture(&out.join("particles.png"), &picture::beside(&both))
}

/// Figure 3.15: spectra of Taylor and Green's vortices at 0, 2, ... 8 s; a row each for the transfers, regular particles, then irregular.
fn leakage(out: &Path, cancel: &CancelToken) -> Result<(), CliError> {
    let built_in = scenes::find("taylor-green").ok_or_else(|| usage("no scene taylor-green"))?;
    for (seeding, word) in [(Seeding::Regular, "regular"), (Seeding::Poisson, "poisson")] {
        let mut rows = Vec::new();
        for (transfer, order) in [
            (Transfer::Apic, 1),
            (Transfer::Flip, 1),
            (Transfer::Xpic, 2),
            (Transfer::Xpic, 5),
        ] {
            let scene = Scene {
                seeding,
                ..built_in.scene()
            };
            let settings = Settings {
                transfer,
                order,
                ..Settings::default()
            };
            let mut world = World::<2>::new(&scene, &settings);
            let n = world.grid.cells.n[0];
            let mut row = Vec::new();
            let every = (2.0 / scene.step()).round() as usize;
            for step in 0..=4 * every {
                if cancel.is_cancelled() {
                    return Ok(());
                }
                if step % every == 0 {
                    let u = if step == 0 {
                        &world.before
                    } else {
                        &world.after
                    };
                    let spectrum = measure::spectrum(&world.grid, u, 0);
                    let sizes: Vec<f64> = spectrum.iter().map(|v| v.norm()).collect();
                    row.push(square(&centred(&sizes, n), n, 3));
                }
                if step < 4 * every {
                    world.step().map_err(|e| CliError::Sibling(e.into()))?;
                }
            }
            rows.push(row);
        }
        write_picture(&out.join(format!("leakage-{word}.png")), &sheet(&rows))?;
    }
    Ok(())
}
