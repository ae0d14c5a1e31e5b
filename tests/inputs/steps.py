# SPDX-License-Identifier: Apache-2.0
"""Defaults: the step and the rest of waves, scales beside repeated rows, units of RBM pre-training, principal components."""

import itertools
import math

from harness import by_command, by_python, near, places, put, report, rows


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
def a_pulse_ends_at_rest():
    import dunlin

    ended = dunlin.waves(60, stimulate=0)
    assert ended.stopped == "converged" and ended.v.max() < 1e-3


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


def _placed(run, method, new, more=""):
    """Places of new rows in a map of p.csv, their far flags, and the places of the map."""
    run(f"{method} p.csv -o map.csv --report map.json --quiet {more}")
    run(f"transform {new} --map map.csv --of p.csv --map-report map.json -o o.csv --per-point pp.csv --report t.json --quiet")
    return places("o.csv"), [float(row["remoteness"]) for row in rows("pp.csv")], places("map.csv")


def _span(map_places):
    return max(math.dist(a, b) for a in map_places.values() for b in list(map_places.values())[::25])


@by_command("placing-beside-copies")
def beside_copies(run):
    for method in ("pacmap", "umap", "tsne"):
        new, remoteness, old = _placed(run, method, "new.csv", "--perplexity 10" if method == "tsne" else "")
        copies = [old[str(r)] for r in range(len(old)) if _same(r)]
        assert len(copies) == 11, len(copies)
        for place, far in zip(new.values(), remoteness):
            least = min(math.dist(place, copy) for copy in copies)
            assert least <= 0.05 * _span(old), (method, place, least / _span(old))
            assert far <= 1, (method, far)


def _same(r, path="p.csv"):
    with open(path, encoding="utf-8") as file:
        lines = [line.split(",") for line in file.read().split()]
    try:
        [float(cell) for cell in lines[0]]
    except ValueError:
        lines = lines[1:]
    return lines[r] == lines[0]


def _blobs(copies, shift=0.0):
    """Rows of two clusters, one row many times, and a new row beside it."""
    import numpy as np

    random = np.random.default_rng(5)
    points = random.normal(size=(300, 5)).astype("float32")
    points[150:, 0] += 8
    points = np.vstack([points, np.repeat(points[:1], copies - 1, 0)])
    new = points[:1].copy()
    new[0, 1] += shift
    return points, new


@by_python("placing-beside-copies")
def places_go_to_the_limit():
    import dunlin
    import numpy as np

    for method, copies in itertools.product(("pacmap", "umap", "tsne"), (1, 2, 7, 11, 40)):
        points, _ = _blobs(copies)
        made = getattr(dunlin, method)(points, **({"perplexity": 10} if method == "tsne" else {}))
        span = np.ptp(made.embedding, 0).max()
        own = np.array([np.all(points == points[0], 1)]).reshape(-1)
        found = [dunlin.transform(_blobs(copies, shift)[1], points, made) for shift in (0, 1e-6, 1e-5, 1e-3)]
        for placed in found:
            assert placed.far == 0, (method, copies)
            least = np.linalg.norm(made.embedding[own] - placed.embedding, axis=1).min()
            assert least <= 0.1 * span, (method, copies, least / span)
        # Any place among the copies is the limit
        among = np.linalg.norm(np.ptp(made.embedding[own], 0))
        apart = np.linalg.norm(found[0].embedding - found[1].embedding)
        assert apart <= max(0.05 * span, among), (method, copies, apart / span)


@by_python("placing-beside-copies")
def surveys_have_maps():
    import dunlin
    import numpy as np

    answers = np.random.default_rng(2).integers(1, 6, size=(400, 3)).astype("float32")
    for method in ("pacmap", "umap", "tsne"):
        made = getattr(dunlin, method)(answers)
        assert np.isfinite(made.embedding).all(), method
        placed = dunlin.transform(answers[:20], answers, made)
        assert np.isfinite(placed.embedding).all() and placed.far == 0, method


@by_command("rbm-units")
def machines_learn_in_any_unit(run):
    # pixels with 17 levels, in four units
    lines = _pixels(400)
    sums = set()
    for factor in (1, 1 / 16, 0.5, 1024):
        put("p.csv", "\n".join(",".join(repr(cell * factor) for cell in line) for line in lines) + "\n")
        ran = run("train p.csv --pretrain rbm --layers 20,20 --epochs 2 --pretrain-epochs 10 -o m.npz -o m.csv --report r.json")
        assert "learned nothing" not in ran.err, ran.err
        quality = report()["quality"]
        assert quality["pretrain_error"] < 0.8 * quality["pretrain_variance"], quality
        assert report()["options"]["visible"] == "binary"
        with open("m.csv", encoding="utf-8") as file:
            sums.add(file.read())
    assert len(sums) == 1
    ran = run("train p.csv --pretrain rbm --layers 20 --epochs 1 --pretrain-rate 1e-9 -o m.npz --report r.json")
    ran.says("learned nothing", "--visible gaussian")


def _pixels(n):
    state, lines = 7, []
    for i in range(n):
        line = []
        for j in range(16):
            state = state * 48271 % 2147483647
            on = (j // 4 == i % 4) or (j % 4 == i % 3)
            line.append((12 if on else 1) + state % 5)
        lines.append(line)
    return lines


def _neighbors(coordinates, k=10):
    import numpy as np

    coordinates = np.asarray(coordinates, float)
    distances = np.linalg.norm(coordinates[:, None] - coordinates[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1)[:, :k]


def _shared(a, b):
    return sum(len(set(x) & set(y)) for x, y in zip(a.tolist(), b.tolist())) / a.size


@by_python("embed-pca-correlation")
def components_keep_correlations():
    import dunlin
    import numpy as np

    one, two = (np.loadtxt(name, delimiter=",", skiprows=_header(name)).astype("float32") for name in ("one.csv", "two.csv"))
    for method, options in (("tsne", {"perplexity": 10}), ("umap", {}), ("pacmap", {})):
        maps = [getattr(dunlin, method)(x, n_pcs=3, metric="correlation", **options).embedding for x in (one, two)]
        assert _shared(*map(_neighbors, maps)) >= 0.6, (method, _shared(*map(_neighbors, maps)))
    # few components of many columns that depend on them keep all correlations
    random = np.random.default_rng(4)
    wide = (random.normal(size=(150, 3)) @ random.normal(size=(3, 40)) + 5).astype("float32")
    wide *= random.uniform(0.1, 10, size=(150, 1)).astype("float32")
    reduced = dunlin.tsne(wide, n_pcs=4, metric="correlation", perplexity=10).embedding
    full = dunlin.tsne(wide, metric="correlation", perplexity=10).embedding
    assert _shared(_neighbors(reduced), _neighbors(full)) >= 0.8, _shared(_neighbors(reduced), _neighbors(full))


def _header(name):
    with open(name, encoding="utf-8") as file:
        try:
            [float(cell) for cell in file.readline().split(",")]
        except ValueError:
            return 1
    return 0


@by_command("embed-pca-correlation")
def correlation_has_no_signs(run):
    options = "--pca 3 --metric correlation --perplexity 10"
    for name in ("one", "two"):
        run(f"tsne {name}.csv {options} -o {name}.map.csv --report {name}.json")
    run(f"tsne one.csv {options} -o again.csv --threads 1")
    assert places("one.map.csv") == places("again.csv")
    a, b = (_near(places(f"{name}.map.csv")) for name in ("one", "two"))
    shared = sum(len(a[i] & b[i]) for i in a) / sum(map(len, a.values()))
    assert shared >= 0.6, shared
    # new rows take the same components
    run("transform one.csv --map one.map.csv --of one.csv --map-report one.json -o o.csv")
    new, old = places("o.csv"), places("one.map.csv")
    assert sum(math.dist(new[i], old[i]) <= 0.1 * _span(old) for i in old) >= 0.8 * len(old)


def _near(map_places, k=10):
    near = {}
    for i, place in map_places.items():
        others = sorted((math.dist(place, other), j) for j, other in map_places.items() if j != i)
        near[i] = {j for _, j in others[:k]}
    return near
