# SPDX-License-Identifier: Apache-2.0
"""Mixtures, clusters, and scores of maps, by their definitions."""

import csv
import math
import random

from harness import by_command, by_python, near, put, report, rows, says


def _points(path="p.csv"):
    """Names of the columns, and rows of numbers."""
    with open(path, newline="") as file:
        names, *lines = csv.reader(file)
    return names, [[float(cell) for cell in line] for line in lines]


def _put_points(path, names, table):
    return put(path, "\n".join([",".join(names), *(",".join(map(repr, row)) for row in table)]) + "\n")


def _mixture(run, path, form="full", more=""):
    """Log likelihood of a row, labels, variances and standard error of a mixture of two."""
    ran = run(
        f"mixture {path} --components 2 --covariance {form} -o l.csv --variances v.csv --means m.csv --report r.json {more}"
    )
    labels = [next(iter(row.values())) for row in rows("l.csv")]
    with open("v.csv", newline="") as file:
        _, *lines = csv.reader(file)
    return report()["quality"]["log_likelihood"], labels, [[float(cell) for cell in line] for line in lines], ran.err


def _agree(labels, truth):
    """Whether the labels are one to one with the truth."""
    pairs = set(zip(labels, truth))
    return len(pairs) == len(set(labels)) == len(set(truth))


@by_command("mixture-floor")
def a_floor_goes_by_column(run):
    truth = [row[1] > 0.5 for row in _points()[1]]
    for form, wanted in (("full", -9.06811), ("tied", None), ("diagonal", None)):
        likelihood, labels, variances, said = _mixture(run, "p.csv", form)
        if wanted:
            near(likelihood, wanted, 1e-3)
        assert _agree(labels, truth), form
        for variance in (row[1] for row in (variances[1::2] if form != "diagonal" else variances)):
            near(variance, 0.0008, 0.0002)
        assert "floor" not in said, said


@by_command("mixture-floor")
def a_likelihood_changes_with_units_by_their_logarithm(run):
    names, table = _points()
    for form in ("full", "diagonal", "tied"):
        before, labels, _, _ = _mixture(run, "p.csv", form)
        for a, b in ((1, 3.7), (1e-3, 1e-6), (1e6, 1e6), (1e-12, 1)):
            _put_points("scaled.csv", names, [[a * row[0], b * row[1]] for row in table])
            after, others, _, _ = _mixture(run, "scaled.csv", form)
            near(after + math.log(a) + math.log(b), before, 2e-3)
            assert _agree(labels, others), (form, a, b)


@by_command("mixture-floor")
def a_wild_cell_does_not_move_the_floor(run):
    names, table = _points()
    for column in (0, 1):
        for wild in (1e6, -1e9):
            other = [list(row) for row in table]
            other[17][column] = wild
            _put_points("wild.csv", names, other)
            for form in ("full", "diagonal"):
                run(f"mixture wild.csv --components 3 --restarts 8 --covariance {form} -o l.csv --variances v.csv --means m.csv")
                with open("v.csv", newline="") as file:
                    _, *lines = csv.reader(file)
                # The rate's variances: of the cell's own component, and of two clusters or of all rows
                for line in lines[1::2] if form == "full" else lines:
                    assert float(line[1]) < 0.12, lines


@by_command("mixture-floor")
def a_floor_that_acts_is_said(run):
    put("c.csv", "a,b,c\n" + "".join(f"{k % 7 + 10 * (k % 2)},{(k * 37) % 11 + 30 * (k % 2)},5\n" for k in range(60)))
    for form in ("full", "diagonal", "tied"):
        said = _mixture(run, "c.csv", form)[3]
        assert "the floor makes a tenth or more of the variance of column 'c'" in said, said
        assert any("the floor" in line for line in report()["notes"])
    put("d.csv", "a,b\n" + "".join(f"{k},{2 * k}\n" for k in range(60)))
    assert "depend on each other" in _mixture(run, "d.csv", "full")[3]
    assert "floor" not in _mixture(run, "d.csv", "diagonal")[3]
    put("e.csv", "a,b\n" + "".join(f"{k % 2},{k % 2}\n" for k in range(60)))
    assert "all columns" in _mixture(run, "e.csv", "spherical")[3]
    put("one.csv", "a,b\n1,2\n")
    run("mixture one.csv --components 1 -o l.csv --means m.csv").says("the floor makes")


@by_command("mixture-floor")
def a_floor_in_the_unit_of_the_data_is_absolute(run):
    put("e.csv", "a\n" + "".join(f"{100 * (k % 2)}\n" for k in range(60)))
    variances = _mixture(run, "e.csv", "diagonal", "--floor 0.25 --floor-unit data")[2]
    assert [row[0] for row in variances] == [0.25, 0.25]
    variances = _mixture(run, "e.csv", "diagonal", "--floor 1e-4")[2]
    assert all(abs(row[0] - 0.25) < 1e-6 for row in variances)  # 1e-4 of 50^2


@by_python("mixture-floor")
def a_floor_goes_by_column_in_python():
    import numpy as np
    import pandas as pd
    import sklearn.mixture

    import dunlin

    X = pd.read_csv("p.csv")
    truth = X.to_numpy()[:, 1] > 0.5
    found = dunlin.mixture(X, 2, covariance_type="full", device="cpu")
    near(found.log_likelihood, -9.06811, 1e-3)
    assert _agree(list(found.labels), list(truth))
    for form in ("full", "diag", "tied", "spherical"):
        for reg in (1e-6, 1e-3):
            few = {"covariance_type": form, "reg_covar": reg, "random_state": 0, "n_init": 2}
            ours = dunlin.GaussianMixture(2, **few).fit(X)
            theirs = sklearn.mixture.GaussianMixture(2, **few).fit(X.to_numpy())
            near(ours.score(X), theirs.score(X.to_numpy()), 5e-3)
    constant = pd.DataFrame({"a": np.arange(60) % 7 + 30.0 * (np.arange(60) % 2), "b": 5.0})
    with says("the floor makes", "column 'b'"):
        dunlin.mixture(constant, 2, device="cpu")
    with says("the floor makes", "column 'b'"):
        dunlin.GaussianMixture(2, random_state=0).fit(constant)
    with says("column 1"):
        dunlin.mixture(constant.to_numpy(), 2, device="cpu")
    with says():
        dunlin.GaussianMixture(2, random_state=0).fit(X)


# Scores of maps


@by_command("density-correlation-cosine")
def density_correlation_squares_distances_of_every_metric(run):
    for metric, wanted in (("cosine", 0.4922), ("correlation", 0.2771)):
        run(f"score map.csv --of p.csv --metric {metric} --no-kl --device cpu --report r.json")
        near(report()["quality"]["density_correlation"], wanted, 1e-3)


@by_python("density-correlation-cosine")
def density_correlation_is_that_of_its_page():
    import numpy as np
    from scipy.spatial.distance import cdist

    import dunlin

    made = np.random.default_rng(5)
    X, Y = made.gamma(2, size=(80, 5)), made.normal(size=(80, 2))

    def log_radii(distances):
        return np.log(np.mean(np.sort(distances, 1)[:, 1:16] ** 2, 1))

    for metric, other in (("euclidean",) * 2, ("manhattan", "cityblock"), ("cosine",) * 2, ("correlation",) * 2):
        wanted = np.corrcoef(log_radii(cdist(X, X, other)), log_radii(cdist(Y, Y)))[0, 1]
        found = dunlin.score(Y, X, metric=metric, device="cpu")
        near(found["density_correlation"], wanted, 1e-4)


@by_command("graph-scores-coincident")
def scores_of_drawings_do_not_depend_on_numbers(run):
    found = []
    for graph in ("first.txt", "last.txt"):
        ran = run(f"score map.csv --of {graph} --holds graph --device cpu --report r.json")
        found.append(report()["quality"])
        assert "edge_length_cv" not in ran.out
    for name in ("scaled_stress", "neighborhood_preservation", "crossings", "min_angle"):
        near(found[0][name], found[1][name], 1e-12)
    near(found[0]["neighborhood_preservation"], 0.1, 1e-12)
    near(found[0]["scaled_stress"], 1, 1e-12)
    assert found[0]["edge_length_cv"] is None


@by_command("graph-scores-coincident")
def a_renumbered_drawing_has_its_scores(run):
    made, n = random.Random(3), 24
    grid = [(k % 5, k // 5) for k in range(n)]
    few = [(k % 3, 0) for k in range(n)]
    one = [(0, 0)] * n
    path = [(k, k + 1) for k in range(n - 1)]
    tree = [((k - 1) // 2, k) for k in range(1, n)]
    for edges in (path, tree):
        for drawn in (grid, few, one):
            found = []
            for _ in range(3):
                number = list(range(n))
                made.shuffle(number)
                put("g.txt", "".join(f"{number[a]} {number[b]}\n" for a, b in edges))
                rows_of = {number[k]: drawn[k] for k in range(n)}
                put("m.csv", "id,x,y\n" + "".join(f"{k},{rows_of[k][0]},{rows_of[k][1]}\n" for k in range(n)))
                run("score m.csv --of g.txt --holds graph --device cpu --report r.json")
                found.append({name: v for name, v in report()["quality"].items() if v is not None})
            for other in found[1:]:
                assert found[0].keys() == other.keys()
                for name, value in other.items():
                    near(found[0][name], value, 1e-9)


@by_command("graph-stress-strength-ignored")
def stress_says_that_it_reads_no_strengths(run):
    ran = run("layout g.csv --method stress -o out.csv --report r.json --device cpu").says("method stress does not read")
    assert any("strengths" in line for line in report()["notes"]) and ran.err.count("strengths") == 1
    for more in ("--weights length", "--weights-from none", "--quiet"):
        assert "stress does not" not in run(f"layout g.csv --method stress -o out.csv --device cpu {more}").err
    put("equal.csv", "source,target,weight\na,b,5\nb,c,5\n")
    assert "stress does not" not in run("layout equal.csv --method stress -o out.csv --device cpu").err
    assert "stress does not" not in run("layout g.csv -o out.csv --device cpu").err


@by_python("graph-stress-strength-ignored")
def stress_says_that_it_reads_no_strengths_in_python():
    import networkx as nx

    import dunlin

    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 100000), ("b", "c", 1), ("a", "c", 1)])
    with says("method stress does not read"):
        dunlin.layout(graph, method="stress", device="cpu")
    with says():
        dunlin.layout(graph, method="stress", weight_means="length", device="cpu")
        dunlin.layout(graph, method="stress", weight=None, device="cpu")
        dunlin.layout(graph, device="cpu")


@by_command("given-k")
def fewer_distinct_rows_than_clusters_are_said(run):
    put("few.csv", "a,b\n" + "1,2\n3,4\n-0,0\n0,0\n" * 10)
    for command, name in (("kmeans", "clusters"), ("mixture", "components"), ("kmedoids", "clusters")):
        outputs = {"kmeans": "--centroids c.csv", "mixture": "--means c.csv", "kmedoids": ""}[command]
        run(f"{command} few.csv --{name} 5 -o l.csv {outputs} --report r.json").says(f"only 3 distinct rows for 5 {name}")
        assert any("distinct" in line for line in report()["notes"])
        for n, more in ((3, ""), (2, ""), (5, "--quiet")):
            assert "distinct" not in run(f"{command} few.csv --{name} {n} -o l.csv {outputs} {more}").err
    put("one.csv", "a\n1\n")
    for command in ("kmeans", "mixture", "kmedoids"):
        assert "distinct" not in run(f"{command} one.csv --{'components' if command == 'mixture' else 'clusters'} 1 -o l.csv").err
    put("d.csv", "id,a,b,c\na,0,0,2\nb,0,0,2\nc,2,2,0\n")
    run("kmedoids d.csv --clusters 3 -o l.csv").says("only 2 distinct rows for 3 clusters")


@by_python("given-k")
def fewer_distinct_rows_than_clusters_are_said_in_python():
    import numpy as np

    import dunlin

    X = np.repeat(np.array([[0.0, 1], [2, 3]]), 9, axis=0)
    for call in (
        lambda k: dunlin.kmeans(X, k, device="cpu"),
        lambda k: dunlin.kmedoids(X, n_clusters=k),
        lambda k: dunlin.kmedoids(strings=["a", "b"] * 4, n_clusters=k),
        lambda k: dunlin.KMedoids(k).fit(X),
    ):
        with says("only 2 distinct rows for 3 clusters"):
            call(3)
        with says():
            call(2)
    for call in (lambda: dunlin.mixture(X, 3, device="cpu"), lambda: dunlin.GaussianMixture(3, random_state=0).fit(X)):
        with says("only 2 distinct rows for 3 components"):
            call()
