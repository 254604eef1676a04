//! A study's points, numbered: which values the variables take at each. The numbers depend on the study alone, never on who solves what.

use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use stokeslet_cad::design::Setting;

use crate::study::{Method, Range, Sample, Size, Study, at};

impl Study {
    /// Points before each is repeated for its uncertainty; nothing where they can't be counted.
    fn n_base(&self) -> Option<usize> {
        let resolutions = self.resolution.len().max(1);
        let points = match self.method {
            Method::Grid => {
                let mut lengths = self.ranges.iter().map(|range| range.values.len());
                lengths.try_fold(1_usize, usize::checked_mul)?
            }
            Method::List => self.ranges.first().map_or(1, |range| range.values.len()),
            Method::LatinHypercube | Method::Random => self.samples,
        };
        points.checked_mul(resolutions)
    }

    /// How often each point is repeated.
    fn repetitions(&self) -> usize {
        self.uncertainty
            .iter()
            .map(|u| u.samples)
            .max()
            .unwrap_or(1)
    }

    /// Points in all; nothing where they can't be counted.
    pub fn count(&self) -> Option<usize> {
        self.n_base()?.checked_mul(self.repetitions())
    }
}

/// One point of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// From 0.
    pub index: usize,
    /// A value for each of [`Plan::variables`].
    pub values: Vec<Sample>,
    /// What the variables of `[uncertainty]` stray from, by name.
    pub nominal: Vec<Sample>,
    /// Cell edges across a channel, if the study says.
    pub resolution: Option<u32>,
}

/// A numbered study.
#[derive(Debug)]
pub struct Plan<'s> {
    study: &'s Study,
    /// Ranges, then uncertain variables without a range.
    variables: Vec<String>,
    /// What variables without a range stray from.
    nominal: Vec<Sample>,
    /// By range, where in it each sample of random methods lies, from 0 to 1.
    places: Vec<Vec<f64>>,
    count: usize,
}

/// Numbers from 0 up to 1, of 53 bits.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * (0.5_f64).powi(53)
}

/// Below `n`, all alike to one part in 2^64 / n.
fn below(random: &mut ChaCha8Rng, n: usize) -> usize {
    ((u128::from(random.next_u64()) * n as u128) >> 64) as usize
}

impl<'s> Plan<'s> {
    /// Numbers the points. `nominal` is a variable's value in the design, for those that only stray.
    ///
    /// # Errors
    /// The name of an uncertain variable that has no number.
    pub fn new(study: &'s Study, nominal: &dyn Fn(&str) -> Option<Sample>) -> Result<Self, String> {
        let mut variables: Vec<String> = study.ranges.iter().map(|r| r.name.clone()).collect();
        let mut values = Vec::new();
        for uncertain in &study.uncertainty {
            if variables.contains(&uncertain.name) {
                continue;
            }
            let value = nominal(&uncertain.name).filter(|value| value.number().is_some());
            values.push(value.ok_or_else(|| uncertain.name.clone())?);
            variables.push(uncertain.name.clone());
        }
        let places = study
            .ranges
            .iter()
            .enumerate()
            .map(|(k, _)| places(study, k as u64))
            .collect();
        Ok(Self {
            study,
            variables,
            nominal: values,
            places,
            count: study.count().unwrap_or_default(),
        })
    }

    /// Names of the variables that differ.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Points in all.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The point of an index below [`Self::len`].
    pub fn point(&self, index: usize) -> Point {
        let repetitions = self.study.repetitions();
        let base = index / repetitions;
        let resolutions = &self.study.resolution;
        let (mut rest, resolution) = match resolutions.len() {
            0 => (base, None),
            n => (base / n, resolutions.get(base % n).copied()),
        };
        let sample = rest;
        let mut values: Vec<Sample> = Vec::with_capacity(self.variables.len());
        for (k, range) in self.study.ranges.iter().enumerate().rev() {
            values.push(match self.study.method {
                Method::Grid => {
                    let n = range.values.len().max(1);
                    let value = range.values[rest % n].clone();
                    rest /= n;
                    value
                }
                Method::List => range.values[sample].clone(),
                Method::LatinHypercube | Method::Random => in_range(range, self.places[k][sample]),
            });
        }
        values.reverse();
        values.extend(self.nominal.iter().cloned());
        let nominal = match self.study.uncertainty.is_empty() {
            true => Vec::new(),
            false => self.stray(index, &mut values),
        };
        Point {
            index,
            values,
            nominal,
            resolution,
        }
    }

    /// What a point sets, for [`stokeslet_cad::design::parse_with`].
    pub fn settings(&self, point: &Point) -> Vec<Setting> {
        let both = self.variables.iter().zip(&point.values);
        both.map(|(name, value)| Setting {
            name: name.clone(),
            value: value.to_text(),
        })
        .collect()
    }

    /// Errors of fabrication: of every point its own, whoever solves it. The values that they are about.
    fn stray(&self, index: usize, values: &mut [Sample]) -> Vec<Sample> {
        let mut nominal = Vec::with_capacity(self.study.uncertainty.len());
        let mut random = ChaCha8Rng::seed_from_u64(self.study.seed);
        random.set_stream(1 << 32 | index as u64);
        for uncertain in &self.study.uncertainty {
            // Normal numbers by Box and Muller.
            let (u, v) = (uniform(&mut random), uniform(&mut random));
            let deviation = match uncertain.is_normal {
                true => (-2.0 * (1.0 - u).ln()).sqrt() * (TAU * v).cos(),
                false => 2.0 * u - 1.0,
            };
            let at = self
                .variables
                .iter()
                .position(|name| *name == uncertain.name);
            let Some(value) = at.map(|k| &mut values[k]) else {
                continue;
            };
            nominal.push(value.clone());
            if let Sample::Amount(value, _) = value {
                *value += deviation
                    * match uncertain.size {
                        Size::Relative(part) => part * value.abs(),
                        Size::Absolute(size, _) => size,
                    };
            }
        }
        nominal
    }
}

/// Where in its range the samples of one variable lie.
fn places(study: &Study, variable: u64) -> Vec<f64> {
    let n = study.samples;
    let mut random = ChaCha8Rng::seed_from_u64(study.seed);
    random.set_stream(variable);
    match study.method {
        Method::Grid | Method::List => Vec::new(),
        Method::Random => (0..n).map(|_| uniform(&mut random)).collect(),
        Method::LatinHypercube => {
            // One sample in each of n strata, in random order.
            let mut strata: Vec<usize> = (0..n).collect();
            for k in (1..n).rev() {
                strata.swap(k, below(&mut random, k + 1));
            }
            let strata = strata.into_iter();
            strata
                .map(|stratum| (stratum as f64 + uniform(&mut random)) / n as f64)
                .collect()
        }
    }
}

fn in_range(range: &Range, place: f64) -> Sample {
    match range.between {
        Some((from, to, scale)) => Sample::Amount(at(from, to, scale, place), range.powers),
        None => {
            let n = range.values.len();
            range.values[((place * n as f64) as usize).min(n - 1)].clone()
        }
    }
}
