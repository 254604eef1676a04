//! The thread that follows species: the newest flow and the newest species become a [`Dissolved`].
//!
//! ```text
//! ask(Order) --newest only--> thread: paths of the flow (kept while the flow is the same) --solve--> values at nodes --> take()
//!     +--token: what is older stops before its next region                                                            |
//!     +---------- a first look where elements of a higher order are to come: asked again, whole <---------------------+
//! ```
//! Elements take many times as long as tubes. A slider stays live by a first look ([`Paths::first_look`]): by tubes, or by elements of order 1. Elements of the order
//! that is chosen follow once no button of the pointer is down.

use std::cell::RefCell;
use std::sync::Arc;
use web_time::Instant;

use super::{Dissolved, oldest};
use crate::results::Solved;
use crate::results::newest::{Newest, Wake};
use crate::words::capital;
use stokeslet_base::cancel::CancelToken;
use stokeslet_flow::export::readable;
use stokeslet_flow::session::Solution;
use stokeslet_species::tracers::Tracers;
use stokeslet_species::{Paths, Settings, Species, SpeciesError, solve_unless};

/// Ways of tracers on a chip; each carries the same flow.
const WAYS: usize = 60;

/// What is to be followed.
#[derive(Clone, Debug)]
pub struct Order {
    /// The flow.
    pub solved: Arc<Solved>,
    /// What is dissolved in it.
    pub species: Vec<Species>,
    /// How concentrations are written, by species.
    pub kinds: Vec<readable::Quantity>,
    /// Whether tracers are wanted.
    pub tracers: bool,
    /// Whether ages are wanted at the nodes; at ports they always are.
    pub ages: bool,
    /// Stops it.
    pub cancel: CancelToken,
}

impl Order {
    /// Whether it asks for the same.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.solved, &other.solved)
            && self.species == other.species
            && self.kinds == other.kinds
            && self.tracers == other.tracers
            && self.ages == other.ages
    }
}

/// How well an order is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// By tubes alone, or by elements of order 1.
    First,
    /// By what is chosen for each region.
    Whole,
}

/// Follows species; keeps what doesn't depend on them.
#[derive(Debug, Default)]
pub struct Follower {
    kept: RefCell<Option<Kept>>,
}

/// What only the flow decides.
#[derive(Clone, Debug)]
struct Kept {
    solution: Arc<Solution>,
    paths: Arc<Paths>,
    tracers: Option<Arc<Tracers>>,
}

impl Follower {
    /// Does one order.
    ///
    /// # Errors
    /// [`SpeciesError`].
    pub fn follow(&self, order: &Order, look: Look) -> Result<Dissolved, SpeciesError> {
        let begin = Instant::now();
        let solved = &order.solved;
        let (chip, fields) = (&*solved.chip, &solved.solution.fields);
        let stop = || match order.cancel.is_cancelled() {
            true => Err(SpeciesError::Cancelled),
            false => Ok(()),
        };
        let kept = self.kept.borrow().clone();
        let kept = kept.filter(|kept| Arc::ptr_eq(&kept.solution, &solved.solution));
        let (paths, mut tracers) = match kept {
            Some(kept) => (kept.paths, kept.tracers),
            None => (Arc::new(Paths::of(chip, &solved.solution)?), None),
        };
        stop()?;
        if order.tracers && tracers.is_none() {
            tracers = Some(Arc::new(Tracers::new(chip, &paths, WAYS)));
        }
        *self.kept.borrow_mut() = Some(Kept {
            solution: solved.solution.clone(),
            paths: paths.clone(),
            tracers: tracers.clone(),
        });
        let settings = Settings::default();
        let first_look = paths.first_look(&order.species, settings);
        let first_look = first_look.filter(|_| look == Look::First);
        let (is_first_look, settings) = (first_look.is_some(), first_look.unwrap_or(settings));
        let follow = |species: &[Species], ages: bool| {
            solve_unless(chip, &paths, species, settings, ages, &order.cancel)
        };
        let (first, rest) = order.species.split_at(order.species.len().min(1));
        // The age of the fluid is asked of one species only: all have about the same.
        let mut results = follow(first, true)?;
        results.extend(follow(rest, false)?);
        let mut out = Dissolved {
            solved: solved.clone(),
            kinds: order.kinds.clone(),
            fields: Vec::new(),
            ages: None,
            entering: Vec::new(),
            tracers: tracers.filter(|_| order.tracers),
            seconds: 0.0,
            is_first_look,
            oldest: [0.0; 2],
            results: Vec::new(),
            paths: paths.clone(),
        };
        for result in &mut results {
            stop()?;
            out.fields
                .push(result.nodal(chip, fields, &paths, settings));
            if order.ages && out.ages.is_none() {
                out.ages = result.nodal_ages(chip, fields, &paths, settings);
            }
            result.forget_insides();
            let ports = result.ports.iter().zip(&paths.net.port_flow);
            let inlets = ports.filter(|(_, flow)| **flow > 0.0);
            let ends = inlets.filter_map(|(port, _)| Some((port.min?, port.max?)));
            let ends = ends.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
            out.entering.push(ends.map_or([0.0; 2], |(a, b)| [a, b]));
        }
        out.oldest = oldest(out.ages.as_deref());
        out.results = results;
        out.seconds = begin.elapsed().as_secs_f64();
        Ok(out)
    }
}

/// What became of an order.
#[derive(Clone, Debug)]
pub enum Told {
    /// It was followed.
    Followed(Arc<Dissolved>),
    /// It can't be; a sentence for people.
    Failed(String),
}

/// An order, how well it is to be done, and its number.
type Job = (Order, Look, u64);

/// The thread, and what it was last asked.
#[derive(Debug)]
pub struct Following {
    thread: Newest<Job, (u64, Told)>,
    asked: Option<Order>,
    /// Number of what was asked last.
    number: u64,
    /// Whether its first look is there, and the whole isn't asked for yet.
    owes_whole: bool,
    /// Whether all was told of what was asked last.
    is_answered: bool,
}

impl Following {
    /// Starts the thread; `wake` is called when something is done.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let wake: Wake = Arc::new(wake);
        let follower = Follower::default();
        let thread = Newest::new("species", wake, move |(order, look, number): Job, _| {
            let first = follower.follow(&order, look);
            // What a first look can't do the whole perhaps can.
            let done = match &first {
                Err(error) if look == Look::First && *error != SpeciesError::Cancelled => {
                    follower.follow(&order, Look::Whole)
                }
                _ => first,
            };
            let told = match done {
                Ok(dissolved) => Told::Followed(Arc::new(dissolved)),
                Err(SpeciesError::Cancelled) => return None,
                Err(error) => Told::Failed(capital(&error.to_string())),
            };
            Some((number, told))
        });
        Self {
            thread,
            asked: None,
            number: 0,
            owes_whole: false,
            is_answered: false,
        }
    }

    /// Asks for this unless it was asked last; what is older stops.
    pub fn want(&mut self, order: Order) {
        if self.asked.as_ref().is_some_and(|asked| asked.is(&order)) {
            return;
        }
        self.forget();
        self.number += 1;
        self.thread.ask((order.clone(), Look::First, self.number));
        (self.asked, self.is_answered) = (Some(order), false);
    }

    /// What was asked means nothing any more.
    pub fn forget(&mut self) {
        self.owes_whole = false;
        if let Some(asked) = self.asked.take() {
            asked.cancel.cancel();
        }
    }

    /// What there is to tell of this flow, once. The whole is asked for a frame after the first look, when that was seen, and not while `is_held`.
    pub fn take(&mut self, is_held: bool) -> Option<Told> {
        let is_idle = !self.thread.is_busy();
        let told = self.thread.take();
        let asked = self.asked.as_ref()?;
        match told {
            // Of a flow that was asked for before.
            Some((_, Told::Followed(done))) if !Arc::ptr_eq(&done.solved, &asked.solved) => None,
            // Of what was asked before on the same flow: it is seen until there is something newer.
            Some((number, told)) if number != self.number => match told {
                Told::Followed(_) => Some(told),
                Told::Failed(_) => None,
            },
            Some((_, told)) => {
                self.owes_whole = matches!(&told, Told::Followed(done) if done.is_first_look);
                self.is_answered = !self.owes_whole;
                Some(told)
            }
            None if self.owes_whole => {
                if !is_held {
                    self.owes_whole = false;
                    self.thread.ask((asked.clone(), Look::Whole, self.number));
                }
                None
            }
            // The thread caught a panic.
            None if is_idle && !self.is_answered => {
                self.is_answered = true;
                let text = "Species can't be followed: a mistake of the program broke it off";
                Some(Told::Failed(text.to_owned()))
            }
            None => None,
        }
    }

    /// Whether the next frame has something to ask for.
    pub fn owes_whole(&self) -> bool {
        self.owes_whole
    }

    /// Whether there is more to come.
    pub fn is_busy(&self) -> bool {
        self.thread.is_busy() || self.asked.is_some() && !self.is_answered
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::species::tests::{TEE, dissolved};

    #[test]
    fn only_what_depends_on_species_is_done_again() {
        let first = dissolved(TEE);
        let chip = first.solved.chip.clone();
        let order = |diffusivity: f64| Order {
            solved: first.solved.clone(),
            species: vec![Species {
                name: "dye".into(),
                diffusivity,
                inflow: (0..chip.ports.len())
                    .map(|k| stokeslet_species::Inflow::uniform(f64::from(u8::from(k == 0))))
                    .collect(),
            }],
            kinds: vec![readable::Quantity::Relative],
            tracers: false,
            ages: false,
            cancel: CancelToken::new(),
        };
        let follower = Follower::default();
        let slow = follower.follow(&order(1e-11), Look::Whole).unwrap();
        let fast = follower.follow(&order(4e-9), Look::Whole).unwrap();
        assert!(Arc::ptr_eq(&slow.paths, &fast.paths), "paths are kept");
        assert!(fast.ages.is_none(), "nobody looks at ages");
        assert!(fast.results[0].ports[2].age_mean_s.is_some());
        let mixed = |d: &Dissolved| d.results[0].ports[2].mixing_index.unwrap();
        assert!(mixed(&fast) > mixed(&slow) + 0.1, "{}", mixed(&slow));
        let stopped = order(1e-10);
        stopped.cancel.cancel();
        assert_eq!(
            follower.follow(&stopped, Look::Whole).err(),
            Some(SpeciesError::Cancelled)
        );
    }

    /// What is told of a diffusivity: its first look, and the whole.
    fn looks(diffusivity: &str) -> [Arc<Dissolved>; 2] {
        let text = TEE.replace("4e-10", diffusivity);
        let whole = dissolved(&text);
        assert!(whole.results[0].element_order > 0 && !whole.is_first_look);
        let mut following = Following::new(|| {});
        let order = Order {
            solved: whole.solved.clone(),
            species: vec![Species {
                name: "dye".into(),
                diffusivity: whole.results[0].diffusivity,
                inflow: (0..3)
                    .map(|k| stokeslet_species::Inflow::uniform(f64::from(u8::from(k == 0))))
                    .collect(),
            }],
            kinds: whole.kinds.clone(),
            tracers: false,
            ages: false,
            cancel: CancelToken::new(),
        };
        // While a slider moves the older order is answered at most once, and never asked for whole.
        let mut older = order.clone();
        older.species[0].diffusivity *= 0.9;
        older.cancel = CancelToken::new();
        following.want(older);
        following.want(order.clone());
        let mut told = Vec::new();
        let begin = Instant::now();
        while following.is_busy() && begin.elapsed().as_secs() < 60 {
            told.extend(following.take(false));
            std::thread::yield_now();
        }
        let asked = order.species[0].diffusivity;
        let all = told.len();
        told.retain(|told| matches!(told, Told::Followed(d) if d.results[0].diffusivity == asked));
        assert!(all <= told.len() + 1, "{all} answers");
        let [Told::Followed(first), Told::Followed(last)] = &told[..] else {
            panic!("{} answers", told.len());
        };
        assert!(first.is_first_look && !last.is_first_look);
        assert!(last.results[0].element_order > 2);
        assert!(following.take(false).is_none() && !following.is_busy());
        [first.clone(), last.clone()]
    }

    /// At Pe 50, where elements are chosen, tubes answer first, at Pe 0.5 elements of order 1; both say that they do.
    #[test]
    fn the_first_look_is_by_tubes_or_by_elements_of_order_1() {
        for (diffusivity, order) in [("2e-8", 0), ("2e-6", 1)] {
            let looks = looks(diffusivity);
            let [first, last] = looks.each_ref().map(|look| &look.results[0]);
            assert_eq!(first.element_order, order, "{diffusivity}");
            let mixed = [first, last].map(|r| r.ports[2].segregation.unwrap());
            let off = (mixed[0] - mixed[1]).abs();
            assert!(
                off < 4.0 * first.estimated_error,
                "{diffusivity}: {mixed:?}"
            );
            // On the mean of all nodes; beside where species meet tubes leave out more.
            let fields = looks.each_ref().map(|look| &look.fields[0]);
            let far = fields[0].iter().zip(fields[1]).map(|(a, b)| (a - b).abs());
            let far = far.sum::<f64>() / fields[0].len() as f64;
            assert!(far < 0.01, "{diffusivity}: {far}");
        }
    }
}
