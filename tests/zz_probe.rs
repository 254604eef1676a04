//! probe
use stokeslet::*;
#[test]
#[ignore = "probe"]
fn probe() {
    let file = std::env::var("DESIGN").unwrap();
    let r: u32 = std::env::var("RES").unwrap().parse().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let (design, d) = design::parse(&text, "x");
    println!("{}", diagnostic::render(&d, &file, &text));
    let library = library::Library::embedded();
    let t = std::time::Instant::now();
    let (chip, d) = chip::place(&design.unwrap(), &library);
    println!("place {:?}", t.elapsed());
    println!("{}", diagnostic::render(&d, &file, &text));
    let settings = session::SolveSettings {
        resolution: r,
        caching: if std::env::var("NOCACHE").is_ok() {
            session::Caching::Uncached
        } else {
            session::Caching::Cached
        },
        ..Default::default()
    };
    let chip = chip.unwrap();
    let s = session::solve(
        &chip,
        &settings,
        &elimination::Table::default(),
        &|_, _| {},
        &session::CancelToken::new(),
    )
    .unwrap();
    println!(
        "{:#?}\n{:?}\n{:?} {:?}",
        s.report, s.ports, s.max_speed, s.wall_shear
    );
    if std::env::var("STUDY").is_ok() {
        let mut last: Option<session::study::Row> = None;
        for row in session::manufactured_study(
            &chip,
            &std::env::var("STUDY")
                .unwrap()
                .split(",")
                .map(|s| s.parse().unwrap())
                .collect::<Vec<u32>>(),
            &session::CancelToken::new(),
        )
        .unwrap()
        {
            println!("{row:?} {:?}", last.map(|l| row.orders(&l)));
            last = Some(row);
        }
    }
}
