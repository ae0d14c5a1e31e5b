# SPDX-License-Identifier: Apache-2.0
"""density()."""

import numpy as np

from . import _core, _device, _intake, _match
from ._errors import InputError
from ._frames import Frame
from ._groups import DENSITY, known_names
from ._options import refuse_unknown, translating, with_options
from ._results import Result
from ._run import OWN, RUN, Run, finished


class DensityResult(Result):
    """Of density(): ``field`` (nx, ny[, nz]) float32, points per unit area or volume, axis a of the array along axis a of
    the map; ``origin`` and ``spacing`` of its nodes; ``bands``, a list of dicts with ``percentage``, ``level``,
    ``points``; ``mass``. With ``values`` also ``mean``, in the shape of ``field``, float64 of values far from zero, NaN where there are no points,
    ``mean_bands`` and ``missing``, the number of points without a value. ``stopped``, ``seconds``, ``options`` as used
    (``options["bandwidth"]``), ``device``. Of a map on a GPU the fields are there, too."""

    def __init__(self, values, dim, home, run, origin=None, offset=0.0):
        super().__init__(values, DENSITY)
        self._offset = offset  # of values far from zero, which the library has less it
        self._dim, self._run = dim, run
        self._shape = self.__dict__.pop("shape")
        self.origin = tuple(self.origin[:dim] if origin is None else (self.origin[:dim] + origin).tolist())
        self.field, self.mean = self._shaped(self.field, home), self._shaped(self.mean, home)
        if offset and self.mean is not None:
            mean = np.asarray(self.mean if home is None else _device.host(self.mean), np.float64) + offset
            self.mean = mean if home is None else home.put(mean)
            self.mean_bands = [{**band, "level": band["level"] + offset} for band in self.mean_bands]

    def _shaped(self, values, home):
        """An array without a copy: its nodes along the first axis are in sequence."""
        sides = tuple(reversed(self._shape[: self._dim]))
        if home is not None:
            array = home.take(values)
            if 0 in array.shape:
                return None
            array = array.reshape(sides)
            return array.permute(*reversed(range(self._dim))) if hasattr(array, "permute") else array.T
        return values.reshape(sides).T if values.size == np.prod(sides) and values.size else None

    @property
    def axes(self):
        """The coordinates of the nodes along each axis."""
        sizes = self._shape[: self._dim]
        return tuple(start + self.spacing * np.arange(n) for start, n in zip(self.origin, sizes))

    def _core_field(self, field, offset=0.0):
        if field is None:
            raise InputError("there is no field: the map has no points, or no values were given")
        array = _device.host(field) if _device.is_on_gpu(field) else field
        origin = (*self.origin, 0.0)[:3]
        values = np.ascontiguousarray(array.T - offset if offset else array.T, np.float32).reshape(-1)
        return values, self._dim, self._shape, origin, self.spacing

    def contours(self, level=None, *, percentage=None, of="field"):
        """The closed contours of a level, or of the band of a percentage: a list of arrays (k, 2).

        The field is larger on their left side: they run counterclockwise around peaks.

        Parameters
        ----------
        level : float, optional
            The level.
        percentage : float, optional
            In place of a level: that of the band of this percentage, which is one of ``bands``.
        of : {'field', 'mean'}, default 'field'
            The field.
        """
        if of not in ("field", "mean"):
            raise InputError(f"of is {of!r}; it must be 'field' or 'mean'", option="of")
        if (level is None) == (percentage is None):
            raise InputError("contours take a level or a percentage", option="level")
        if level is None:
            bands = {band["percentage"]: band["level"] for band in (self.bands if of == "field" else self.mean_bands)}
            if percentage not in bands:
                raise InputError(
                    f"percentage is {percentage!r}; the bands are of {', '.join(f'{p:g}' for p in bands)}; name it in the "
                    "bands of density()",
                    option="percentage",
                )
            level = bands[percentage]
        offset = 0.0 if of == "field" else self._offset
        field = self._core_field(self.field if of == "field" else self.mean, offset)
        return finished(_core.contours(*field, float(level) - offset, self._run.on_cpu()), list)

    def peaks(self, least_prominence=0.0):
        """The peaks of the density, most prominent first: a dict of arrays ``positions`` (k, 2 or 3), ``heights`` and
        ``prominences``. A prominence is the height above the highest saddle that leads to a higher peak."""
        field = self._core_field(self.field)
        return finished(_core.peaks(*field, float(least_prominence), self._run.on_cpu()), dict)

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_run"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._run = Run({})


def _offset_of(values):
    """What is subtracted from values far from zero, whose mean float32 would not tell apart; 0: nothing."""
    known = () if values is None else values[np.isfinite(values)]
    if len(known) == 0:
        return 0.0
    least, most = float(known.min()), float(known.max())
    return least if abs(least) > 256 * (most - least) else 0.0


def _bands(bands):
    if bands is None or isinstance(bands, str):
        return bands
    return ",".join(repr(float(band)) for band in np.asarray(bands, np.float64).reshape(-1))


@with_options(
    DENSITY,
    RUN,
    own="""
map : array of shape (n, 2 or 3), or a result
    The map, also an array on a GPU, where the field then stays.
values : array of shape (n,), optional
    A number per point, whose kernel-weighted mean is found; NaN: missing. Where the map and the values have names of rows,
    they are matched by name.
"""
    + OWN,
)
def density(map, *, values=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """Density of the points of a map on a grid, by Gaussian kernels, with the regions that hold given percentages of them.

    ``bands`` may also be a sequence of numbers. docs/density.md has the definitions and their limits.

    Returns
    -------
    DensityResult
        ``field``, ``axes``, ``bands``; ``contours(percentage=95)``, ``peaks()``.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> points = np.random.default_rng(0).normal(size=(1000, 2))
    >>> found = dunlin.density(points, bandwidth=0.3)
    >>> found.field.shape == tuple(len(axis) for axis in found.axes)
    True
    >>> round(float(found.field.sum()) * found.spacing**2)
    1000
    >>> len(found.contours(percentage=50))
    1
    """
    known = known_names(DENSITY, own=("values",))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks)
    chosen = DENSITY.take(options)
    refuse_unknown("density", options, known)
    if "bands" in chosen:
        chosen["bands"] = _bands(chosen["bands"])
    with translating(DENSITY, RUN):
        of, map = _match.rows_of(map, "map"), getattr(map, "embedding", map)
        if values is not None:
            values = _match.column(values, of, "values", lonely=True)
        if _device.stays(map, run) and len(map.shape) == 2 and 0 not in map.shape:
            (n, dim), (rows, origin, home) = map.shape, _device.points(map, "subtract", "map")
        else:
            frame = Frame()
            rows, home = frame.taken(map, "map"), None
            (n, dim), origin = rows.shape, frame.origin
        numbers = None if values is None else _intake.column(values, "values", n, np.float64, missing=True)
        offset = _offset_of(numbers)
        numbers = numbers - offset if offset else numbers
        outcome = _core.density(rows, numbers, chosen, run.core(), run.callback())
        return finished(outcome, lambda found: DensityResult(found, dim, home, run, origin, offset))
