# SPDX-License-Identifier: Apache-2.0
"""GroupTree: a hierarchy of groups of points."""

import os

import numpy as np

from . import _core


class GroupTree:
    """A hierarchy of groups, numbered in preorder: group a holds point p if ``a <= home[p] < end[a]``.

    Per group: ``parent`` (-1: the root), ``end``, ``size``, ``least`` (its first point), ``birth`` and ``death`` (levels, here
    distances, between which it is there), ``stability``, ``persistence``, ``number`` (by which results call it; -1: they do not).
    Per point: ``home``, its deepest group (-1: takes no
    part), and ``leaves_at``, the level at which it leaves it. ``layers``: groups of each layer, the finest first. ``names``: one
    per group, after group_names(), or None.
    """

    names = None

    def __init__(self, arrays):
        self.__dict__.update(arrays)

    def __len__(self):
        return len(self.parent)

    def __repr__(self):
        return f"GroupTree({len(self)} groups of {len(self.home)} points, {len(self.layers)} layers)"

    def contains(self, group, point):
        """Whether a group holds a point, or points."""
        home = self.home[point]
        return (group <= home) & (home < self.end[group])

    def children(self, group):
        """The children of a group."""
        return np.flatnonzero(self.parent == group)

    def labels(self, layer=0):
        """For each point the number of its group among those of a layer; -1: of none."""
        of_group = np.full(len(self) + 1, -1, np.int32)  # the last is that of home -1
        for label, group in enumerate(self.layers[layer]):
            of_group[group : self.end[group]] = label
        return of_group[self.home]

    def label_layers(self, missing="Unlabelled"):
        """The groups' names in each layer, or their numbers, as datamapplot takes them."""
        named = self.names if self.names is not None else [""] * len(self)
        numbers = self.__dict__.get("number", np.full(len(self), -1))  # trees of earlier releases have none
        names = [
            np.array([*(named[g] or str(numbers[g] if numbers[g] >= 0 else i) for i, g in enumerate(layer)), missing], object)
            for layer in self.layers
        ]
        return [words[self.labels(number)].astype(str) for number, words in enumerate(names)]

    def save(self, path, ids=None):
        """Write the tree: ``.json`` (members of each group, home of each point), ``.csv`` or ``.tsv`` (a row per group) or ``.nwk``
        (Newick, of groups only). ids: a name for each point, in ``.json``."""
        names = [] if ids is None else [str(each) for each in ids]
        _core.save_tree(self.__dict__, os.fspath(path), names)
