//! A chip as pieces, and how its answers are read: conditions into loads, unknowns into results.

use super::measure::port_results;
use super::space::Space;
use super::{Conductance, Solution, SolveError, SolveReport};
use crate::field::ports::PortValues;
use crate::stokes::local_vectors::{ChipVector, LocalVectors};
use crate::stokes::socket::{PortData, PortSocket, port_data, port_values};
use crate::stokes::system::System;
use stokeslet_base::cancel::CancelToken;
use stokeslet_cad::chip::{Condition, Port};

/// What answers of a chip are read with.
pub(super) struct Readout<'a, const D: usize> {
    pub space: &'a dyn Space<D>,
    pub system: &'a System<D>,
    /// Where fields are wanted.
    pub local_vectors: Option<&'a LocalVectors>,
    pub ports: &'a [Port],
    /// By port.
    pub sockets: &'a [PortSocket],
}

impl<const D: usize> Readout<'_, D> {
    /// By port: its connected component, where only differences of pressure are known there.
    pub fn free_connected_components(&self) -> Vec<Option<u32>> {
        let ports = self.system.ports.iter();
        ports
            .map(|p| self.system.free_connected_component(p.interface))
            .collect()
    }

    /// Pressure that others are solved relative to at a port, Pa; `datum`: by connected component.
    fn datum_at(&self, port: usize, datum: &[f64]) -> f64 {
        let interface = self.system.ports[port].interface as usize;
        datum[self.system.connected_components[interface] as usize]
    }

    /// Loads and given values of conditions in the unit of the equations.
    pub fn data(&self, conditions: &[Condition], datum: &[f64]) -> PortData {
        let values = conditions.iter().enumerate().map(|(k, c)| match c {
            Condition::FlowRate(flow) => *flow,
            _ => c.value() - self.datum_at(k, datum),
        });
        port_data(self.system, self.ports, self.sockets, values)
    }

    /// What ports see of shared unknowns and of the forces that hold the given ones.
    pub fn values(&self, shared: &[f64], reactions: &[f64], at: &[Condition]) -> Vec<PortValues> {
        let one = |(k, socket)| port_values(self.system, k, socket, at[k], (shared, reactions));
        self.sockets.iter().enumerate().map(one).collect()
    }

    /// Ports' values with their pressures above the datum, and what was added to pressures of free connected components: where only differences
    /// are known, the lowest pressure of a port is the stated zero.
    pub fn levelled(
        &self,
        mut values: Vec<PortValues>,
        conditions: &[Condition],
        datum: &[f64],
    ) -> (Vec<PortValues>, f64) {
        for (k, v) in values.iter_mut().enumerate() {
            let datum = self.datum_at(k, datum);
            v.mean_pressure += datum;
            if let Condition::FlowRate(_) = conditions[k] {
                v.work_pressure += datum;
            }
        }
        let connected_components = self.free_connected_components();
        let free = || {
            values
                .iter()
                .zip(&connected_components)
                .filter(|v| v.1.is_some())
        };
        let lowest = free()
            .map(|v| v.0.work_pressure)
            .fold(f64::INFINITY, f64::min);
        let shift = if lowest.is_finite() { -lowest } else { 0.0 };
        for (v, _) in values
            .iter_mut()
            .zip(&connected_components)
            .filter(|v| v.1.is_some())
        {
            v.work_pressure += shift;
            v.mean_pressure += shift;
        }
        (values, shift)
    }

    /// The solution that ports' levelled values and a state make; fields only where there are local vectors.
    ///
    /// # Errors
    /// [`SolveError::Cancelled`].
    pub fn solution(
        &self,
        (values, shift): (&[PortValues], f64),
        state: &ChipVector,
        datum: &[f64],
        (report, conductance): (SolveReport, Conductance),
        cancel: &CancelToken,
    ) -> Result<Solution, SolveError> {
        let ports = port_results(self.ports, self.space.flow_unit(), values);
        let system = self.system;
        let measured = self.local_vectors.map(|local_vectors| {
            let shift = |part: usize| {
                let interface = system.instances[part].interfaces.first();
                let is_free =
                    interface.is_some_and(|&i| system.free_connected_component(i).is_some());
                let component =
                    interface.map(|&i| system.connected_components[i as usize] as usize);
                component.map_or(0.0, |i| datum[i]) + if is_free { shift } else { 0.0 }
            };
            let is_cancelled = || cancel.is_cancelled();
            self.space
                .measure(system, local_vectors, state, &shift, &is_cancelled)
        });
        if cancel.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        let at_ports = Solution::at_ports(report, ports, conductance);
        Ok(match measured {
            None => at_ports,
            Some(measured) => Solution {
                max_speed: Some(measured.max_speed),
                wall_shear: Some(measured.wall_shear),
                floor_shear: measured.floor_shear,
                dissipation: Some(measured.dissipation),
                posts: Some(measured.posts),
                fields: measured.fields,
                in_space: measured.in_space,
                ..at_ports
            },
        })
    }
}
