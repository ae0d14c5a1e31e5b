# SPDX-License-Identifier: Apache-2.0
"""Tables with names that the tests of dunlin.opentsne take."""

import numpy as np
import pandas
import pytest

from dunlin.opentsne import affinity

N = 60
FEW = {"n_iter": 20, "early_exaggeration_iter": 5, "random_state": 0}
ORDER = np.random.default_rng(3).permutation(N)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N, 4)) + 9 * (np.arange(N) % 3)[:, None]
    return pandas.DataFrame(values, [f"s{i:02d}" for i in range(N)], list("abcd"))


@pytest.fixture(scope="module")
def square(table):
    values = table.to_numpy()
    distances = np.sqrt(((values[:, None] - values[None]) ** 2).sum(-1))
    return pandas.DataFrame(distances, table.index, table.index)


@pytest.fixture(scope="module")
def A(table):
    return affinity.PerplexityBasedNN(table, 5, random_state=0)


def start(table):
    return pandas.DataFrame(np.random.default_rng(1).normal(size=(N, 2)) * 1e-4, table.index, ["x", "y"])
