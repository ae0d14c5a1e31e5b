# SPDX-License-Identifier: Apache-2.0
"""Steps that nobody gave: of waves, and when they are at rest."""

import itertools

from harness import by_command, by_python, near, put, report, rows


def _values(path):
    return [float(row["v"]) for row in rows(path)]


@by_command("out-waves-graph-diffusion")
def diffusion_is_accurate_without_a_step(run):
    wanted = {1: (0.30490, 0.30140, 0.17278, 0.22092), 10: (0.25,) * 4}
    for until, scheme in itertools.product(wanted, ("auto", "rkc", "heun", "euler")):
        run(f"waves g.csv --model diffusion --start v0.npy --until {until} --scheme {scheme} -o o.csv --report r.json")
        for value, right in zip(_values("o.csv"), wanted[until]):
            near(value, right, 0.01 if scheme in ("heun", "euler") else 1e-4)
        assert report()["quality"]["step"] > 0
    run("waves g.csv --model diffusion --start v0.npy --until 10 --snapshots 1,5 -o o.npy")


@by_command("out-waves-rest-units")
def rest_has_no_units(run):
    ends = []
    for line in (
        "200 --spacing 0.001 --diffusion 1e-9 --start gaussian:0.1,0.0001",
        "200 --spacing 1 --diffusion 86.4 --start gaussian:100,100",
    ):
        for scheme in ("auto", "crank-nicolson", "adi"):
            ran = run(f"waves --line {line} --model diffusion --scheme {scheme} -o o.csv --report r.json")
            ran.prints("at rest", "values from 0.089")
            for value in _values("o.csv"):
                near(value, 0.0891, 0.0005)
            ends.append(report()["iterations"])
    assert ends[:3] == ends[3:], ends
    run("waves --line 2000 --model diffusion --start gaussian:1000,10 -o o.csv").prints("at rest, values from 0.0028")
    put("weak.csv", "source,target,weight\n0,1,1e-7\n1,2,1e-7\n")
    run("waves weak.csv --model diffusion --hold 0=1 -o o.csv").prints("at rest, values from 1 to 1")
    put("two.csv", "source,target,weight\n0,1,1\n2,3,1\n0,2,1e-6\n")
    run("waves two.csv --model diffusion --hold 1=1e-5 -o o.csv").prints("at rest, values from 1e-05 to 1e-05")
    run("waves --line 50 --model diffusion --hold left=0 --current 1 --steps 100 -o o.csv").prints("stopped after --steps")
    for n in (1, 2):
        run(f"waves --line {n} --model diffusion --start gaussian:0,10 -o o.csv").prints("at rest")


@by_python("out-waves-rest-units")
def a_drift_is_no_rest():
    import dunlin
    import numpy as np

    ended = dunlin.waves(60, stimulate=0)
    assert ended.stopped == "converged" and ended.v.max() < 1e-3
    # w grows by 1e-8 per unit of time, to a place far away
    plateau = dunlin.waves(20, start_v=np.ones(20), epsilon=1e-8, steps=1000)
    assert plateau.stopped == "budget" and plateau.n_iter == 1000, (plateau.stopped, plateau.n_iter)


@by_python("out-waves-graph-diffusion")
def diffusion_is_that_of_the_exponential():
    import dunlin
    import networkx as nx
    import numpy as np
    from scipy.linalg import expm

    random = np.random.default_rng(3)
    graph = nx.barabasi_albert_graph(40, 2, seed=1)
    for edge in graph.edges.values():
        edge["weight"] = float(np.float32(10 ** random.uniform(-2, 2)))
    weights = nx.to_numpy_array(graph, dtype=float)
    start = np.zeros(40)
    start[7] = 1
    for laplacian, times in itertools.product(("combinatorial", "random-walk"), ([0.01, 1.0, 30.0],)):
        matrix = weights - np.diag(weights.sum(1))
        if laplacian == "random-walk":
            matrix /= weights.sum(1)[:, None]
        for scale, held in itertools.product((1.0, 1e-5), (False, True)):
            exact, first = matrix.copy(), start * scale
            hold = {3: 0.5 * scale} if held else None
            if held:
                exact[3], first[3] = 0, 0.5 * scale
            result = dunlin.waves(
                graph, model="diffusion", laplacian=laplacian, start_v=first, hold=hold, until=30.0, snapshots=times
            )
            for time, (at, v, _) in zip(times, result.snapshots):
                assert at == time, (at, time)
                right = expm(exact * time) @ first
                assert np.abs(v - right).max() <= 1e-4 * scale, (laplacian, scale, time)
                assert v.min() >= -1e-6 * scale and v.max() <= scale * (1 + 1e-6)
                if laplacian == "combinatorial" and not held:
                    near(v.sum() / scale, 1, 1e-9)
