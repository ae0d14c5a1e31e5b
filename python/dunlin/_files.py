# SPDX-License-Identifier: Apache-2.0
"""read(), write(): the formats of the library's readers and writers."""

import copy
import os
import warnings
from numbers import Integral, Real

import numpy as np

from . import _cells, _core, _graphs, _intake, _match, _results, _sparse
from ._errors import InputError, OptionError
from ._frames import Frame, in_double
from ._groups import READ, READ_GRAPH, known_names
from ._kinds import path_of, utf8_each
from ._options import refuse_unknown, translating, with_options
from ._plots import Plotted
from ._run import OWN, RUN, Run, finished, say

_ANNOTATED = (".h5ad", ".h5", ".hdf5")  # may have several maps
_DRAWINGS = (".dot", ".gv", ".graphml", ".gexf", ".json")
_READ_OF = {
    "points": ("labels", "ids", "transpose", "decimal", "array", "columns", "drop_rows_with_gaps", "fill"),
    "documents": ("labels", "ids", "transpose", "decimal", "array", "text"),
    "dissimilarities": ("decimal", "array"),
    "graph": ("labels", "decimal", "weights_from", "graph", "header"),
}


class PointsFile(Plotted, _intake.Points):
    """Of read(): points of a file, which every function takes as they were read.

    ``values``: n x d, float32, less ``shift`` (float64, or None); np.asarray has both added, of a map to the digit. ``labels``: a class per row (None
    where the file has none), or None; ``ids``, ``columns``: names, or None; ``holds``, ``kind``: what was read; ``notes``: what was guessed.
    """

    def __init__(self, found, holds):
        values, shift, self._places = found["values"], found.get("shift"), None
        if values.dtype == np.float64:  # a map far from zero
            frame, self._places = Frame(), values
            values, shift = frame.taken(values, "map"), frame.origin
        super().__init__(values, shift, found.get("columns"), found["ids"])
        self.labels = _match.Named.of(_labels_of(found.get("labels")), self.ids)
        self.holds, self.kind, self.notes = holds, found.get("kind"), found["notes"]

    @property
    def shape(self):
        return self.values.shape

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        array = self.restored(self.values) if self._places is None else self._places
        if dtype is not None and dtype != array.dtype:
            return array.astype(dtype)
        return array.copy() if copy and (array is self.values or array is self._places) else array

    def __repr__(self):
        return f"PointsFile({self.kind or self.holds}, {self.shape[0]} x {self.shape[1]})"


class GraphFile(_graphs.GraphData):
    """Of read(): the graph of a file, undirected and simple, which layout() takes; its nodes are the file's names.

    ``labels``: a class per node, or None; ``start``: positions in the file, or None; ``pinned``: nodes that the file
    fixes there; ``titles``: what pictures have beside nodes where it is not their names, or None; ``directed``, ``weighted``, ``kind``;
    ``notes``, ``warnings``: what was guessed or is suspicious.
    """

    def __init__(self, found, again=None):
        csr = found["graph"]
        nodes = found["ids"] or range(len(csr[0]) - 1)
        super().__init__(csr, nodes, "file")
        self.labels, self.start = _match.Named.of(_labels_of(found["labels"]), found["ids"]), found["start"]
        pinned = found["pinned"]
        self.titles = found["names"] or None
        self.pinned = [] if pinned is None else [node for node, held in zip(self.nodes, pinned) if held]
        self.directed, self.weighted, self.kind_of_file = found["directed"], found["weighted"], found["kind"]
        self.notes, self.warnings, self._network = found["notes"], found["warnings"], found["network"]
        self._again = again  # reads the file with weights that are lengths

    def of_lengths(self):
        """The graph with its weights as lengths: of edges between two nodes the least counts, and a column or attribute with
        a usual name of lengths is read if the file was read without weights."""
        if self._network is None or not self.weighted and self._again is None:
            return self
        other = copy.copy(self)
        if self.weighted:
            other.csr = _core.joined(self._network, True)
            return other
        found = self._again()
        return GraphFile(found) if found["weighted"] else self

    def __len__(self):
        return self.size

    def __getstate__(self):
        # The attributes of the file are not pickled; write() then has those of a graph without a file
        return {**self.__dict__, "_network": None, "_again": None}

    def __repr__(self):
        return f"GraphFile({self.kind_of_file}, {self.size} nodes, {len(self.csr[1]) // 2} edges)"


def _labels_of(found):
    if found is None:
        return None
    codes, names = found
    classes = np.array(names, dtype=None if names else str)
    if names and all(name.isdecimal() and str(int(name)) == name for name in names):
        classes = np.array([int(name) for name in names])  # in this order functions draw and list them
    if (codes >= 0).all():
        return classes[codes]
    some = np.full(len(codes), None, object)
    some[codes >= 0] = classes[codes[codes >= 0]]
    return some


@with_options(
    READ,
    READ_GRAPH,
    RUN,
    own="""
path : str or path
    The file; .gz and .xz are unpacked.
"""
    + OWN,
)
def read(path, *, verbose=0, callbacks=None, n_jobs=None, **options):
    """Points, a graph or dissimilarities of a file, in any format of docs/formats.md.

    ``holds`` may also be 'map': a map that the library or another program wrote, also in obsm of an .h5ad, where ``array`` names
    one of several.

    Returns
    -------
    PointsFile, GraphFile, or an array of dissimilarities
        PointsFile for points, documents and maps, which functions take as it is: with the bytes of the command. It, its
        labels and dissimilarities have the names of the file's rows (``ids``), by which functions match them.

    Examples
    --------
    >>> import dunlin, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.csv"), "w") as file:
    ...     _ = file.write("x,y,kind\\n1,2,a\\n3,4,b\\n5,7,a\\n")
    >>> points = dunlin.read(os.path.join(folder, "a.csv"), labels="kind")
    >>> points.shape, points.labels.tolist()
    ((3, 2), ['a', 'b', 'a'])
    """
    known = known_names(READ, READ_GRAPH, own=())
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks)
    chosen = _in_words(READ.take(options))
    of_graphs = READ_GRAPH.take(options)
    refuse_unknown("read", options, known)
    path = path_of(path)
    holds = chosen.pop("holds", None) or "auto"
    with translating(READ, READ_GRAPH, RUN):
        if holds == "auto":
            holds, _, _, raised = _core.guess(path, chosen, run.on_cpu())
            if raised is not None:
                raise raised
        if holds == "map":
            _refuse_unread({**chosen, **of_graphs}, holds, ("array",) if path.lower().endswith(_ANNOTATED) else ())
            array = chosen.get("array")
            place = f"{path}:{array}" if array else path
            return finished(_core.read_map(place, run.on_cpu()), lambda found: PointsFile(found, holds))
        if holds not in _READ_OF:
            raise InputError(f"holds is {holds!r}; it must be 'auto', 'map', {_quoted(_READ_OF)}", option="holds")
        _refuse_unread({**chosen, **of_graphs}, holds, _READ_OF[holds])
        chosen = {name: value for name, value in chosen.items() if name in _READ_OF[holds]}
        call = run.on_cpu(), run.callback()
        if holds == "graph":
            wanted = {name: value for name, value in {**chosen, **of_graphs}.items()}
            again = None
            if wanted.get("weights_from") is None:
                path = os.path.abspath(path)
                again = lambda: finished(_core.read_network(path, wanted, *call, True), dict)  # noqa: E731
            return finished(_core.read_network(path, wanted, *call), lambda found: GraphFile(found, again))
        chosen["holds"] = holds
        if holds == "dissimilarities":
            return finished(_core.read_square(path, chosen, *call), lambda found: _match.Named.of(found["values"], found["ids"]))
        return finished(_core.read_points(path, chosen, *call), lambda found: PointsFile(found, holds))


def _in_words(chosen):
    """The options of read() with numbers and lists as the words that files' readers take."""
    fill, columns = chosen.get("fill"), chosen.get("columns")
    if fill is not None and not isinstance(fill, str):
        if not isinstance(fill, Real) or isinstance(fill, bool) or not np.isfinite(fill):
            raise OptionError(f"fill is {fill!r}; it must be 'mean', 'median' or a finite number", option="fill")
        chosen["fill"] = str(int(fill)) if fill == int(fill) and abs(fill) < 2**53 else repr(float(fill))
    if columns is not None and not isinstance(columns, str):
        if not hasattr(columns, "__iter__") or isinstance(columns, (bytes, dict)):
            raise OptionError(f"columns is {columns!r}; it must be a str, or a list of names or numbers from 1", option="columns")
        chosen["columns"] = ",".join(map(_column, columns))
        if not chosen["columns"]:
            raise OptionError("columns has no column; leave it out for all of them", option="columns")
    return chosen


def _column(column):
    """A name, or a number from 1, as a word of a list with commas."""
    if isinstance(column, Integral) and not isinstance(column, bool) and column > 0:
        return str(int(column))
    if not isinstance(column, str) or not column:
        raise OptionError(f"columns has {column!r}; it must be a list of names or numbers from 1", option="columns")
    if "," in column:
        raise OptionError(f"columns has {column!r}, a name with a comma; give the column's number from 1", option="columns")
    return column


def documents(texts):
    """Texts as points: a row of length 1 per text and a column per word, weighed by TF-IDF, as read() makes them of a folder.

    Parameters
    ----------
    texts : sequence of str
        A list, an array or a column of texts. Words of one text alone are left out, and of more than 10,000 the rarest.

    Returns
    -------
    PointsFile
        Points that functions take as they are; ``columns``: the words, ``ids``: names of the rows of a Series.

    Examples
    --------
    >>> import dunlin
    >>> dunlin.documents(["the red fox", "a red bird", "the bird sings"]).columns
    ['the', 'red', 'bird']
    """
    ids = _match.ids_of(texts)
    words = list(texts) if not isinstance(texts, str) else None
    if words is None or not all(isinstance(text, str) for text in words):
        wrong = "one str" if words is None else f"{next(text for text in words if not isinstance(text, str))!r} among them"
        raise OptionError(f"texts must be a sequence of str, and has {wrong}", option="texts")
    if not words:
        raise InputError("texts is empty; give a text per point", option="texts")
    found = _core.documents(utf8_each(words, "texts"))
    return PointsFile({**found, "ids": None if ids is None else list(ids)}, "documents")


def _quoted(words):
    return ", ".join(repr(word) for word in words)


def _refuse_unread(given, holds, read):
    for name, value in given.items():
        if name not in read and value not in (None, "", False, 0, "auto"):
            raise InputError(f"{name} is {value!r}, but a file that holds {holds} is read without it", option=name)


def write(path, obj, *, ids=None, labels=None, spreadsheet_safe=False):
    """Writes a result, points or a graph in the format of the extension; the file is complete or unchanged.

    Parameters
    ----------
    path : str or path
        Maps, and arrays of rows: .csv, .tsv, .npy, .json. Points of read(): .csv, .tsv, .npy, in their own units,
        with the names of columns.
        Neighbors and sparse matrices: .npz, .mtx, .csv, .tsv. Clusters: .csv, .tsv, .npy. Drawings of layout(): also
        .dot, .gv, .graphml, .gexf, and .json with the edges, undirected and simple: a warning says what the graph had beyond.
        Pictures: as they were drawn.
    obj : result, array, sparse matrix, or what read() returned
        Arrays are written as float32, maps far from zero in double.
    ids, labels : sequence, optional
        A name and a class per row (None, NaN, pandas.NA, a mask: none), in maps; ids also of clusters. Default: names of rows
        that the result has. Both are matched with these where they have names of rows, as a Series has.
    spreadsheet_safe : bool
        Puts ' before texts in .csv and .tsv that a spreadsheet would run as formulas, such as =1+1; read() takes it off.
    """
    before = _core.write_spreadsheet_safe(bool(spreadsheet_safe))
    try:
        _write(path, obj, ids, labels)
    finally:
        _core.write_spreadsheet_safe(before)


def _write(path, obj, ids, labels):
    path = path_of(path)
    extension = os.path.splitext(path)[1].lower()
    ids = None if ids is None else _match.names(ids, _match.rows_of(obj, "obj"))
    of = _match.rows_of(obj, "obj", ids)
    names = _names(ids, of)
    if isinstance(obj, _results.Picture):
        _refuse_names(ids, labels, "a picture")
        if extension != "." + obj.format:
            raise InputError(f"path is {path!r}; the picture is drawn as .{obj.format}", option="path")
        return obj.save(path)
    if isinstance(obj, _results.NeighborsResult) or _sparse.is_sparse(obj):
        _refuse_names(ids, labels, "a graph of neighbors")
        return _core.write_graph(path, _intake.csr_of(obj, name="obj", sums=True))
    if isinstance(obj, (_results.KMeansResult, _results.KMedoidsResult, _results.MixtureResult, _results.Assignment)):
        if labels is not None:
            raise InputError("labels are those of the clusters; leave them out", option="labels")
        return _core.write_clusters(path, np.ascontiguousarray(obj.labels, np.int32), names)
    if isinstance(obj, PointsFile):
        _refuse_names(ids, labels, "points of a file")
        if obj.ids is not None or obj.labels is not None:
            warnings.warn("ids and labels are not written with points", stacklevel=2)
        return _core.write_points(path, obj.values, obj.shift, obj.columns or [])
    if isinstance(obj, _results.Layout) and extension in _DRAWINGS and ids is None and labels is None:
        graph = obj.graph
        network = getattr(graph, "_network", None)
        if network is None:
            known = [] if isinstance(graph.nodes, range) else _different(graph.nodes)
            _say_what_is_lost(graph, extension)
            network = _core.network_of(graph.csr, known)
        return _core.write_network(path, network, np.ascontiguousarray(obj.pos))
    if isinstance(obj, _graphs.GraphData):
        raise OptionError("obj is a graph without a map; write the result of layout()", option="obj")
    map = in_double(np.asarray(obj) if isinstance(obj, _results.Layout) else obj, "obj")
    if map.ndim != 2:
        raise InputError(f"obj has the shape {map.shape}; it must be (n, d)", option="obj")
    codes, classes = (None, []) if labels is None else _intake.labels(_match.labels(labels, of), len(map))
    _core.write_map(path, map, names, codes, classes)


def _different(nodes):
    """The names of the nodes of a drawing as text; two nodes may not have one."""
    node_of = {}
    for node in nodes:
        other = node_of.setdefault(str(node), node)
        if other is not node:
            raise InputError(
                f"the nodes {other!r} and {node!r} have one name in a file, {str(node)!r}; rename one of them", option="obj"
            )
    return utf8_each(list(node_of), "obj")


def _say_what_is_lost(graph, extension):
    """Of a graph that was made undirected and simple."""
    lost = ["the directions of its edges"] if graph.directed else []
    lost += [f"parallel edges ({graph.joined})"] if graph.joined else []
    lost += [f"edges from a node to itself ({graph.loops})"] if graph.loops else []
    if lost:
        say(f"the graph is written undirected and simple, as it was drawn: the {extension} file lacks {', '.join(lost)}")


def _names(ids, of):
    """The names to write: those given, else those of the rows where they do not only count."""
    if ids is None:
        ids = [] if of is None or of.ids is None or of.only_count else of.ids
    return _cells.names_in(ids, "ids")


def _refuse_names(ids, labels, what):
    for name, value in (("ids", ids), ("labels", labels)):
        if value is not None:
            raise InputError(f"{name} cannot be written with {what}", option=name)
