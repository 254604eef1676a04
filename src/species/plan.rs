//! Which engine each region is solved by, and in which order.

use crate::along::{ALONG, along_of};
use crate::elliptic::{Elliptic, error_of_order_1, most_peclet, order_for};
use crate::input::{Engine, Settings};
use crate::network::{Beyond, End, Network, Region, STILL};

/// What is solved at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A region by tubes.
    Tubes(usize),
    /// Regions that feel each other, by elements.
    Elliptic(Vec<usize>),
}

/// Engines and order.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// By region.
    pub is_elliptic: Vec<bool>,
    /// By pipe: from port to port, followed as modes.
    pub is_lone: Vec<bool>,
    /// Steps that depend on earlier levels only.
    pub levels: Vec<Vec<Step>>,
    /// Whether some are on circles (Stokes flow can go round a loop of channels): those come last, one a level.
    pub is_circular: bool,
    /// Whether a pipe leads from a region of tubes back to itself.
    pub returns: bool,
}

/// Regions for elements, pipes from port to port for modes, and the order that the elements need (0 without any).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// By region.
    pub regions: Vec<bool>,
    /// By pipe.
    pub pipes: Vec<bool>,
    /// Order of the elements.
    pub order: usize,
    /// What tubes would leave out in one of these, over the range.
    pub error_of_tubes: f64,
    /// What order 1 would be off by at an outlet, over the range.
    pub error_of_order_1: f64,
}

impl Choice {
    /// No elements.
    pub fn tubes(net: &Network) -> Self {
        Self {
            regions: vec![false; net.regions.len()],
            pipes: vec![false; net.pipes.len()],
            order: 0,
            error_of_tubes: 0.0,
            error_of_order_1: 0.0,
        }
    }
}

/// Cells across the narrowest socket of a region.
pub fn cells(region: &Region) -> usize {
    region
        .sockets
        .iter()
        .map(|m| (m.nodes.len() / 2).max(1))
        .min()
        .unwrap_or(1)
}

/// Least and greatest Peclet number of a region's sockets that carry more than 1 % of its greatest flow; `None` without flow.
pub fn peclet(region: &Region, diffusivity: f64) -> Option<[f64; 2]> {
    let flows = region.sockets.iter().map(|m| m.outflow.abs());
    let most = flows.clone().fold(0.0, f64::max);
    let least = flows
        .filter(|q| *q > 0.01 * most)
        .fold(f64::INFINITY, f64::min);
    (most > 0.0).then_some([least / diffusivity, most / diffusivity])
}

/// Chooses the engines: elements where diffusion along the flow, `along_of` over Pe, exceeds what is tolerated, and where they resolve the layers.
///
/// `fits` says by region whether its sections are cut as those of its neighbours.
pub fn choose(
    net: &Network,
    fits: &dyn Fn(usize) -> bool,
    diffusivity: f64,
    settings: &Settings,
) -> Choice {
    let wanted = |along: f64, pe: [f64; 2], cells: usize| match settings.engine {
        Engine::Tubes => false,
        Engine::Elliptic => true,
        Engine::Auto => along / pe[0] > settings.tolerance && pe[1] <= most_peclet(cells),
    };
    let seen = |out: &mut Choice, by_tubes: f64, pe: f64, cells: usize| {
        out.error_of_tubes = out.error_of_tubes.max(by_tubes);
        let order = order_for(pe, cells).min(settings.most_order.max(1));
        out.order = out.order.max(order);
        out.error_of_order_1 = out.error_of_order_1.max(error_of_order_1(pe, cells));
    };
    let mut out = Choice::tubes(net);
    let any_cells = net
        .regions
        .iter()
        .filter(|r| !r.sockets.is_empty())
        .map(cells)
        .min()
        .unwrap_or(LONE_CELLS);
    for (r, region) in net.regions.iter().enumerate() {
        let Some(pe) = peclet(region, diffusivity) else {
            continue;
        };
        if wanted(along_of(region), pe, cells(region)) && fits(r) {
            out.regions[r] = true;
            seen(&mut out, along_of(region) / pe[0], pe[1], cells(region));
        }
    }
    for (p, pipe) in net.pipes.iter().enumerate() {
        let pe = pipe.flow.abs() / diffusivity;
        let is_lone = pipe.ends.iter().all(|e| matches!(e, End::Port(_)));
        if is_lone && pipe.flow.abs() > STILL * net.largest && wanted(ALONG, [pe, pe], any_cells) {
            out.pipes[p] = true;
            seen(&mut out, ALONG / pe, pe, any_cells);
        }
    }
    out
}

/// Elements across a pipe that no region tells the cells of.
pub const LONE_CELLS: usize = 16;

impl Plan {
    /// Every region by tubes.
    pub fn tubes(net: &Network) -> Self {
        let groups = (0..net.regions.len()).map(|r| vec![r]).collect();
        Self::ordered(
            net,
            vec![false; net.regions.len()],
            vec![false; net.pipes.len()],
            groups,
        )
    }

    /// Groups what is chosen for elements, and orders the whole.
    pub fn new(elliptic: &Elliptic<'_>, choice: &Choice) -> Self {
        let net = elliptic.net;
        let mut is_elliptic = choice.regions.clone();
        let grouped = groups(elliptic, &is_elliptic, &[]);
        let plan = Self::ordered(net, is_elliptic.clone(), choice.pipes.clone(), grouped);
        let in_circles = if plan.is_circular {
            plan.on_circles()
        } else {
            Vec::new()
        };
        if !in_circles.iter().any(|&r| is_elliptic[r]) {
            return plan;
        }
        // A region of tubes between two regions of one group would have to be solved before and after it: all of the circle is one group.
        in_circles.iter().for_each(|&r| is_elliptic[r] = true);
        let grouped = groups(elliptic, &is_elliptic, &in_circles);
        Self::ordered(net, is_elliptic, choice.pipes.clone(), grouped)
    }

    /// Regions of steps that are on circles or behind them.
    fn on_circles(&self) -> Vec<usize> {
        let steps = self
            .levels
            .iter()
            .rev()
            .take_while(|l| l.len() == 1)
            .flatten();
        steps
            .flat_map(|s| match s {
                Step::Tubes(r) => vec![*r],
                Step::Elliptic(list) => list.clone(),
            })
            .collect()
    }

    fn ordered(
        net: &Network,
        is_elliptic: Vec<bool>,
        is_lone: Vec<bool>,
        groups: Vec<Vec<usize>>,
    ) -> Self {
        let mut group_of = vec![0; net.regions.len()];
        for (g, list) in groups.iter().enumerate() {
            list.iter().for_each(|&r| group_of[r] = g);
        }
        let (levels, is_circular) = levels(net, &group_of, groups.len());
        let step = |g: usize| match groups[g][..] {
            [r] if !is_elliptic[r] => Step::Tubes(r),
            _ => Step::Elliptic(groups[g].clone()),
        };
        let levels = levels
            .into_iter()
            .map(|l| l.into_iter().map(step).collect())
            .collect();
        let returns = net.pipes.iter().any(|pipe| match pipe.ends {
            [End::Region(a, _), End::Region(b, _)] => {
                a == b && !is_elliptic[a] && pipe.flow.abs() >= STILL * net.largest
            }
            _ => false,
        });
        Self {
            is_elliptic,
            is_lone,
            levels,
            is_circular,
            returns,
        }
    }

    /// How often regions are gone through at most: more than once where something comes back.
    pub fn rounds(&self) -> usize {
        match self.is_circular || self.returns {
            true => 400,
            false => 1,
        }
    }
}

/// Regions that feel each other, and those that are to be solved together, by their first region; a region of tubes is alone.
fn groups(elliptic: &Elliptic<'_>, is_elliptic: &[bool], together: &[usize]) -> Vec<Vec<usize>> {
    let net = elliptic.net;
    let n = net.regions.len();
    let mut parent: Vec<usize> = (0..n).collect();
    fn root(parent: &mut [usize], mut r: usize) -> usize {
        while parent[r] != r {
            parent[r] = parent[parent[r]];
            r = parent[r];
        }
        r
    }
    for r in (0..n).filter(|&r| is_elliptic[r]) {
        let Some(sections) = elliptic.sections(r) else {
            continue;
        };
        for (socket, section) in net.regions[r].sockets.iter().zip(&sections) {
            if let Beyond::Pipe(p, 0) = socket.beyond
                && let End::Region(other, _) = net.pipes[p].ends[1]
                && is_elliptic[other]
                && elliptic.is_felt(p, section)
            {
                let (a, b) = (root(&mut parent, r), root(&mut parent, other));
                parent[a.max(b)] = a.min(b);
            }
        }
    }
    for pair in together.windows(2) {
        let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
        parent[a.max(b)] = a.min(b);
    }
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
    for r in 0..n {
        out[root(&mut parent, r)].push(r);
    }
    out.retain(|g| !g.is_empty());
    out
}

/// Levels of groups that depend on earlier levels only, and whether some are on circles: those come last, one a level.
fn levels(net: &Network, group_of: &[usize], n: usize) -> (Vec<Vec<usize>>, bool) {
    let mut waits = vec![0; n];
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); n];
    for pipe in &net.pipes {
        if pipe.flow.abs() < STILL * net.largest {
            continue;
        }
        let [a, b] = if pipe.flow > 0.0 { [0, 1] } else { [1, 0] }.map(|e: usize| pipe.ends[e]);
        if let (End::Region(a, _), End::Region(b, _)) = (a, b) {
            let (a, b) = (group_of[a], group_of[b]);
            if a != b {
                after[a].push(b);
                waits[b] += 1;
            }
        }
    }
    let mut out = Vec::new();
    let mut ready: Vec<usize> = (0..n).filter(|&r| waits[r] == 0).collect();
    let mut done = vec![false; n];
    while !ready.is_empty() {
        let mut next = Vec::new();
        for &r in &ready {
            done[r] = true;
            for &b in &after[r] {
                waits[b] -= 1;
                if waits[b] == 0 {
                    next.push(b);
                }
            }
        }
        next.sort_unstable();
        out.push(std::mem::replace(&mut ready, next));
    }
    let left: Vec<usize> = (0..n).filter(|&r| !done[r]).collect();
    let is_circular = !left.is_empty();
    out.extend(left.into_iter().map(|r| vec![r]));
    (out, is_circular)
}
