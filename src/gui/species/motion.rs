//! Tracers that flow with the fluid: where they are at a moment of an animation, and its clock.

use eframe::egui::{Color32, Painter, Stroke};

use super::Dissolved;
use crate::canvas::View;
use crate::command::Layer;
use crate::context::ViewContext;
use crate::results::colour::DISTINCT;

/// Tracers on the whole chip, about: enough to see streams, few enough to see each.
const MANY: f64 = 900.0;
/// A tracer takes about so long from inlet to outlet at the usual pace, s.
const USUAL: f64 = 8.0;
/// Radius of a tracer, points.
const RADIUS: f32 = 2.1;
/// Longest step of the clock, s: after a pause the fluid doesn't jump.
const LONGEST: f64 = 0.1;

/// The clock of the animation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Motion {
    /// Time of the fluid over what it takes to pass, so that it goes on where it was in another flow.
    phase: f64,
    /// Time of the window's clock at the last frame that played, s.
    last: Option<f64>,
}

impl Motion {
    /// Goes on to `now`, s of the window's clock.
    pub fn tick(&mut self, now: f64, pace: f64, plays: bool) {
        if let (Some(last), true) = (self.last, plays) {
            self.phase += (now - last).clamp(0.0, LONGEST) * pace / USUAL;
        }
        self.last = plays.then_some(now);
    }

    /// Draws tracers where they are now, if they are to be seen; while they flow, the next frame is asked for.
    pub fn show(
        &mut self,
        painter: &Painter,
        view: &View,
        context: &ViewContext<'_>,
        rim: Color32,
    ) {
        let dissolved = context.results.dissolved.as_deref();
        let dissolved = dissolved.filter(|d| d.tracers.is_some());
        let is_seen = context.settings.layers.contains(&Layer::Tracers);
        let Some(dissolved) = dissolved.filter(|_| is_seen) else {
            return self.tick(0.0, 1.0, false);
        };
        let now = painter.ctx().input(|i| i.time);
        self.tick(now, context.shown.pace, context.shown.plays);
        self.draw(painter, view, dissolved, rim);
        if context.shown.plays {
            painter.ctx().request_repaint();
        }
    }

    /// Draws the tracers as they are now, in a colour for every inlet.
    fn draw(&self, painter: &Painter, view: &View, dissolved: &Dissolved, rim: Color32) {
        let Some(tracers) = &dissolved.tracers else {
            return;
        };
        let whole: f64 = tracers.ways.iter().map(|w| w.duration()).sum();
        let time = self.phase * tracers.median_duration();
        let inlets: Vec<usize> = inlets(dissolved);
        let clip = painter.clip_rect();
        for tracer in tracers.at(time, whole / MANY) {
            let at = view.to_screen(tracer.at);
            if !clip.contains(at) {
                continue;
            }
            let inlet = tracers.ways[tracer.way].inlet;
            let k = inlets.iter().position(|&i| i == inlet).unwrap_or(0);
            painter.circle(
                at,
                RADIUS,
                DISTINCT[k % DISTINCT.len()],
                Stroke::new(0.7, rim),
            );
        }
    }
}

/// Seconds of the fluid in a second of the window, at a pace.
pub fn seconds_a_second(dissolved: &Dissolved, pace: f64) -> Option<f64> {
    let tracers = dissolved.tracers.as_ref()?;
    Some(tracers.median_duration() * pace / USUAL)
}

/// Ports where fluid enters, in the chip's order; a tracer's colour is that of its inlet's place here.
pub fn inlets(dissolved: &Dissolved) -> Vec<usize> {
    let flows = dissolved.paths.net.port_flow.iter().enumerate();
    flows.filter(|(_, q)| **q > 0.0).map(|(k, _)| k).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stands_while_nothing_plays() {
        let mut motion = Motion::default();
        motion.tick(1.0, 1.0, true);
        assert_eq!(motion.phase, 0.0, "the first frame");
        motion.tick(1.08, 2.0, true);
        assert!((motion.phase - 0.16 / USUAL).abs() < 1e-12);
        motion.tick(5.0, 1.0, false);
        motion.tick(60.0, 1.0, true);
        assert!(
            (motion.phase - 0.16 / USUAL).abs() < 1e-12,
            "it goes on where it was"
        );
        motion.tick(99.0, 1.0, true);
        assert!(
            (motion.phase - 0.26 / USUAL).abs() < 1e-12,
            "a long frame is no jump"
        );
    }
}
