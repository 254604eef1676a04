"""The compiled half of stokeslet."""

from typing import Any, Sequence

import numpy as np

__version__: str

class DesignError(ValueError):
    diagnostics: list[dict[str, Any]]

class SolveError(RuntimeError): ...

class Result:
    port_rows: list[tuple[str, str, float, float, float]]
    flow_unit: str
    conductance: np.ndarray
    points: np.ndarray
    triangles: np.ndarray
    velocity: np.ndarray
    pressure: np.ndarray
    report: dict[str, Any]
    def sample(self, points: Sequence[Sequence[float]]) -> tuple[np.ndarray, np.ndarray]: ...
    def line_points(self, start: Sequence[float], to: Sequence[float], n: int) -> np.ndarray: ...

class Session:
    def __init__(
        self,
        text: str,
        name: str,
        variables: dict[str, str],
        resolution: int | None = None,
        model: str | None = None,
        fields: bool = True,
        threads: int | None = None,
    ) -> None: ...
    def solve_once(self) -> Result: ...
    def solve(self) -> Result: ...
    def set_port(self, name: str, value: str) -> None: ...

class Sampler:
    def __init__(self, text: str, name: str, resolution: int | None = None, fields: bool = False) -> None: ...
    def solve(self, variables: dict[str, str]) -> Result: ...

def check(text: str, name: str, variables: dict[str, str]) -> list[dict[str, Any]]: ...
def canonical(text: str, name: str, variables: dict[str, str]) -> str: ...
def variables(text: str, name: str) -> list[tuple[str, str]]: ...
def outlines(text: str, name: str, variables: dict[str, str], format: str) -> bytes: ...
def components() -> list[tuple[str, str, str]]: ...
def linspace(start: str, stop: str, count: int) -> list[str]: ...
