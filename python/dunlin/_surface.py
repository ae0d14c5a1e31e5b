# SPDX-License-Identifier: Apache-2.0
"""surface() and hulls()."""

import numpy as np

from . import _core, _device, _intake, _match, _offsets
from ._errors import InputError, OptionError
from ._frames import Frame
from ._groups import HULLS, SURFACE, known_names
from ._kinds import path_of
from ._options import refuse_unknown, translating, with_options
from ._results import Result
from ._run import OWN, RUN, Run, finished, say


class SurfaceResult(Result):
    """Of surface(): ``vertices`` (n, 3) float32, or float64 far from zero, ``normals`` (n, 3), ``faces`` (m, 3) int32, counterclockwise seen from
    outside; ``area``, ``cap_area``, ``volume`` (None: open), ``euler_characteristic``; ``stopped``, ``seconds``,
    ``options`` as used, ``device``. Of a field on a GPU the three arrays are there, too."""

    def save(self, path):
        """Writes the mesh: .glb, .ply or .stl."""
        frame = Frame()
        vertices = frame.taken(_device.host(self.vertices) if _device.is_on_gpu(self.vertices) else self.vertices, "vertices")
        if frame.origin is not None:
            less = ", ".join(f"{axis:g}" for axis in frame.origin)
            say(f"vertices are written less ({less}), since a mesh has float32; add it to those of the file")
        arrays = (vertices, np.float32), (self.normals, np.float32), (self.faces, np.int32)
        arrays = (
            np.ascontiguousarray(_device.host(array) if _device.is_on_gpu(array) else array, dtype) for array, dtype in arrays
        )
        _core.write_mesh(path_of(path), *arrays, self.parts)


class HullsResult(SurfaceResult):
    """Of hulls(): the mesh of all hulls as in SurfaceResult; ``hulls``, a list of dicts with ``name``, ``points``,
    ``radius``, ``level``, ``inside`` (share of the points), ``cells_in_radius``, ``area``, ``volume``,
    ``euler_characteristic``; ``parts``: name, color, number of vertices and of faces of each."""


def _three(value, name):
    numbers = np.asarray(value, np.float64).reshape(-1)
    if numbers.size not in (1, 3):
        raise InputError(f"{name} is {value!r}; it must be one number or three", option=name)
    return tuple(float(x) for x in np.broadcast_to(numbers, 3))


def _frame_of(shape, spacing, origin):
    """(Frame of the grid's vertices, the grid's origin in it)."""
    corners = np.stack([origin, origin + spacing * np.maximum(np.array(shape) - 1, 0)])
    frame = Frame(_offsets.offsets_in(corners))
    return frame, tuple(_offsets.less(np.array(origin), frame.origin).tolist())


def _of_device(values, home, frame):
    """The result of a field on a GPU, with arrays of its package."""
    values = dict(values)
    for name in ("vertices", "normals", "faces"):
        values[name] = home.take(values[name])
    return SurfaceResult(values | {"vertices": frame.restored(values["vertices"])}, SURFACE)


def _values(field):
    dtype = getattr(field, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind not in "fiub":
        raise OptionError(f"field has the type {dtype}; it must be numbers", option="field")
    values = _intake.dense(field, "field")
    if values.ndim != 3:
        raise InputError(f"field has the shape {values.shape}; it must have three axes", option="field")
    is_short = values.dtype.itemsize <= 2 or values.dtype == np.float32
    return np.ascontiguousarray(values, np.float32 if is_short else np.float64)


def _nodes(seeds, shape):
    """The numbers of nodes of a field."""
    if seeds is None:
        return []
    nodes = np.asarray(seeds)
    if nodes.ndim != 2 or nodes.shape[1] != 3 or nodes.dtype.kind not in "iu":
        raise InputError(f"seeds have the shape {nodes.shape} and type {nodes.dtype}; they must be whole numbers, three a node",
                         option="seeds")
    outside = ((nodes < 0) | (nodes >= shape)).any(axis=1)
    if outside.any():
        row = int(outside.argmax())
        raise InputError(f"seed {row} is node {tuple(nodes[row].tolist())}, outside the field of {tuple(shape)}", option="seeds")
    return np.ravel_multi_index(tuple(nodes.T), shape).tolist()


@with_options(
    SURFACE,
    RUN,
    own="""
field : array of shape (nx, ny, nz)
    Values on a grid. float32 and float64 arrays in C order are not copied. An array on a GPU stays there, as float32:
    ``density(points).field`` of 3-D points on a GPU, with its ``spacing`` and ``origin``.
spacing : float or three floats, default 1
    Distance of neighboring nodes along x, y, z.
origin : three floats, default 0
    Position of node (0, 0, 0).
seeds : array of int of shape (m, 3), optional
    Nodes near the surface, of a field in host memory: cells are visited from there along the surface, and no others. Pieces
    that no node leads to are not found. ``visited`` of the result is the number of cells.
"""
    + OWN,
)
def surface(field, level=0.0, *, spacing=1.0, origin=0.0, seeds=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """The surface of a level of a field, by marching tetrahedra: closed, with shared vertices and outward normals.

    Inside is above the level; a cap closes the surface at the border of the grid unless ``open``. docs/surface.md has the
    definitions.

    Returns
    -------
    SurfaceResult
        ``vertices``, ``faces``, ``normals``; ``save(path)`` writes .glb, .ply or .stl.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> x, y, z = np.mgrid[-1:1:17j, -1:1:17j, -1:1:17j]
    >>> ball = dunlin.surface(0.7 - np.sqrt(x**2 + y**2 + z**2), spacing=0.125, origin=(-1, -1, -1))
    >>> ball.euler_characteristic
    2
    """
    options["level"] = level
    known = known_names(SURFACE, own=("spacing", "origin", "seeds"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks)
    chosen = SURFACE.take(options)
    refuse_unknown("surface", options, known)
    with translating(SURFACE, RUN):
        spacing, origin = _three(spacing, "spacing"), _three(origin, "origin")
        if _device.stays(field, run) and len(field.shape) == 3 and 0 not in field.shape:
            if seeds is not None:
                raise InputError("the field is on a GPU; seeds are for fields in host memory", option="seeds")
            values, home = _device.field(field, "field")
            frame, origin = _frame_of(field.shape, spacing, origin)
            outcome = _core.surface(values, spacing, origin, chosen, run.core(), run.callback())
            return finished(outcome, lambda found: _of_device(found, home, frame))
        values = _values(field)
        frame, origin = _frame_of(values.shape, spacing, origin)
        nodes = _nodes(seeds, values.shape)
        outcome = _core.surface(values, spacing, origin, chosen, nodes, run.core(), run.callback())
        return finished(
            outcome, lambda found: SurfaceResult({**found, "vertices": frame.restored(found["vertices"])}, SURFACE)
        )


@with_options(
    HULLS,
    RUN,
    own="""
map : array of shape (n, 3), or a result
    A map of 3 dimensions.
labels : array of shape (n,), optional
    A label per point: one hull for each; points without one (None, NaN, pandas.NA, a mask) are in none. Where the map and the
    labels have names of rows, they are matched by name.
"""
    + OWN,
)
def hulls(map, labels=None, *, callbacks=None, verbose=0, n_jobs=None, **options):
    """Hulls of the points of a 3-D map: levels of a sum of compact kernels (metaballs), for each label or for all.

    docs/surface.md has the definitions and their limits.

    Returns
    -------
    HullsResult
        ``vertices``, ``faces``, ``normals`` of all hulls; ``hulls``; ``save(path)`` writes .glb, .ply or .stl.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> points = np.random.default_rng(0).normal(size=(500, 3))
    >>> round(dunlin.hulls(points, cells=48).hulls[0]["inside"], 2)
    0.9
    """
    known = known_names(HULLS, own=())
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks)
    chosen = HULLS.take(options)
    refuse_unknown("hulls", options, known)
    with translating(HULLS, RUN):
        frame = Frame()
        placed = frame.taken(map, "map")
        of, names = (None, []) if labels is None else _intake.labels(_match.labels(labels, _match.rows_of(map, "map")), len(placed))
        outcome = _core.hulls(placed, of, names, chosen, run.core(), run.callback())
        return finished(
            outcome, lambda values: HullsResult({**values, "vertices": frame.restored(values["vertices"])}, HULLS)
        )
