//! Flow and pressure at ports, and the conductance between them.

use stokeslet_cad::chip::Condition;

/// What a port says of a solution.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortValues {
    /// Into the chip, m^2/s.
    pub flow_rate: f64,
    /// Mean over the socket, Pa.
    pub mean_pressure: f64,
    /// Mean inward traction over the socket, weighted with the developed profile where that is given: what does the work, Pa.
    pub work_pressure: f64,
}

/// Whether the port's condition gives its flow (else it gives its pressure).
pub fn gives_flow(condition: Condition) -> bool {
    matches!(condition, Condition::FlowRate(_))
}

/// Conductance `Q = G p` from the hybrid responses of a chip.
///
/// # Shapes and units
/// - `hybrid[i][j]`: answer at port i (flow where its pressure is given, pressure where its flow is) to unit input at port j
/// - `flow_given[i]`: which of the two port i is given; returns the n x n matrix, m^2/(s Pa)
/// - `free_group[i]`: the group of ports that i shares an unknown constant of pressure with, if any; their inputs balance
pub fn conductance(
    hybrid: &[Vec<f64>],
    flow_given: &[bool],
    free_group: &[Option<u32>],
) -> Vec<Vec<f64>> {
    use faer::Mat;
    use faer::linalg::solvers::Solve;
    let n = hybrid.len();
    let f: Vec<usize> = (0..n).filter(|&i| flow_given[i]).collect();
    let p: Vec<usize> = (0..n).filter(|&i| !flow_given[i]).collect();
    let pick = |rows: &[usize], columns: &[usize]| {
        Mat::from_fn(rows.len(), columns.len(), |i, j| {
            hybrid[rows[i]][columns[j]]
        })
    };
    let mut g = vec![vec![0.0; n]; n];
    // P_f = H_ff Q_f + H_fp P_p  and  Q_p = H_pf Q_f + H_pp P_p.
    let h_ff = pick(&f, &f);
    let m = f.len();
    let size = (0..m)
        .map(|i| h_ff[(i, i)].abs())
        .fold(0.0, f64::max)
        .max(f64::MIN_POSITIVE);
    // The mean over each group of ports whose pressure is known up to a constant. Shifted along it, H_ff is invertible; the
    // shift's own part of the inverse is taken out again.
    let same =
        |i: usize, j: usize| free_group[f[i]].is_some() && free_group[f[i]] == free_group[f[j]];
    let mates = |i: usize| (0..m).filter(|&j| same(i, j)).count().max(1) as f64;
    let mean = Mat::from_fn(m, m, |i, j| if same(i, j) { 1.0 / mates(i) } else { 0.0 });
    let centre = Mat::<f64>::identity(m, m) - &mean;
    let shifted = &centre * &h_ff * &centre + Mat::from_fn(m, m, |i, j| size * mean[(i, j)]);
    let full = shifted.partial_piv_lu().solve(Mat::<f64>::identity(m, m));
    let inverse = Mat::from_fn(m, m, |i, j| full[(i, j)] - mean[(i, j)] / size);
    let h_fp = pick(&f, &p);
    let h_pf = pick(&p, &f);
    let h_pp = pick(&p, &p);
    let q_f_by_p = -(&inverse * &h_fp);
    let q_p_by_f = &h_pf * &inverse;
    let q_p_by_p = &h_pp + &h_pf * &q_f_by_p;
    for (i, &a) in f.iter().enumerate() {
        f.iter()
            .enumerate()
            .for_each(|(j, &b)| g[a][b] = inverse[(i, j)]);
        p.iter()
            .enumerate()
            .for_each(|(j, &b)| g[a][b] = q_f_by_p[(i, j)]);
    }
    for (i, &a) in p.iter().enumerate() {
        f.iter()
            .enumerate()
            .for_each(|(j, &b)| g[a][b] = q_p_by_f[(i, j)]);
        p.iter()
            .enumerate()
            .for_each(|(j, &b)| g[a][b] = q_p_by_p[(i, j)]);
    }
    g
}
