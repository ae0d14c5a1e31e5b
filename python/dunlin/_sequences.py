# SPDX-License-Identifier: Apache-2.0
"""sequence_distances(), and strings and tracks as the library takes them."""

import numpy as np

from . import _cells, _core, _match
from ._errors import InputError
from ._groups import SEQUENCES
from ._options import Group, refuse_unknown, translating, with_options
from ._run import RUN, Run, used_gpu
from ._track_tables import Tracks, is_table, tracks_of_table, tracks_of_tables


def _refuse_item(row, what, remedy):
    raise InputError(f"strings: item {row} is {what}; {remedy}", option="strings", row=int(row))


def symbols_of(strings):
    """(symbols, offsets) of strings, or of sequences of words."""
    if isinstance(strings, (str, bytes)):
        raise InputError("strings is one string; give a list of them", option="strings")
    if is_table(strings):
        raise InputError("strings is a table; give one of its columns", option="strings")
    if isinstance(strings, dict):
        raise InputError("strings is a dict; give a list of its values", option="strings")
    if isinstance(strings, np.ma.MaskedArray):
        for row in np.flatnonzero(np.ma.getmaskarray(strings)):
            _refuse_item(row, "missing", "leave it out, or give ''")
    items = strings.to_pylist() if hasattr(strings, "to_pylist") else list(strings)
    offsets = np.zeros(len(items) + 1, np.int64)
    if all(isinstance(item, str) for item in items):
        np.cumsum([len(item) for item in items], out=offsets[1:])
        return np.frombuffer("".join(items).encode("utf-32-le", "surrogatepass"), np.uint32), offsets
    for row, item in enumerate(items):
        if item is None or not isinstance(item, str) and str(item) in ("nan", "<NA>"):
            _refuse_item(row, "missing", "leave it out, or give ''")
    numbers = {}
    symbols = []
    for row, item in enumerate(items):
        if isinstance(item, str):
            raise InputError(
                f"strings has strings and sequences of words, the first string is item {row}; give one of the two",
                option="strings",
                row=row,
            )
        if isinstance(item, bytes):
            _refuse_item(row, "bytes", "decode it")
        if not np.iterable(item):
            _refuse_item(row, repr(item), "give a string, or a sequence of words")
        symbols.extend(numbers.setdefault(word, len(numbers)) for word in item)
        offsets[row + 1] = len(symbols)
    return np.array(symbols, np.uint32), offsets


def _positions(row, track):
    """The positions of a track: float64, positions x d."""
    if np.ma.is_masked(track):
        place = tuple(np.argwhere(np.ma.getmaskarray(track))[0].tolist())
        raise InputError(
            f"track {row} has masked values, the first at {_cells.shown(place)}; leave them out", option="tracks", row=row
        )
    try:
        array = np.asarray(track)
        array = array if array.dtype.kind in "mM" else np.asarray(array, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"track {row} holds values that are no numbers; give numbers", option="tracks", row=row) from None
    if array.dtype.kind in "mM":
        raise InputError(f"track {row} holds times; give positions in their order", option="tracks", row=row)
    return array[:, None] if array.ndim == 1 else array


def tracks_of(tracks, run):
    """Tracks of a sequence of arrays, of (arrays, 'geographic'), or of tables; those that were read as they are."""
    if isinstance(tracks, Tracks):
        return tracks
    geographic = isinstance(tracks, tuple) and len(tracks) == 2 and isinstance(tracks[1], str)
    if geographic:
        if tracks[1] != "geographic":
            raise InputError(f"tracks are {tracks[1]!r}; the only word here is 'geographic'", option="tracks")
        tracks = tracks[0]
    elif is_table(tracks):
        return tracks_of_table(tracks, run)
    if isinstance(tracks, dict):
        raise InputError("tracks is a dict; give a list of its values, or a Series, whose index names them", option="tracks")
    ids, tracks = _match.ids_of(tracks), list(tracks)
    if not geographic and tracks and all(is_table(track) for track in tracks):
        return tracks_of_tables(tracks, ids, run)
    arrays = [_positions(row, track) for row, track in enumerate(tracks)]
    dim = arrays[0].shape[-1] if arrays and arrays[0].ndim else 2
    for row, track in enumerate(arrays):
        if track.ndim != 2 or track.shape[1] != dim:
            raise InputError(
                f"track {row} has the shape {track.shape}; it must be (positions, {dim}) as the first", option="tracks", row=row
            )
    offsets = np.zeros(len(arrays) + 1, np.int64)
    np.cumsum([len(track) for track in arrays], out=offsets[1:])
    positions = np.ascontiguousarray(np.concatenate(arrays)) if arrays else np.zeros((0, dim))
    return Tracks(positions, offsets, geographic, ids)


def items_of(source, value, options, run):
    """The library's Dissimilarities."""
    if source == "strings":
        items = _core.Dissimilarities.of_strings(*symbols_of(value), options, run)
    else:
        items = _core.Dissimilarities.of_tracks(*tracks_of(value, run).arrays, options, run)
    if items.gpu is not None:
        used_gpu()
    return items


# Distances need no seed
_RUN = Group("run", without=("threads", "seed"))


_OWN = """
items : sequence of str, of sequences of words, or of arrays of shape (positions, d)
    Strings, texts, trajectories or time series. A tuple (arrays, 'geographic'): latitudes and longitudes in degrees.
    A table of pandas, polars or pyarrow, or a list of one per track: positions with columns as in a file (id, time, lat,
    lon or x, y); its tracks are in the order of their first rows, or ascend if all ids are numbers.
n_jobs : int, optional
    CPU threads; the result does not depend on it.
"""


def _are_tracks(items):
    if isinstance(items, tuple) and len(items) == 2 and isinstance(items[1], str):
        return not isinstance(items[0], str)
    if is_table(items):
        return True
    first = next(iter(items.values() if isinstance(items, dict) else items), None)
    if is_table(first):
        return True
    return first is not None and not isinstance(first, str) and np.asarray(first).dtype.kind in "iufmM"


@with_options(SEQUENCES, _RUN, own=_OWN)
def sequence_distances(items, *, n_jobs=None, **options):
    """Dissimilarities of all pairs of strings or tracks.

    On a GPU those of strings are the same, those of tracks differ by rounding.

    Returns
    -------
    array of shape (n, n), float32
        With ``ids``, names of its rows, where the items have them: the index of a Series, ids of a table of positions.

    Examples
    --------
    >>> import dunlin
    >>> int(dunlin.sequence_distances(["kitten", "sitting"])[0, 1])
    3
    """
    run = Run({"n_jobs": n_jobs, **_RUN.take(options)})
    chosen = SEQUENCES.take(options)
    refuse_unknown("sequence_distances", options, [*SEQUENCES.names(), *_RUN.names(), "n_jobs"])
    with translating(SEQUENCES, RUN):
        if _are_tracks(items):
            tracks = tracks_of(items, run.core())
            found, ids = _core.track_distances(*tracks.arrays, chosen, run.core()), tracks.ids
        else:
            found, ids = _core.string_distances(*symbols_of(items), chosen, run.core()), _match.ids_of(items)
    if str(run.device).startswith("cuda"):
        used_gpu()
    return _match.Named.of(found, ids)
