# SPDX-License-Identifier: Apache-2.0
"""What multidimensional scaling makes of dissimilarities: origins, pairs that are not known."""

from itertools import combinations
from math import dist, sqrt

from harness import by_command, by_python, near, places, put, report, says


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


@by_command("mds-unconnected")
def groups_without_a_known_pair_are_said(run):
    for method in ("dunlin", "smacof", "stochastic", "gpu-sf", "glimmer", "hybrid"):
        run(f"mds d.csv -o o.csv --report r.json --method {method}").says("2 groups without a known pair", "'A'", "'F'")
        assert any("2 groups" in line for line in report()["notes"])
    run("mds d.csv -o o.csv --method smacof --transform ordinal").says("2 groups without a known pair")
    assert "groups" not in run("mds d.csv -o o.csv --quiet").err


def _square(path, n, entry, names=True):
    """Writes a square table of entry(i, j)."""
    lines = [",".join(["id", *(f"i{k}" for k in range(n))])] if names else []
    for i in range(n):
        cells = [str(entry(i, j)) for j in range(n)]
        lines.append(",".join([f"i{i}", *cells] if names else cells))
    return put(path, "\n".join(lines) + "\n")


@by_command("mds-unconnected")
def a_weight_of_0_is_not_known(run):
    points = _plane(12)
    _matrix("whole.csv", points, lambda d: d)
    _square("w.csv", 12, lambda i, j: int(i != j and i % 3 == j % 3))
    run("mds whole.csv --weights w.csv -o o.csv").says("3 groups without a known pair", "'i0'", "'i1'")
    put("points.csv", "id,a,b\n" + "".join(f"i{k},{a},{b}\n" for k, (a, b) in enumerate(points)))
    for method in ("dunlin", "smacof"):
        run(f"mds points.csv --ids id --weights w.csv --method {method} -o o.csv").says("3 groups without a known pair")
    _square("one.csv", 12, lambda i, j: int(i != j and (7 not in (i, j) or 3 in (i, j))))
    run("mds whole.csv --weights one.csv -o o.csv").says("1 item with fewer known pairs than the 3", "'i7', which has 1")


@by_command("mds-unconnected")
def items_with_too_few_known_pairs_are_said(run):
    points = _plane(12)

    def known(i, j, few):
        if i == j:
            return 0
        late, other = max(i, j), min(i, j)
        return "" if late >= 10 and other >= few else dist(points[i], points[j])

    for few, dim, said in ((1, 2, True), (2, 2, True), (3, 2, False), (3, 3, True), (2, 1, False), (1, 1, True)):
        _square("few.csv", 12, lambda i, j: known(i, j, few))
        ran = run(f"mds few.csv -o o.csv --dim {dim} --report r.json")
        line = f"2 items with fewer known pairs than the {dim + 1} that determine a place, such as 'i10', which has {few}"
        assert (line in ran.err) == said, ran.err
        assert any(line in each for each in report().get("notes", [])) == said
    _matrix("whole.csv", points, lambda d: d)
    _square("w.csv", 12, lambda i, j: int(i != j and max(i, j) < 10))
    ran = run("mds whole.csv --weights w.csv -o o.csv").says("3 groups without a known pair", "'i0' and 'i10'")
    assert "fewer" not in ran.err  # they have no other item of their group
    _square("few.csv", 12, lambda i, j: known(i, j, 0))
    run("mds few.csv -o o.csv", 3).says("item 10", "no dissimilarity")
    _square("few.csv", 12, lambda i, j: known(i, j, 1), names=False)
    run("mds few.csv --holds dissimilarities -o o.csv").says("row 10")


@by_command("mds-unconnected")
def known_items_are_not_spoken_of(run):
    for n in (1, 2, 3, 12):
        _matrix("whole.csv", _plane(n), lambda d: d)
        assert "known" not in run("mds whole.csv --holds dissimilarities -o o.csv --dim 3").err
    points = _plane(12)
    _square("hole.csv", 12, lambda i, j: "" if {i, j} == {2, 5} else dist(points[i], points[j]))
    assert "known" not in run("mds hole.csv -o o.csv").err
    put("two.txt", "a b 1\nb c 1\nc a 1\nd e 1\n")
    assert "known" not in run("mds two.txt --holds graph -o o.csv").err  # components are packed
    # Fixed points are of one group, and have a place
    put("fixed.csv", "id,x,y\n" + "".join(f"i{k},{a},{b}\n" for k, (a, b) in enumerate(points[:8])))
    _square("new.csv", 12, lambda i, j: 0 if i == j else "" if min(i, j) < 4 and max(i, j) < 8 else dist(points[i], points[j]))
    assert "known" not in run("mds new.csv --fixed fixed.csv -o o.csv").err
    _square("new.csv", 12, lambda i, j: 0 if i == j else "" if 11 in (i, j) and min(i, j) > 1 else dist(points[i], points[j]))
    run("mds new.csv --fixed fixed.csv -o o.csv").says("1 item with fewer known pairs than the 3", "'i11', which has 2")


@by_python("mds-unconnected")
def python_says_what_known_pairs_leave_open():
    import numpy as np
    import pandas as pd

    import dunlin

    points = np.array(_plane(12))
    far = np.linalg.norm(points[:, None] - points[None], axis=2)
    apart = far.copy()
    apart[:5, 5:] = apart[5:, :5] = np.nan
    names = [f"n{k}" for k in range(12)]
    with says("2 groups without a known pair", "row 0", "row 5"):
        dunlin.mds(dissimilarities=apart, device="cpu")
    with says("2 groups", "'n0'", "'n5'"):
        dunlin.mds(dissimilarities=pd.DataFrame(apart, names, names), device="cpu")
    weights = np.isfinite(apart).astype(np.float32)
    for given in ({"dissimilarities": far}, {"X": points}):
        for method in ("dunlin", "smacof"):
            with says("2 groups"):
                dunlin.mds(**given, weights=weights, method=method, device="cpu")
    few = far.copy()
    few[11, 1:11] = few[1:11, 11] = np.nan
    with says("1 item with fewer known pairs than the 3", "row 11, which has 1"):
        dunlin.mds(dissimilarities=few, device="cpu")
    with says():
        dunlin.mds(dissimilarities=far, device="cpu")
        dunlin.MDS(n_init=1, init="random", metric="precomputed", device="cpu").fit(far)
