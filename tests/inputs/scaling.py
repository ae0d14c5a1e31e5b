# SPDX-License-Identifier: Apache-2.0
"""What multidimensional scaling makes of dissimilarities: origins, pairs that are not known."""

from itertools import combinations
from math import dist, sqrt

from harness import by_command, by_python, near, places, put, report


def _matrix(path, points, of):
    """Writes a matrix of of(distance) of points."""
    names = [f"i{k}" for k in range(len(points))]
    lines = [",".join(["id", *names])]
    for name, a in zip(names, points):
        lines.append(",".join([name, *(repr(0 if a is b else of(dist(a, b))) for b in points)]))
    return put(path, "\n".join(lines) + "\n")


def _plane(n, dim=2):
    """Points of a lattice rule in a square or cube."""
    return [tuple((0.5 + (k + 1) * step) % 1 for step in (0.7548776662, 0.5698402910, 0.3247179572)[:dim]) for k in range(n)]


def _are_similar(map_places, points, tolerance):
    """Checks that the distances of a map are those of points, but for a factor."""
    pairs = list(combinations(range(len(points)), 2))
    wanted = [dist(points[a], points[b]) for a, b in pairs]
    found = [dist(map_places[f"i{a}"], map_places[f"i{b}"]) for a, b in pairs]
    scale = sum(f * w for f, w in zip(found, wanted)) / sum(f * f for f in found)
    error = sum((scale * f - w) ** 2 for f, w in zip(found, wanted)) / sum(w * w for w in wanted)
    assert sqrt(error) <= tolerance, f"stress {sqrt(error)}"


@by_command("mds-interval-origin")
def interval_has_a_free_intercept(run):
    for more in ("", " --method smacof"):
        ran = run(f"mds d.csv --transform interval -o o.csv --report r.json{more}")
        near(report()["quality"]["stress1_interval"], 0, 1e-3)
        assert report()["method"] == "smacof" and "stress1_interval" in ran.out
    run("mds d.csv --transform interval-bounded -o o.csv --report r.json")
    near(report()["quality"]["stress1_interval_bounded"], 0.245, 0.01)


@by_command("mds-interval-origin")
def interval_finds_the_points_whatever_unit_and_origin(run):
    for n, dim, law in (
        (12, 2, lambda d: 2 * d + 7),
        (30, 3, lambda d: 1e-6 * d + 1e-5),
        (20, 2, lambda d: 1e6 * (d + 3)),
        (15, 1, lambda d: d + 100),
        (12, 2, lambda d: d - 0.02 if d > 0.03 else d),
    ):
        points = _plane(n, dim)
        _matrix("made.csv", points, law)
        run(f"mds made.csv --transform interval --dim {dim} -o o.csv --report r.json")
        near(report()["quality"]["stress1_interval"], 0, 2e-3)
        if dim > 1:
            _are_similar(places("o.csv"), points, 5e-3)


@by_command("mds-interval-origin")
def few_items_have_an_interval_map(run):
    for n in (1, 2, 3):
        _matrix("few.csv", _plane(n), lambda d: d + 2)
        run("mds few.csv --holds dissimilarities --transform interval -o o.csv --report r.json")
        near(report()["quality"].get("stress1_interval", 0), 0, 1e-3)
    run("mds d.csv --method pivot --transform interval -o o.csv", 2).says("--transform", "smacof")


@by_python("mds-interval-origin")
def interval_has_a_free_intercept_in_python():
    import numpy as np
    from scipy.spatial.distance import pdist, squareform

    import dunlin

    points = np.array(_plane(40))
    far = squareform(2 * pdist(points) + 7)
    for method in ({}, {"method": "smacof"}):
        found = dunlin.mds(dissimilarities=far, transform="interval", device="cpu", **method)
        d = pdist(np.asarray(found.embedding, float))
        fit = np.polyval(np.polyfit(pdist(points), d, 1), pdist(points))
        assert np.sqrt(np.sum((d - fit) ** 2) / np.sum(d**2)) < 1e-3
    hole = far.copy()
    hole[3, 9] = hole[9, 3] = np.nan
    found = dunlin.mds(dissimilarities=hole, transform="interval", device="cpu")
    assert np.corrcoef(pdist(np.asarray(found.embedding)), pdist(points))[0, 1] > 0.9999
