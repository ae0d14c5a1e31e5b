# SPDX-License-Identifier: Apache-2.0
"""What a run over shards computes: the library's k-means, its mixtures of Gaussians, or its exact neighbors.

``metric``: of the shards. ``offsets``: what is subtracted from the columns of rows that are no float32, as in one process.
"""

import numpy as np

from .. import _intake
from .._errors import InputError
from .lists import BLOCK


class ClusterMethod:
    """k-means. ``centers``: given ones, or None; ``up_to``, ``criterion``: the choice of the number of clusters."""

    name, function = "k-means", "kmeans"  # function: of one process

    def __init__(self, options, centers=None, up_to=None, criterion=None):
        self.options, self.centers, self.up_to, self.criterion = options, centers, up_to, criterion
        self.metric = options["metric"]
        self.offsets = "subtract" if self.metric == "euclidean" else "keep"
        self.most = up_to or options["clusters"]

    def width(self, cols):
        """Numbers of an answer, in rows of the points."""
        return self.most

    def header(self):
        """What must agree for a checkpoint to be of this run."""
        return {
            "options": self.options,
            "centers": None if self.centers is None else np.asarray(self.centers).tolist(),
            "up_to": self.up_to,
            "criterion": self.criterion,
        }

    def bytes_of_shard(self, core, n, cols, weighted, chunks, threads):
        return core.bytes_of_shard(n, cols, weighted, chunks, self.most, threads)

    def over(self, core, ask, n, cols, weighted, shift, run, callback, **driving):
        return core.kmeans_over(
            ask,
            n,
            cols,
            weighted,
            self._centers(cols, shift),
            self.options,
            run,
            callback,
            up_to=self.up_to or 0,
            criterion=self.criterion or "bic",
            **driving,
        )

    def _centers(self, cols, shift):
        """Given ones, less the shift of the points."""
        if self.centers is None:
            return None
        centers = _intake.dense(self.centers, "init").astype(np.float64)
        wanted = (self.options["clusters"], cols)
        if centers.shape != wanted:
            raise InputError(f"init has the shape {centers.shape}; it must be {wanted}", option="init")
        return np.ascontiguousarray(centers if shift is None else centers - shift, np.float32)


class MixtureMethod:
    """A mixture of Gaussians."""

    name, function, metric, offsets = "a mixture", "mixture", "euclidean", "subtract"

    def __init__(self, options):
        self.options = options

    def width(self, cols):
        wide = 2 if self.options["covariance"] == "diagonal" else cols // 2 + 2
        return self.options["components"] * wide

    def header(self):
        return {"options": self.options}

    def bytes_of_shard(self, core, n, cols, weighted, chunks, threads):
        return core.bytes_of_mixture_shard(n, cols, chunks, self.options, threads)

    def over(self, core, ask, n, cols, weighted, shift, run, callback, **driving):
        return core.mixture_over(ask, n, cols, self.options, run, callback, **driving)


class NeighborsMethod:
    """Exact neighbors of all rows. ``lists``: lists.Lists, which gets them."""

    name, function, metric = "a search for neighbors", "neighbors", "euclidean"

    def __init__(self, options, lists):
        self.options, self.lists = options, lists
        self.offsets = _intake.offsets_of(options.get("metric") or "euclidean")

    def width(self, cols):
        """A chunk answers with 16 bytes for each neighbor of a block of rows; its rows have 4 bytes a number."""
        return max(1, BLOCK * (self.options["k"] + 1) * 4 // (8 * cols))

    def header(self):
        return {"neighbors": self.options}

    def bytes_of_shard(self, core, n, cols, weighted, chunks, threads):
        """Rows, the answer to a block for each chunk that is on its way, and the workspace of a search among them."""
        answers = chunks * BLOCK * (self.options["k"] + 1) * 16
        return core.bytes_of_shard(n, cols, weighted, chunks, 1, threads) + answers + 4 * n * cols // max(chunks, 1)

    def over(self, core, ask, n, cols, weighted, shift, run, callback, chunk_rows, epoch, on_checkpoint, resume, **_):
        found = self.lists.begin(n, epoch, resume, on_checkpoint)
        how = {"chunk_rows": chunk_rows, "epoch": epoch, "found": found}
        return core.neighbors_over(ask, n, cols, self.options, run, callback, self.lists.add, **how)
