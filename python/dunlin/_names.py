# SPDX-License-Identifier: Apache-2.0
"""group_names(), rank_features()."""

import os

import numpy as np

from . import _cells, _core, _device, _intake, _labels, _match, _results, _sparse
from ._errors import InputError, OptionError
from ._group_tree import GroupTree
from ._groups import NAMING, known_names
from ._kinds import columns_of, is_anndata, utf8_each
from ._named import Named
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished, say

_SAME = (
    "the groups were found in the columns that name them, which differ between the groups by construction: their p-values are no "
    "evidence that the groups exist"
)


class GroupNames(_results.Result):
    """Of group_names(): ``names`` of the groups of ``tree``, which has them too; ``label``, ``purity`` of the groups, by labels."""

    def terms(self, group):
        """The words that set a group apart, the best first: a list of (word, score, z, count)."""
        return self._listed("_terms", group, "term", ("score", "z", "count"))

    def features(self, group):
        """The columns that set a group apart, the farthest from an AUC of a half first: a list of dicts with ``column``, ``auc``,
        ``z``, ``difference`` of the means, ``effect`` (over the pooled standard deviation), ``fold`` (log2), ``p``, ``adjusted``."""
        rows = ("auc", "z", "difference", "effect", "fold", "p", "adjusted")
        return [dict(zip(("column", *rows), row)) for row in self._listed("_features", group, "column", rows)]

    def of_labels(self, labels, layer=0):
        """{label: name} of labels that are the groups of a layer."""
        labels = np.asarray(labels)
        return {labels[p].item(): self.names[g] for p, g in _first_of_each(labels, self.tree, layer)}

    def _listed(self, what, group, key, members):
        lists = self.__dict__.get(what)
        if lists is None:
            raise InputError(f"groups are not named by {'words' if what == '_terms' else 'features'}; there are none", option=key)
        rows = slice(*lists["offsets"][group : group + 2])
        return list(zip((self._words[i] for i in lists[key][rows]), *(lists[name][rows].tolist() for name in members)))


def _first_of_each(labels, tree, layer):
    """(first point, group of the layer) for each label that is not below 0."""
    placed = tree.labels(layer)
    for label, p in zip(*np.unique(labels, return_index=True)):
        if not (isinstance(label, (int, np.integer)) and label < 0) and placed[p] >= 0:
            yield p, tree.layers[layer][placed[p]]


def _tree_of(groups):
    """(a GroupTree, the names of its points) of what has groups."""
    if isinstance(groups, GroupTree):
        return groups, None
    tree = getattr(groups, "tree", None)
    if isinstance(tree, GroupTree):
        ids = getattr(groups, "nodes", None)
        return tree, _match.ids_of(groups) if ids is None else list(ids)
    ids = _match.ids_of(groups)
    if not isinstance(groups, np.ndarray) and hasattr(groups, "labels"):
        groups = groups.labels
    groups = _device.host(groups) if _device.is_on_gpu(groups) else groups
    codes = np.asarray(groups)
    if codes.dtype.kind not in "iu":
        codes, _ = _labels.labels(groups, len(codes))
    return GroupTree(_core.tree_of_levels([np.ascontiguousarray(codes, np.int32)])), ids


def _texts(texts, of):
    if isinstance(texts, (str, os.PathLike)):
        words, ids, notes = _core.text_column(os.fspath(texts))
        for what, _ in notes:
            say(f"texts: {what}")
        texts = Named.of(np.array(words, dtype=object), ids or None)
    taken = _match.labels(texts, of, "texts")
    taken = taken.tolist() if hasattr(taken, "tolist") else list(taken)
    if len(taken) != of.count:
        raise InputError(f"texts has {len(taken)} texts; it must have {of.count}, one per point", option="texts")
    return utf8_each(["" if _cells.is_missing(each) or each != each else str(each) for each in taken], "texts")


def _rows(X, of, name, run, offsets="subtract"):
    """(what the binding takes as rows, names of the columns or None) of an array, a table, a sparse matrix or AnnData."""
    columns = _match.columns_of(X)
    X = _match.table(X, of, name, X.X if is_anndata(X) else None)
    if _sparse.is_sparse(X):
        return _sparse.SparseRows(X).arrays, columns
    return _intake.points(X, run, name=name, offsets=offsets).values, columns


def _counts(counts, of, run):
    rows, columns = _rows(counts, of, "counts", run, "keep")
    if isinstance(rows, tuple):
        return rows, columns
    import scipy.sparse

    return _sparse.SparseRows(scipy.sparse.csr_matrix(rows)).arrays, columns


def _are_of(groups, features):
    """Whether density clusters were found in these columns."""
    given = getattr(groups, "_given", None)
    if given is None or getattr(features, "shape", None) != given.shape or _sparse.is_sparse(features):
        return False
    return bool(np.array_equal(np.asarray(features), given, equal_nan=given.dtype.kind == "f"))


def _width(rows):
    return rows[3] if isinstance(rows, tuple) else rows.shape[1]


def _words_for(words, columns, width, name):
    if words is None:
        words = [f"x{c + 1}" for c in range(width)] if columns is None else columns
    words = utf8_each([str(word) for word in words], name)
    if len(words) != width:
        raise InputError(f"words has {len(words)} words; {name} has {width} columns, one for each", option="words")
    return words


@with_options(
    NAMING,
    RUN,
    own="""
groups : GroupTree, result of clusters(), leiden(), kmeans() or the like, or array of shape (n,)
    Groups of points; an array has a label per point, below 0: none.
texts : sequence of str, Series or 'FILE:COLUMN', optional
    A text per point. Words of two or more letters count, and pairs of adjacent ones.
counts : array or sparse matrix of shape (n, m), table or AnnData, optional
    How often each point has each word, in place of texts.
words : sequence of str, optional
    Names of the columns of counts or features; default: those that they have.
features : array or sparse matrix of shape (n, m), table or AnnData, optional
    Columns that may set groups apart.
labels : sequence of shape (n,), optional
    Labels of the points, by which groups are called.
stop_words : sequence of str, optional
    Words of texts that do not count.
"""
    + OWN,
)
def group_names(
    groups,
    *,
    texts=None,
    counts=None,
    words=None,
    features=None,
    labels=None,
    stop_words=(),
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """What groups are called, without a model: by the words of their texts, by columns that set them apart ("CD3E high, MS4A1
    low"), or by labels. Give one of texts, counts, features and labels. Where both have names of rows, these are matched.

    The names are also set as ``names`` of the tree, and as ``names`` of a result, one per cluster. Columns in which the groups were
    found differ between them by construction: then p-values are no evidence that the groups exist.

    Returns
    -------
    GroupNames
        ``names``, one per group of ``tree``; ``terms(group)`` or ``features(group)`` with the scores; ``purity``.

    Examples
    --------
    >>> import dunlin
    >>> texts = ["red fox"] * 40 + ["brown bear"] * 40
    >>> found = dunlin.group_names([0] * 40 + [1] * 40, texts=texts, terms=1)
    >>> found.names
    ['All', 'red fox', 'brown bear']
    """
    own = ("texts", "counts", "words", "features", "labels", "stop_words")
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks)
    chosen = NAMING.take(options)
    refuse_unknown("group_names", options, known_names(NAMING, own=own))
    given = {"texts": texts, "counts": counts, "features": features, "labels": labels}
    present = [name for name, value in given.items() if value is not None]
    if len(present) != 1:
        raise OptionError(
            "give one of texts, counts, features and labels", option=present[1] if present else "texts"
        )
    if isinstance(groups, (list, tuple)):
        groups = np.asarray(groups)
    tree, ids = _tree_of(groups)
    of = _match.Rows("groups", len(tree.home), ids)
    with translating(NAMING, RUN):
        if texts is not None:
            found, words = _by_texts(tree, _texts(texts, of), stop_words, chosen, run)
        elif counts is not None:
            rows, columns = _counts(counts, of, run)
            words = _words_for(words, columns, _width(rows), "counts")
            found = _core.name_by_words(tree.__dict__, rows, words, chosen, run.core(), run.callback())
        elif features is not None:
            rows, columns = _rows(features, of, "features", run, "keep" if chosen.get("log1p") else "subtract")
            if _are_of(groups, features):
                say(_SAME)
            words = _words_for(words, columns, _width(rows), "features")
            found = _core.name_by_columns(tree.__dict__, rows, words, chosen, run.core(), run.callback())
        else:
            codes, names = _labels.labels(_match.labels(labels, of), of.count)
            found = _core.name_by_labels(tree.__dict__, codes, names, run.core(), run.callback())
            words = names
        return finished(found, lambda values: _named(values, groups, tree, words))


def _by_texts(tree, texts, stop_words, chosen, run):
    stop_words = [word.lower() for word in _cells.names_in(list(stop_words), "stop_words")]
    least = chosen.get("min_texts")
    counted = _core.count_words(texts, stop_words, 2, 3 if least is None else least, run.core(), run.callback())
    rows, words = finished(counted, lambda pair: pair)
    return _core.name_by_words(tree.__dict__, rows, words, chosen, run.core(), run.callback()), words


def _named(values, groups, tree, words):
    tree.names = values["names"]
    if hasattr(groups, "labels") and not isinstance(groups, (np.ndarray, GroupTree)):
        labels = _device.host(groups.labels) if _device.is_on_gpu(groups.labels) else np.asarray(groups.labels)
        layer = len(tree.layers) - 1 if hasattr(groups, "levels") else 0
        groups.names = [tree.names[g] for _, g in _first_of_each(labels, tree, layer)] if len(tree.layers) else []
        groups._tree_names = tree.names
    if "label" in values:
        values["label"] = [words[code] if code >= 0 else None for code in values["label"]]
    lists = {f"_{name}": values.pop(name) for name in ("terms", "features") if name in values}
    return GroupNames({**values, **lists, "tree": tree, "_words": words}, NAMING)


class RankedFeatures(_results.Result):
    """Of rank_features(): ``groups``, and per group and rank ``names`` of the columns, ``scores`` (z of the rank sum), ``pvals``,
    ``pvals_adj``, ``logfoldchanges`` (NaN unless the values are log1p), ``aucs``, ``differences`` of the means, ``effects``."""

    def frame(self, group):
        """The columns of a group as a table of pandas."""
        import pandas

        row = self.groups.index(group)
        return pandas.DataFrame({name: self.__dict__[name][row] for name in ("names", *_RANKED)})


# As they are called here, and in the library
_RANKED = {
    "scores": "z",
    "pvals": "p",
    "pvals_adj": "adjusted",
    "logfoldchanges": "fold",
    "aucs": "auc",
    "differences": "difference",
    "effects": "effect",
}


@with_options(
    RUN,
    own="""
X : array or sparse matrix of shape (n, m), table or AnnData
    Columns that may set groups apart; of AnnData ``raw`` where it is there, as scanpy takes it.
groups : sequence of shape (n,), or key of obs
    The group of each row.
n_features : int, optional
    How many columns per group, those of the largest z; default: all.
log1p : bool, optional
    Whether the values are log(1 + x), so that fold changes are defined; default: of AnnData whether uns says so, else not.
layer : str, optional
    Of AnnData the layer in place of X.
use_raw : bool, optional
    Of AnnData whether ``raw`` is taken; default: where it is there, and no layer is given.
key_added : str, default 'rank_genes_groups'
    Of AnnData the key of uns, which gets what scanpy's function of this name writes.
"""
    + OWN,
)
def rank_features(
    X,
    groups,
    *,
    n_features=None,
    log1p=None,
    layer=None,
    use_raw=None,
    key_added="rank_genes_groups",
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """The columns that set each group apart from all other rows, by the rank sums of Wilcoxon, Mann and Whitney, ties taken into
    account, in double. p is two-sided, by the normal approximation, and adjusted for the number of columns (Benjamini and
    Hochberg). For clusters that were found in the same columns p is no evidence that they exist.

    Returns
    -------
    RankedFeatures

    Examples
    --------
    >>> import dunlin
    >>> found = dunlin.rank_features([[0, 1], [0, 2], [5, 1], [6, 2]], ["a", "a", "b", "b"])
    >>> found.groups, found.names[:, 0].tolist()
    (['a', 'b'], ['x2', 'x1'])
    """
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks)
    refuse_unknown("rank_features", options, known_names(own=("n_features", "log1p", "layer", "use_raw", "key_added")))
    values, columns, raw = _expression(X, layer, use_raw)
    labels, key = (X.obs[groups], groups) if is_anndata(X) and isinstance(groups, str) else (groups, None)
    of = _match.rows_of(X)
    codes, names = _labels.labels(_match.labels(labels, of, "groups"), of.count)
    categories = getattr(getattr(labels, "dtype", None), "categories", None)
    if log1p is None:
        log1p = is_anndata(X) and "log1p" in X.uns
    rows, own = _rows(values, None, "X", run, "keep" if log1p else "subtract")
    width = _width(rows)
    words = _words_for(None, own if columns is None else columns, width, "X")
    tree = GroupTree(_core.tree_of_levels([codes]))
    chosen = {"against": "rest", "order": "high", "log1p": bool(log1p)}
    chosen["listed"] = max(width, 1) if n_features is None else min(int(n_features), max(width, 1))
    if len(np.unique(codes[codes >= 0])) < 2 and (codes >= 0).all():
        raise InputError("groups has one group; there must be two or more to compare", option="groups")
    with translating(NAMING, RUN):
        found = _core.name_by_columns(tree.__dict__, rows, words, chosen, run.core(), run.callback())
        ranked = finished(found, lambda values: _ranked(values, codes, names, categories, tree, words))
    if is_anndata(X):
        X.uns[key_added] = _as_scanpy(ranked, {"groupby": key, "use_raw": raw, "layer": layer})
    return ranked


def _expression(X, layer, use_raw):
    """(the values of AnnData, the names of its columns, whether they are those of raw); of others X itself."""
    if not is_anndata(X):
        for name, value in (("layer", layer), ("use_raw", use_raw)):
            if value is not None:
                raise InputError(f"{name} is {value!r}, but X is no AnnData", option=name)
        return X, None, False
    raw = X.raw is not None and layer is None if use_raw is None else bool(use_raw)
    if raw and X.raw is None:
        raise InputError("use_raw is True, but the AnnData has no raw", option="use_raw")
    if raw and layer is not None:
        raise InputError(f"layer is {layer!r} and use_raw True; give one of them", option="layer")
    source = X.raw if raw else X
    return (X.layers[layer] if layer is not None else source.X), list(map(str, source.var_names)), raw


def _ranked(values, codes, names, categories, tree, words):
    lists, offsets = values.pop("features"), None
    offsets = lists["offsets"]
    of_code = {codes[p]: g for p, g in _first_of_each(codes, tree, 0)}
    order = [code for code in range(len(names)) if code in of_code]
    if categories is not None:
        place = {str(category): i for i, category in enumerate(categories)}
        order.sort(key=lambda code: place.get(names[code], len(place)))
    rows = [np.arange(offsets[of_code[code]], offsets[of_code[code] + 1]) for code in order]
    least = min((len(each) for each in rows), default=0)
    take = np.array([each[:least] for each in rows], int).reshape(len(rows), least)
    values.pop("names")
    arrays = {name: lists[member][take] for name, member in _RANKED.items()}
    columns = np.array(words, object)[lists["column"][take]]
    return RankedFeatures({"groups": [names[code] for code in order], "names": columns, **arrays, **values}, NAMING)


def _as_scanpy(ranked, params):
    kinds = {"names": "O", "scores": "f4", "pvals": "f8", "pvals_adj": "f8", "logfoldchanges": "f4"}
    params = {**params, "reference": "rest", "method": "wilcoxon", "corr_method": "benjamini-hochberg"}
    record = {"params": params}
    for name, kind in kinds.items():
        table = ranked.__dict__[name]
        array = np.empty(table.shape[1], [(group, kind) for group in ranked.groups])
        for group, row in zip(ranked.groups, table):
            array[group] = row
        record[name] = array.view(np.recarray)
    return record
