# SPDX-License-Identifier: Apache-2.0
"""Starts, anchors and maps that go on: their shape, their reach, their unit, and places that are no places."""

import math
import os

from harness import by_command, by_python, near, places, points, put, refused, report, rows, says

METHODS = ("tsne", "umap", "pacmap")


def _axes(path):
    return [name for name in rows(path)[0] if name in ("x", "y", "z")]


@by_command("embed-anchor-dim")
def anchors_have_the_dimensions_of_the_map(run):
    anchored = "tsne points.csv --perplexity 10 --scores none --anchor-strength 5 --device cpu"
    run(f"{anchored} --anchor plane.csv -o a.csv")
    map, plane = places("a.csv"), places("plane.csv")
    for axis, mean in enumerate((13.5, 7.5)):
        near(sum(place[axis] for place in map.values()) / len(map), mean, 1e-4)
    run(f"{anchored} --anchor plane.csv --dim 3 -o b.csv", None).says("2 dimensions", "has 3", "--dim")
    put("space.csv", "x,y,z\n" + "".join(f"{x},{y},{x}\n" for x, y in plane.values()))
    run(f"{anchored} --anchor space.csv -o b.csv", None).says("3 dimensions", "has 2")
    run(f"{anchored} --anchor space.csv --dim 3 -o b.csv")
    run(f"{anchored} --anchor plane.csv --start space.csv -o b.csv", None).says("2 dimensions", "has 3")
    for method in METHODS:
        for flag in ("start", "fixed", "grow"):
            made = f"{method} points.csv --{flag} plane.csv --scores none --device cpu"
            run(f"{made} --dim 3 -o e.csv", None).says("--dim is 3", "2 dimensions")
            run(f"{made} -o e.csv")
            assert _axes("e.csv") == ["x", "y"]


@by_python("embed-anchor-dim")
def second_arrays_of_another_shape_are_refused():
    import dunlin
    import numpy as np

    X = points(60, 5)
    Y = points(60, 3)[:, :2].astype(float)
    wrong = [Y[:-1], np.append(Y, Y[:1], 0), Y[:, :1], np.column_stack([Y, Y]), Y.ravel(), Y[:, :0], np.full(Y.shape, "x"), Y * 1j]
    for given in wrong:
        refused(lambda: dunlin.tsne(X, anchor=given, perplexity=5, device="cpu"))
        for method in METHODS:
            refused(lambda: getattr(dunlin, method)(X, init=given, device="cpu"))
    refused(lambda: dunlin.tsne(X, n_components=3, anchor=Y), "(60, 2)", "(60, 3)")
    for method in METHODS:
        for name in ("fixed", "grow"):
            refused(lambda: getattr(dunlin, method)(X, n_components=3, device="cpu", **{name: Y}))
            refused(lambda: getattr(dunlin, method)(X, device="cpu", **{name: Y[:, :0]}))
    big = points(3000, 5)
    refused(lambda: dunlin.tsne(big, n_components=3, anchor=points(3000, 2)), "(3000, 2)")
    for call in (dunlin.score, dunlin.reliability):
        for given in (Y[:-1], Y[:, :0], Y.ravel()):
            refused(lambda: call(given, X))
    refused(lambda: dunlin.score(Y[:, :0], graph=np.ones((60, 60)) - np.eye(60)))
    refused(lambda: dunlin.transform(X[:5], X, Y[:, :0], perplexity=5))


def _ways(map, anchors):
    """(root mean square distance, mean way along each axis) of a map from its anchors."""
    ways = [[a - b for a, b in zip(map[name], anchors[name])] for name in anchors]
    rms = math.sqrt(sum(sum(w * w for w in way) for way in ways) / len(ways))
    return rms, [sum(way[axis] for way in ways) / len(ways) for axis in range(len(ways[0]))]


@by_command("embed-anchor-strength")
def anchors_of_any_strength_are_reached(run):
    grid, far = places("grid.csv"), places("grid-pixels.csv")
    wide = put("wide.csv", "x,y\n" + "".join(f"{200 * x - 3000},{300 * y}\n" for x, y in grid.values()))
    made = "tsne points.csv --perplexity 10 --scores none --device cpu -o map.csv --report r.json --anchor"
    for strength in (1e-3, 0.15, 10, 20, 1e4, 1e30):
        for file, anchors, step in (("grid.csv", grid, 5), ("grid-pixels.csv", far, 5), (wide, places(wide), 0.01)):
            run(f"{made} {file} --anchor-strength {strength} --longest-step {step}")
            rms, mean = _ways(places("map.csv"), anchors)
            # Twice the rounding of places near 6,000
            assert rms <= 1.5 * math.sqrt(2.6 / strength) + 1e-3, (file, strength, rms)
            assert max(map(abs, mean)) < 1e-3, (file, strength, mean)
    # Far anchors give the same map, moved
    run(f"{made} grid.csv")
    near_map, kl = places("map.csv"), report()["quality"]["kl"]
    run(f"{made} grid-pixels.csv")
    near(report()["quality"]["kl"], kl, 1e-4)
    rms, _ = _ways(places("map.csv"), {name: (x + 6000, y + 4000) for name, (x, y) in near_map.items()})
    assert rms < 0.01, rms
    # Springs to the start leave its scale to the affinities
    for strength in (1, 1e4, 1e30):
        run(f"tsne points.csv --perplexity 10 --scores none --device cpu -o map.csv --anchor start --anchor-strength {strength}")
        assert max(abs(x) for x, _ in places("map.csv").values()) > 3, strength


@by_command("embed-start-scale")
def a_start_in_pixels_gives_the_map(run):
    cost = {"tsne": ("kl", 0.031, 0.003), "umap": ("cross_entropy", 1.05, 0.02), "pacmap": ("loss", 3.39, 0.03)}
    start = places("start-10.csv")
    for factor in (1e-5, 1e3, 1e6):
        put(f"times-{factor}.csv", "x,y\n" + "".join(f"{factor * x},{factor * y + 7}\n" for x, y in start.values()))
    for method, (name, value, tolerance) in cost.items():
        made = f"{method} points.csv --scores none --device cpu -o map.csv --report r.json --start"
        for file in ("start-pixels.csv", "times-1000.0.csv", "times-1000000.0.csv"):
            run(f"{made} {file}").says("note: ", file, "scaled by", "far wider")
            near(report()["quality"][name], value, tolerance)
            assert 0 < report()["start_scale"] < 1 and max(abs(x) for x, _ in places("map.csv").values()) < 100
            assert any("scaled by" in line for line in report()["notes"]), report()["notes"]
        for file in ("start-10.csv", "times-1e-05.csv"):
            ran = run(f"{made} {file}")
            assert "scaled" not in ran.err and "start_scale" not in report()
            near(report()["quality"][name], value, tolerance)
        # A map goes on from where it is; no iteration, no scaling
        os.replace("map.csv", "warm.csv")
        run(f"{made} warm.csv")
        assert "start_scale" not in report()
        zero = "0,0,0" if method == "pacmap" else "0"
        run(f"{made} start-pixels.csv --iterations {zero}")
        assert "start_scale" not in report()
        pixels = places("start-pixels.csv")
        rms, _ = _ways(places("map.csv"), pixels)
        assert rms == 0, rms
        # Points that stay, stay
        run(f"{method} points.csv --scores none --device cpu -o map.csv --fixed start-pixels.csv")
        assert _ways(places("map.csv"), pixels)[0] == 0


@by_python("embed-start-scale")
def an_init_in_pixels_gives_the_map():
    import dunlin
    import numpy as np
    from dunlin import opentsne

    X = np.loadtxt("points.csv", delimiter=",", skiprows=1)[:, -5:]
    pixels = np.loadtxt("start-pixels.csv", delimiter=",", skiprows=1)[:, -2:]
    for method, cost in (("tsne", "kl"), ("umap", "cross_entropy"), ("pacmap", "loss")):
        f = getattr(dunlin, method)
        own = getattr(f(X, init=pixels / 400, device="cpu"), cost)
        with says("init is scaled by", "far wider"):
            result = f(X, init=pixels, device="cpu")
        near(getattr(result, cost), own, 0.02 * own + 0.002)
        assert result.start_scale < 1
        with says():
            f(X, init=result.embedding, device="cpu")
            f(X, grow=pixels, device="cpu")
        refused(lambda: f(X, init=np.ones((len(X), 2)), device="cpu"), "at one place")
        for dim in (1, 3):
            start = np.tile(pixels, 2)[:, :dim]
            with says("init is scaled by"):
                found = f(X, init=start, n_components=dim, device="cpu").embedding
            assert np.ptp(found) < 200
    with says("scaled by"):
        map = opentsne.TSNE(initialization=pixels, perplexity=20).fit(X)
    assert np.ptp(np.asarray(map)) < 200
    wide = opentsne.TSNEEmbedding(pixels.astype(np.float32), map.affinities)
    with says():  # a map, whatever its width
        assert np.ptp(np.asarray(wide.optimize(1))) > 1000


@by_command("starts-far-away")
def places_that_are_no_places(run):
    put("p.csv", "a,b,c\n" + "".join(f"{math.sin(i)},{math.cos(3 * i)},{i % 7}\n" for i in range(60)))
    put("e.csv", "".join(f"{i},{(i * 7 + 1) % 60}\n{i},{(i + 1) % 60}\n" for i in range(60)))

    def map_with(name, cell):
        place = {7: cell}
        return put(name, "x,y\n" + "".join(f"{place.get(i, i % 9)},{i % 5}\n" for i in range(60)))

    for cell in ("1e20", "3e38", "-2e9", "inf", "nan", "1e300", "-1e39"):
        file = map_with("m.csv", cell)
        for method in METHODS:
            for flag in ("start", "fixed", "grow"):
                run(f"{method} p.csv --{flag} {file} --device cpu --scores none -o o.csv", None)
        run(f"tsne p.csv --anchor {file} --perplexity 5 --device cpu --scores none -o o.csv", None)
        run(f"layout e.csv --start {file} --device cpu --scores none -o o.csv", None)
        run(f"transform p.csv --of p.csv --map {file} --perplexity 5 --device cpu -o o.csv", None)
    run(f"tsne p.csv --start {map_with('m.csv', '1e20')} --device cpu -o o.csv", None).says("row 7", "1e+20", "limit is 1e+09")
    # The farthest that are allowed
    for engine in ("exact", "tree", "grid"):
        run(f"tsne p.csv --start {map_with('m.csv', '1e9')} --repulsion {engine} --device cpu --scores none -o o.csv")
        assert all(math.isfinite(x) for place in places("o.csv").values() for x in place)
        ran = run(f"tsne p.csv --fixed {map_with('m.csv', '1e9')} --repulsion {engine} --device cpu --scores none -o o.csv")
        assert all(math.isfinite(x) for place in places("o.csv").values() for x in place), ran.err
    # Acts
    for x in ("1e20", "-3e38"):
        act = put("acts.json", '{"steering": [{"pass": 0, "iteration": 3, "act": "pin", "points": [5], "places": [%s, 0]}]}' % x)
        for made in ("tsne p.csv --perplexity 5", "umap p.csv", "pacmap p.csv", "layout e.csv"):
            run(f"{made} --steer {act} --device cpu --scores none -o o.csv", None).says("act", "limit")
    act = put("acts.json", '{"steering": [{"pass": 0, "iteration": 3, "act": "set", "option": "late-learning-rate", "value": 1e38},'
              ' {"pass": 0, "iteration": 3, "act": "set", "option": "longest-step", "value": 0}]}')
    made = "tsne p.csv --perplexity 5 --exaggerated-iterations 0 --device cpu --scores none -o o.csv"
    run(f"{made} --steer {act} --log log.json", None).says("diverged", "log.json")
    assert len(report("log.json")["steering"]) == 2
    # Steps without bound
    for engine in ("exact", "tree", "grid"):
        for more in ("", " --iterations 1", " --iterations 20", " --iterations 50"):
            made = f"tsne p.csv --perplexity 5 --learning-rate 1e38 --longest-step 0 --repulsion {engine} --device cpu"
            run(f"{made}{more} --scores none -o o.csv", None).says("diverged")


@by_python("starts-far-away")
def arrays_of_places_that_are_no_places():
    import dunlin
    import numpy as np
    from dunlin import opentsne

    X = points(60, 5)
    for cell in (np.nan, np.inf, -np.inf, 1e20, 3e38, 1e300):
        Y = points(60, 2).astype(float)
        Y[7, 1] = cell
        for method in METHODS:
            f = getattr(dunlin, method)
            refused(lambda: f(X, init=Y, device="cpu"))
            refused(lambda: f(X, fixed=Y, device="cpu"))
            refused(lambda: f(X, grow=Y, device="cpu"))
        refused(lambda: dunlin.tsne(X, anchor=Y, perplexity=5, device="cpu"))
        for estimator in (dunlin.TSNE(init=Y, perplexity=5), dunlin.UMAP(init=Y), dunlin.PaCMAP(init=Y)):
            refused(lambda: estimator.fit(X))
        refused(lambda: opentsne.TSNE(initialization=Y, perplexity=5).fit(X))
        refused(lambda: dunlin.transform(X[:5], X, Y, perplexity=5))
        refused(lambda: dunlin.layout(np.roll(np.eye(60), 1, 0) + np.roll(np.eye(60), -1, 0), pos=Y, device="cpu"))
    refused(lambda: dunlin.tsne(X, learning_rate=1e38, max_step_norm=0, perplexity=5, device="cpu"), "diverged")
