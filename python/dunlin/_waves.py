# SPDX-License-Identifier: Apache-2.0
"""waves()."""

import math
import operator
from numbers import Integral

import numpy as np

from . import _cells, _core, _graphs, _intake, _tables
from ._errors import InputError, OptionError
from ._groups import WAVES, known_names
from ._nodes import Nodes, refuse_zeros_and_ones
from ._options import refuse_unknown, translating, with_options
from ._results import Result
from ._run import CHECKPOINT, OWN, RUN, Run, finished


class WavesResult(Result):
    """Of waves(): ``v`` and ``w`` (None for models of one species) at ``time``, ``activation`` (inf: never), in the shape
    of the domain; ``snapshots``, a list of (time, v, w); ``n_iter``, ``stopped``, ``step``, ``step_limit``, ``evaluations``,
    ``newton`` (iterations, scheme 'crank-nicolson'), ``rejected`` (with a tolerance), ``speed`` (of a front on a line, or
    None), ``seconds``, ``options`` as used."""

    def __init__(self, values, shape):
        super().__init__(values, WAVES)
        self.v, self.w = _shaped(self.v, shape), _shaped(self.w, shape)
        self.activation = _shaped(self.activation, shape)
        self.snapshots = [(time, _shaped(v, shape), _shaped(w, shape)) for time, v, w in self.snapshots]


def _shaped(values, shape):
    return values.reshape(shape) if values.size == math.prod(shape) else None


class _Place:
    """A domain: what the binding takes, the shape of its values, and the number of a vertex."""

    def __init__(self, domain, spacing, periodic, weight):
        sides = (domain,) if isinstance(domain, Integral) else domain
        is_grid = isinstance(sides, tuple) and 1 <= len(sides) <= 3 and all(isinstance(n, Integral) for n in sides)
        self.graph = None if is_grid else _graphs.graph_of(domain, weight)
        self.shape = tuple(int(n) for n in sides) if is_grid else (self.graph.size,)
        if is_grid and weight != "weight":
            raise InputError("weight is of the edges of a graph; a line or grid has none", option="weight")
        nodes = [*reversed(self.shape), 1, 1][:3] if is_grid else [0, 1, 1]
        around = self._around(periodic, is_grid)
        distance = _intake.number(spacing, "spacing")
        if not is_grid and distance != 1:
            raise InputError("spacing is of the nodes of a line or grid; the weights of a graph tell its own", option="spacing")
        self.core = (tuple(nodes), around, distance)
        self.csr = None if is_grid else self.graph.csr
        self.numbered = self.graph or Nodes(range(math.prod(self.shape)))

    def _around(self, periodic, is_grid):
        """For x, y and z whether the axis is periodic: one truth value for all axes, or one for each in the shape's order."""
        each = periodic if isinstance(periodic, (tuple, list)) else (periodic,)
        if not each or not all(isinstance(value, (bool, np.bool_)) for value in each):
            raise OptionError(f"periodic is {periodic!r}; it must be True or False, or one of them per axis", option="periodic")
        if not is_grid:
            if any(each):
                raise InputError("periodic is of the axes of a line or grid; a graph has none", option="periodic")
            return (False,) * 3
        if each is periodic and len(each) != len(self.shape):
            raise OptionError(f"periodic has {len(each)} values and the domain {len(self.shape)} axes", option="periodic")
        if each is not periodic:
            return (bool(periodic),) * 3
        return tuple(bool(value) for value in (*reversed(each), False, False)[:3])

    def _flat(self, names, name):
        """Names of nodes of a grid by their place as numbers of nodes."""
        names = list(names)
        if self.graph is not None or not any(isinstance(each, tuple) for each in names):
            return names
        return [self._vertex(each, name) if isinstance(each, tuple) else each for each in names]

    def _by_number(self, values, name):
        """Values by node with numbers for places in a grid."""
        if isinstance(values, dict):
            numbers = self._flat(values, name)
            if len(set(numbers)) < len(numbers):
                raise InputError(f"{name} has two values of a node, by its place and by its number; give one", option=name)
            return dict(zip(numbers, values.values()))
        if self.graph is None and _tables.index_of(values) is not None:
            return values.set_axis(self._flat(values.index, name), axis=0)
        return values

    def vertices(self, nodes, name):
        """Numbers of a node, of a sequence of nodes, or of those of a mask."""
        if self.graph is not None:
            return self.graph.places(nodes, name).tolist()
        if isinstance(nodes, dict) or _tables.index_of(nodes) is not None and _tables.are_truths(nodes):
            return self.numbered.places(self._by_number(nodes, name), name).tolist()
        is_array = hasattr(nodes, "__array__")
        if is_array or isinstance(nodes, list) and nodes and all(isinstance(node, (bool, np.bool_)) for node in nodes):
            nodes = _intake.dense(nodes, name)
            if nodes.dtype.kind == "b" and nodes.ndim:
                if nodes.shape not in (self.shape, (math.prod(self.shape),)):
                    raise InputError(f"{name} is a mask of shape {nodes.shape}; the domain has {self.shape}", option=name)
                return np.flatnonzero(nodes).tolist()
            nodes = nodes.tolist()
        if isinstance(nodes, list) and all(isinstance(node, (int, float, np.number)) for node in nodes):
            refuse_zeros_and_ones(nodes, math.prod(self.shape), name)
        one = isinstance(nodes, tuple) or not hasattr(nodes, "__iter__")
        return [self._vertex(node, name) for node in ([nodes] if one else nodes)]

    def _vertex(self, node, name):
        place = node if isinstance(node, tuple) else (node,)
        sides = self.shape if isinstance(node, tuple) else (math.prod(self.shape),)
        try:
            place = tuple(map(operator.index, place))
        except TypeError:
            place = ()
        if isinstance(node, (bool, np.bool_)) or len(place) != len(sides) or not all(0 <= i < n for i, n in zip(place, sides)):
            raise InputError(f"{name}: {node!r} is not a node of a grid of shape {self.shape}", option=name)
        return int(np.ravel_multi_index(place, sides))

    def holds(self, hold):
        """The stimuli that hold nodes at values all the time."""
        if hold is None:
            return []
        if not isinstance(hold, dict) and not (hasattr(hold, "iloc") and getattr(hold, "ndim", 0) == 1):
            raise InputError(f"hold is a {type(hold).__name__}; give a dict or Series from node to value", option="hold")
        values = _intake.column(list(hold.values()) if isinstance(hold, dict) else hold, "hold", len(hold), np.float64)
        vertices = [self.vertices([node], "hold")[0] for node in (hold if isinstance(hold, dict) else hold.index)]
        before = set()
        for vertex, node in zip(vertices, hold if isinstance(hold, dict) else hold.index):
            if vertex in before:
                raise InputError(f"hold has two values of node {node!r}; give one", option="hold")
            before.add(vertex)
        return [(vertex, value, 0.0, math.inf, 0.0) for vertex, value in zip(vertices, values.tolist())]

    def values(self, values, name):
        if values is None:
            return None
        table = _cells.columns_in(values)
        if self.graph is None and table is not None and len(self.shape) == 2 and (len(values), len(table)) == self.shape:
            values = _tables.as_grid(values)
        else:
            values = self.numbered.in_order(self._by_number(values, name), name)
        values = _intake.dense(values, name)
        nodes = math.prod(self.shape)
        if values.size != nodes:
            raise InputError(f"{name} has {values.size} values and the domain {nodes} nodes", option=name)
        if values.shape not in (self.shape, (nodes,), (nodes, 1)):
            raise InputError(f"{name} has the shape {values.shape}; it must be that of the domain, {self.shape}", option=name)
        return np.ascontiguousarray(values, np.float64).reshape(-1)


def _times(snapshots):
    if snapshots is None:
        return []
    if isinstance(snapshots, (str, bytes, dict)) or not hasattr(snapshots, "__iter__") or np.ndim(snapshots) == 0:
        raise InputError(f"snapshots is {snapshots!r}; give a sequence of times", option="snapshots")
    return [_intake.number(time, "snapshots") for time in snapshots]


@with_options(
    WAVES,
    RUN,
    CHECKPOINT,
    own="""
domain : graph, int or tuple of int
    A graph of any kind that layout() takes, whose weights are conductances; or the nodes of a line, or the shape of a
    grid of 2 or 3 axes.
stimulate : node, several nodes, truth values per node, or 'each', optional
    Nodes held at ``stimulus_value`` for ``stimulus_time`` from time 0. 'each': one after the other; the result is the
    matrix of activation times, means of both directions.
stimulus_value : float, default 1
    Value of a stimulus.
stimulus_time : float, default 10
    Duration of a stimulus.
stimulus_every : float, default 0
    Period of a stimulus; 0: once.
hold : dict or Series from node to float, optional
    Nodes held at a value all the time.
start_v, start_w : array, or dict or Series by node, optional
    Values at time 0, of the domain's shape; default: rest.
input_current : array, or dict or Series by node, optional
    Input current of each node, added to ``current``.
snapshots : sequence of float, optional
    Times of states to keep, ascending.
spacing : float, default 1
    Distance of neighboring nodes of a line or grid.
periodic : bool, or a bool per axis, default False
    The axes of a line (then a ring) or grid are periodic.
weight : str or None, default 'weight'
    Edge attribute that holds the conductances; None: every edge has 1.
"""
    + OWN,
)
def waves(
    domain,
    *,
    stimulate=None,
    stimulus_value=1.0,
    stimulus_time=10.0,
    stimulus_every=0.0,
    hold=None,
    start_v=None,
    start_w=None,
    input_current=None,
    snapshots=(),
    spacing=1.0,
    periodic=False,
    weight="weight",
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """Waves of reaction and diffusion on a graph, a line or a grid, in double.

    Schemes: 'euler', 'heun' and 'rkc' for all domains; 'crank-nicolson' for lines and rings and 'adi' for grids, implicit,
    whose steps do not shrink with the square of the spacing; 'adaptive' for lines.

    Returns
    -------
    WavesResult, or an array (n, n) with stimulate='each'

    Examples
    --------
    >>> import dunlin
    >>> result = dunlin.waves(200, stimulate=0, until=200)
    >>> bool((result.activation[1:100] > result.activation[:99]).all())
    True
    """
    own = ("stimulate", "stimulus_value", "stimulus_time", "stimulus_every", "hold", "start_v", "start_w")
    own += ("input_current", "snapshots", "spacing", "periodic", "weight")
    known = known_names(WAVES, CHECKPOINT, own=own)
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, checkpoints=True)
    chosen = WAVES.take(options)
    refuse_unknown("waves", options, known)
    with translating(WAVES, RUN, CHECKPOINT):
        place = _Place(domain, spacing, periodic, weight)
        numbers = {"stimulus_value": stimulus_value, "stimulus_time": stimulus_time, "stimulus_every": stimulus_every}
        numbers = {name: _intake.number(value, name) for name, value in numbers.items()}
        for name, usual in (("stimulus_value", 1.0), ("stimulus_time", 10.0), ("stimulus_every", 0.0)):
            if stimulate is None and numbers[name] != usual:
                raise InputError(f"{name} needs stimulate, the nodes that are stimulated", option=name)
        pulse = (numbers["stimulus_value"], 0.0, numbers["stimulus_time"], numbers["stimulus_every"])
        snapshots = _times(snapshots)
        if isinstance(stimulate, str) and stimulate == "each":
            if hold is not None or start_v is not None or start_w is not None or input_current is not None or len(snapshots):
                raise InputError("stimulate='each' starts from rest with one stimulus at a time", option="stimulate")
            outcome = _core.activation_matrix(
                place.core, place.csr, (0, *pulse), chosen, run.with_checkpoint(), run.callback()
            )
            return finished(outcome, lambda times: times)
        stimuli = [] if stimulate is None else [(vertex, *pulse) for vertex in place.vertices(stimulate, "stimulate")]
        stimuli += place.holds(hold)
        outcome = _core.waves(
            place.core,
            place.csr,
            place.values(start_v, "start_v"),
            place.values(start_w, "start_w"),
            place.values(input_current, "input_current"),
            stimuli,
            snapshots,
            chosen,
            run.with_checkpoint(),
            run.callback(),
        )
        return finished(outcome, lambda values: WavesResult(values, place.shape))
