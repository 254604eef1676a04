//! A run as a table: a row a frame, of every simulation that is under way.

use crate::lcp::SolveLog;
use crate::scenes::FrameLog;
use crate::scenes::eckert::TankStep;

/// The head of the CSV.
pub const HEAD: &str = "frame,walls,substeps,iterations,outer,residual,seconds,unknowns,at_wall,detached,pockets,divergence,volume,max_speed,fallbacks,solver\n";

/// A row of the CSV; `walls` names the simulation, the solver is that of the last substep.
pub fn row(walls: &str, frame: &FrameLog) -> String {
    let sum = |of: &dyn Fn(&SolveLog) -> usize| -> usize { frame.solves.iter().map(of).sum() };
    format!(
        "{},{walls},{},{},{},{:e},{:e},{},{},{},{},{:e},{},{},{},{}\n",
        frame.frame,
        frame.solves.len(),
        sum(&|s| s.iterations()),
        sum(&|s| s.outer),
        frame
            .solves
            .iter()
            .map(SolveLog::residual)
            .fold(0.0, f64::max),
        frame.solves.iter().map(|s| s.seconds).sum::<f64>(),
        frame.unknowns,
        frame.at_wall,
        frame.detached,
        frame.pockets,
        frame.divergence,
        frame.volume,
        frame.max_speed,
        sum(&|s| usize::from(s.fallback.is_some())),
        frame.solves.last().map_or("", |s| s.solver),
    )
}

/// The head of a tank's CSV.
pub const TANK_HEAD: &str = "step,method,iterations,outer,residual,seconds,cells,filled,detached,pockets,divergence,at_right_wall,at_ceiling,at_ceiling_middle,max_speed,status\n";

/// A row of a tank's CSV.
pub fn tank_row(method: &str, step: &TankStep) -> String {
    let (log, solve) = (&step.log, &step.log.solve);
    format!(
        "{},{method},{},{},{:e},{:e},{},{},{},{},{:e},{},{},{},{},{}\n",
        step.step,
        solve.inner,
        solve.outer,
        solve.residual(),
        solve.seconds,
        step.volume,
        step.filled,
        log.detached.len(),
        log.pockets,
        log.divergence_left,
        step.reach.right,
        step.reach.ceiling,
        step.reach.ceiling_middle,
        step.max_speed,
        solve.status.word(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::{Watch, solver};
    use crate::pressure::Separation;
    use crate::scenes::eckert::{FlowSettings, TankFlow, tank};
    use crate::scenes::{Simulation, scene2};
    use crate::splitting::{Method, Settings};

    #[test]
    fn a_row_has_a_value_for_every_name_of_the_head() {
        let scene = scene2("circle").expect("a scene");
        let mut simulation = Simulation::new(scene, 16, Separation::Cut);
        let mut solver = solver::<2>("fas-mg").expect("a name");
        let frame = simulation
            .frame(&mut *solver, Watch::SILENT, &mut |_| {})
            .expect("converges");
        let row = row("separating", &frame);
        assert_eq!(row.split(',').count(), HEAD.split(',').count());
        assert!(row.starts_with("0,separating,") && row.ends_with(",fas-mg\n"));
    }

    #[test]
    fn a_tank_s_row_has_one_too() {
        let tank = tank::<2>("breaking-dam").expect("a tank");
        let mut flow = TankFlow::new(&tank, 16, FlowSettings::of::<2>());
        let settings = Settings::practical::<2>();
        let step = flow
            .step(Method::OrigPs, &settings, Watch::SILENT, &mut |_| {})
            .expect("converges");
        let row = tank_row("orig-ps", &step);
        assert_eq!(row.split(',').count(), TANK_HEAD.split(',').count());
        assert!(row.starts_with("1,orig-ps,") && row.ends_with(",converged\n"));
    }
}
