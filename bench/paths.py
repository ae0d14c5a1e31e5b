# SPDX-License-Identifier: Apache-2.0
"""All shortest paths of an unweighted graph as a matrix of dissimilarities: paths.py GRAPH.mtx.xz MATRIX.npy."""

import lzma
import sys

import numpy
from scipy.io import mmread
from scipy.sparse.csgraph import shortest_path

with lzma.open(sys.argv[1]) as file:
    graph = mmread(file).tocsr()
graph.data[:] = 1
numpy.save(sys.argv[2], shortest_path(graph, directed=False, unweighted=True).astype(numpy.float32))
