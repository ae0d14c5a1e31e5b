# SPDX-License-Identifier: Apache-2.0
"""Arguments of waves: values by node on a line, a grid and a graph, and what is refused."""

from graph_arguments import refused
from harness import by_python


@by_python("wave-arguments")
def values_by_node_of_lines_and_grids():
    import dunlin
    import numpy as np
    import pandas as pd

    def state(domain, **values):
        return dunlin.waves(domain, until=0.01, **values).v

    line = [0.0, 0, 0, 1]
    shuffled = pd.Series([0.0, 1, 0, 0], [0, 3, 1, 2])
    for values in (shuffled, shuffled.to_dict()):
        assert np.array_equal(state(4, start_v=values), state(4, start_v=line))
        assert np.array_equal(state((2, 2), start_v=values), state((2, 2), start_v=np.reshape(line, (2, 2))))
    by_place = pd.Series([1.0, 0, 0, 0], pd.MultiIndex.from_tuples([(1, 1), (0, 0), (1, 0), (0, 1)]))
    assert np.array_equal(state((2, 2), start_v=by_place), state((2, 2), start_v=line))
    table = pd.DataFrame([[1.0, 0], [0, 0]], index=[1, 0], columns=[1, 0])
    assert np.array_equal(state((2, 2), start_v=table), state((2, 2), start_v=line))
    mask = pd.Series([True, False, False, False], [3, 2, 1, 0])
    for domain in (4, (2, 2)):
        assert np.array_equal(state(domain, stimulate=mask), state(domain, stimulate=3))
        refused(lambda: state(domain, stimulate=[1, 0, 0, 0]), "truth values", option="stimulate")
        refused(lambda: state(domain, start_v=pd.Series(line, [0, 1, 2, 9])), "9", option="start_v")
    refused(lambda: state((2, 2), start_v={(0, 0): 1.0, (9, 9): 2.0}), "(9, 9)", option="start_v")


@by_python("wave-arguments")
def axes_are_periodic_by_themselves():
    import dunlin
    import numpy as np

    start = np.zeros((6, 5))
    start[0, 0] = 1
    for periodic, rows, columns in ((False, 0, 0), (True, 1, 1), ((True, False), 1, 0), ((False, True), 0, 1)):
        v = dunlin.waves((6, 5), start_v=start, model="diffusion", until=0.2, periodic=periodic).v
        assert (v[-1, 0] > 1e-3, v[0, -1] > 1e-3) == (rows, columns), periodic
    for odd in ("no", 1, None, (True,), (True, "no")):
        refused(lambda: dunlin.waves((6, 5), periodic=odd), "periodic", option="periodic")


@by_python("wave-arguments")
def what_is_not_read_is_refused():
    import dunlin
    import pandas as pd

    edges = (2, [(0, 1)])
    for domain, given in (
        (edges, {"spacing": 2}),
        (edges, {"periodic": True}),
        (4, {"weight": "cost"}),
        (4, {"stimulus_value": 2}),
        (4, {"stimulus_time": 2}),
        (4, {"spacing": (1, 2)}),
        (4, {"snapshots": 3.0}),
        (4, {"hold": [1, 2]}),
        (4, {"hold": pd.Series([1.0, 2.0], [0, 0])}),
        ((2, 2), {"hold": {0: 1.0, (0, 0): 2.0}}),
    ):
        refused(lambda: dunlin.waves(domain, **given), next(iter(given)), option=next(iter(given)))
    named = pd.DataFrame({"source": ["a"], "target": ["b"]})
    refused(lambda: dunlin.waves(named, hold=pd.Series([1.0, 2.0], ["a", "a"])), "two values of node 'a'", option="hold")
    assert dunlin.waves(4, snapshots=None, until=0.1).snapshots == []
