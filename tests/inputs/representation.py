# SPDX-License-Identifier: Apache-2.0
"""Distances, given neighbors, the representation of a map."""

import csv
import json
import math
import random
import struct

from harness import by_command, near, places, put, report, rows, same_order

QUICK = " --iterations 100 --scores none --quiet"


def numbers(path):
    with open(path, newline="") as file:
        return [[float(cell) for cell in row] for row in csv.reader(file)]


def write(path, table, mark=","):
    with open(path, "w", newline="") as file:
        csv.writer(file, delimiter=mark).writerows(table)


def write_npy(path, values, shape):
    """Doubles in the format of numpy.save."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}d", *values))


def lists(path):
    """The neighbors of each point in a file of edges, with their distances."""
    found = {}
    for edge in rows(path):
        found.setdefault(int(edge["source"]), {})[int(edge["target"])] = float(edge["weight"])
    return found


# A matrix of distances as input


@by_command("tsne-distances")
def distances_are_noted(run):
    for command in ("tsne", "umap", "neighbors -k 5", "train --epochs 1 --layers 4"):
        out = "-o o.npz" if "neighbors" in command else "-o model.npz" if "train" in command else "-o o.csv"
        name, _, flags = command.partition(" ")
        run(f"{name} d60.csv {flags} {out} --report r.json").says("d60.csv", "dissimilarities", "--holds")
        assert "dissimilarities" in json.dumps(report()["input"]["notes"]), report()["input"]
    run("pacmap d60.csv -o o.csv").says("looks like a matrix of dissimilarities")
    for input in ("p60.csv", "d60.csv --holds points"):
        ran = run(f"tsne {input} -o o.csv --iterations 10")
        assert "note" not in ran.err, ran.err


@by_command("tsne-distances")
def distances_in_other_files_are_noted(run):
    matrix = numbers("d60.csv")
    n = len(matrix)
    names = [f"item {i}" for i in range(n)]
    write("tabs.tsv", matrix, "\t")
    write("named.csv", [["", *names]] + [[name, *row] for name, row in zip(names, matrix)])
    write("numbered.csv", [["", *range(n)]] + [[i, *row] for i, row in enumerate(matrix)])
    write_npy("square.npy", sum(matrix, []), (n, n))
    write_npy("condensed.npy", [matrix[i][j] for i in range(n) for j in range(i + 1, n)], f"({n * (n - 1) // 2},)")
    for file in ("tabs.tsv", "named.csv", "numbered.csv", "square.npy", "condensed.npy"):
        run(f"umap {file} -o o.csv --iterations 5").says(file, "dissimilarities")
        run(f"kmeans {file} -o c.csv", None).says(file, "kmedoids", "--holds points")
        run(f"umap {file} --holds dissimilarities -o {file}.map.csv --seed 3")
    for file in ("named.csv", "numbered.csv", "square.npy", "condensed.npy"):
        assert len(rows(f"{file}.map.csv")) == n
    assert {row["id"] for row in rows("named.csv.map.csv")} == set(names)
    same_order(places("square.npy.map.csv"), places("condensed.npy.map.csv"))


@by_command("tsne-distances")
def clusters_refuse_distances(run):
    for command in ("kmeans --clusters 2", "mixture --components 2"):
        name, _, flags = command.partition(" ")
        run(f"{name} d60.csv {flags} -o c.csv", None).says("d60.csv", "kmedoids", "--holds points")
        run(f"{name} d60.csv {flags} -o c.csv --holds points")
        run(f"{name} p60.csv {flags} -o c.csv")
    run("kmedoids d60.csv --clusters 2 -o c.csv")
    run("map d60.csv -o o.csv --report r.json")
    assert report()["method"] == "mds" or report()["input"]["holds"] == "dissimilarities"


@by_command("tsne-distances")
def points_that_are_square_are_no_distances(run):
    random.seed(1)
    write("square.csv", [[random.gauss(0, 1) for _ in range(20)] for _ in range(20)])
    write("pair.csv", [[0, 1], [1, 0]])
    correlations = [[1.0 if i == j else -0.5 for j in range(5)] for i in range(5)]
    write("correlations.csv", correlations)
    for file in ("square.csv", "pair.csv", "correlations.csv"):
        run(f"kmeans {file} --clusters 2 -o c.csv")


@by_command("tsne-distances")
def neighbors_are_searched_in_the_matrix(run):
    run("neighbors d60.csv --holds dissimilarities -k 12 -o d.csv --report r.json")
    run("neighbors p60.csv -k 12 -o p.csv")
    by_matrix, by_points = lists("d.csv"), lists("p.csv")
    for point, near_points in by_points.items():
        assert by_matrix[point].keys() == near_points.keys(), f"neighbors of {point}"
        for other, distance in near_points.items():
            near(by_matrix[point][other], distance, 1e-5)
    assert report()["options"]["k"] == 12 and "metric" not in report()["options"], report()["options"]
    # Ties by index; more than there are
    write("equal.csv", [[0 if i == j else 1 for j in range(6)] for i in range(6)])
    run("neighbors equal.csv --holds dissimilarities -k 2 -o e.csv")
    assert sorted(lists("e.csv")[4]) == [0, 1] and sorted(lists("e.csv")[0]) == [1, 2]
    run("neighbors equal.csv --holds dissimilarities -k 50 -o e.csv")
    assert len(lists("e.csv")[3]) == 5


@by_command("tsne-distances")
def maps_by_the_matrix_are_those_of_the_points(run):
    for method, cost in (("tsne", "kl"), ("umap", "cross_entropy")):
        run(f"{method} d60.csv --holds dissimilarities -o d.csv --report d.json")
        run(f"{method} p60.csv -o p.csv --report p.json")
        by_matrix, by_points = report("d.json"), report("p.json")
        # 60 points have several minima, and rounding, which depends on the processor, says which is found
        near(by_matrix["quality"][cost] / by_points["quality"][cost], 1, 0.25)
        assert by_matrix["options"]["k"] == by_points["options"]["k"]
        assert by_matrix["options"]["start"] == "classical" and "metric" not in by_matrix["options"]
        assert by_matrix["input"]["holds"] == "dissimilarities" and by_matrix["input"]["cols"] == 60
        assert "left_out" in by_matrix["quality"]
    for start in ("random", "spectral"):
        run(f"tsne d60.csv --holds dissimilarities --start {start} -o o.csv --report r.json")
        assert report()["options"]["start"] == start
    run("tsne d60.csv --holds dissimilarities --start p.csv --dim 2 -o o.csv")


@by_command("tsne-distances")
def what_needs_points_is_refused_beside_a_matrix(run):
    run("neighbors p60.csv -k 20 -o nn.npz")
    run("tsne p60.csv -o map.csv --iterations 10")
    for flags in ("--metric cosine", "--pca 3", "--recall 0.9", "--state s.npz", "--fixed map.csv", "--grow map.csv",
                  "--ids 1", "--neighbors nn.npz", "--affinities nn.npz", "--neighbors approximate", "--transpose"):
        run(f"tsne d60.csv --holds dissimilarities {flags} -o o.csv", None).says(flags.split()[0])
    for flags in ("--metric cosine", "--queries p60.csv", "--method approximate", "--recall 0.9"):
        run(f"neighbors d60.csv --holds dissimilarities {flags} -o o.npz", None).says(flags.split()[0])
    for command in ("pacmap", "kmeans", "mixture", "train"):
        run(f"{command} d60.csv --holds dissimilarities", None).says("not as dissimilarities", "kmedoids")


@by_command("tsne-distances")
def odd_matrices(run):
    matrix = numbers("d60.csv")
    matrix[2][7] = matrix[7][2] = math.nan
    write("missing.csv", [["" if math.isnan(cell) else cell for cell in row] for row in matrix])
    run("tsne missing.csv -o o.csv", 3).says("missing.csv", "--holds dissimilarities")
    run("neighbors missing.csv --holds dissimilarities -k 59 -o o.csv").says("2 of 60 items have fewer than 59")
    assert 7 not in lists("o.csv")[2] and len(lists("o.csv")[2]) == 58
    run("tsne missing.csv --holds dissimilarities -o o.csv --report r.json")
    assert report()["options"]["start"] == "random"
    write("lopsided.csv", [[0, 1, 2], [3, 0, 1], [2, 1, 0]])
    write("negative.csv", [[0, -1, 2], [-1, 0, 1], [2, 1, 0]])
    write("similar.csv", [[1, 0.5, 0.2], [0.5, 1, 0.3], [0.2, 0.3, 1]])
    write("points.csv", [[1, 2], [3, 4], [5, 6]])
    for file, word in (("lopsided", "symmetric"), ("negative", "-1"), ("similar", "itself"), ("points", "square")):
        for command in ("neighbors -k 1", "tsne", "umap"):
            name, _, flags = command.partition(" ")
            run(f"{name} {file}.csv {flags} --holds dissimilarities", None).says(word)
    for n in (1, 2, 3):
        write("few.csv", [[0 if i == j else 1 for j in range(n)] for i in range(n)])
        run("tsne few.csv --holds dissimilarities -o o.csv")
        assert len(rows("o.csv")) == n
    write("zero.csv", [[0] * 9] * 9)
    run("umap zero.csv --holds dissimilarities -o o.csv")


@by_command("tsne-distances")
def matrices_in_other_formats(run):
    matrix = numbers("d60.csv")
    n, head = len(matrix), "%%MatrixMarket matrix array real "
    cells = [matrix[i][j] for j in range(n) for i in range(n)]
    put("d.mtx", head + f"general\n{n} {n}\n" + "".join(f"{cell!r}\n" for cell in cells))
    lower = [matrix[i][j] for j in range(n) for i in range(j, n)]
    put("lower.mtx", head + f"symmetric\n{n} {n}\n" + "".join(f"{cell!r}\n" for cell in lower))
    with open("d.fbin", "wb") as file:
        file.write(struct.pack(f"<2i{n * n}f", n, n, *cells))
    names = [f"n{i:02d}" for i in range(n)]
    write("labeled.csv", [["id", *names, "label"], *([names[i], *matrix[i], "xy"[i % 2]] for i in range(n))])
    order = [(7 * j + 3) % n for j in range(n)]
    write("turned.csv", [["", *(names[j] for j in order)],
                         *([names[i], *(matrix[i][j] for j in order)] for i in range(n))])
    above = [matrix[i][j] for i in range(n) for j in range(i + 1, n)]
    put("column.txt", "".join(f"{cell!r}\n" for cell in above))
    run("mds d60.csv -o wanted.csv")
    wanted = [(row["x"], row["y"]) for row in rows("wanted.csv")]
    for name in ("d.mtx", "lower.mtx", "d.fbin", "labeled.csv", "turned.csv", "column.txt"):
        run(f"mds {name} --holds dissimilarities -o o.csv")
        assert [(row["x"], row["y"]) for row in rows("o.csv")] == wanted, name
        if name != "column.txt":
            run(f"mds {name} -o o.csv").says(name, "read as dissimilarities")
            assert [(row["x"], row["y"]) for row in rows("o.csv")] == wanted, name
        run(f"tsne {name} -o o.csv").says("matrix of dissimilarities", "--holds dissimilarities")
    run("mds turned.csv -o o.csv").says("in the order of its rows")
    write("s.csv", [[1 - cell / 100 for cell in row] for row in matrix])
    run("tsne s.csv -o o.csv").says("matrix of similarities", "1 - s")


# Given neighbors and k


@by_command("given-k")
def k_of_the_given_neighbors(run):
    run("neighbors p60.csv -k 30 -o near30.npz")
    run("neighbors p60.csv --k 10 -o near10.npz")
    run("neighbors p60.csv -k 9 -o near9.npz")
    for method, few, k in (("umap", "near9", 10), ("tsne", "near10", 10)):
        run(f"{method} p60.csv --neighbors near30.npz --k {k} -o cut.csv --report r.json" + QUICK)
        assert report()["options"]["k"] == k, report()["options"]
        run(f"{method} p60.csv --neighbors {few}.npz -o few.csv" + QUICK)
        same_order(places("cut.csv"), places("few.csv"))
        run(f"{method} p60.csv --neighbors near30.npz -o all.csv --report r.json" + QUICK)
        assert report()["options"]["k"] == (31 if method == "umap" else 30)
        run(f"{method} p60.csv --neighbors near9.npz -k 20 -o o.csv", None).says("k is 20", "9 neighbors are given")
        run(f"{method} p60.csv --neighbors near30.npz -k 30 -o o.csv --report r.json" + QUICK)
        assert report()["options"]["k"] == 30
    run("pacmap p60.csv --neighbors near30.npz --k 5 -o o.csv --report r.json")
    assert report()["options"]["k"] == 5
    run("pacmap p60.csv --neighbors near9.npz --k 12 -o o.csv", None).says("k is 12", "9 neighbors are given")


@by_command("given-k")
def k_of_unsorted_and_uneven_lists(run):
    run("neighbors p60.csv -k 30 -o near30.csv")
    edges = rows("near30.csv")
    random.seed(2)
    random.shuffle(edges)
    head = ["source", "target", "weight"]
    write("shuffled.csv", [head] + [[edge[name] for name in head] for edge in edges])
    run("tsne p60.csv --neighbors near30.csv --k 12 -o a.csv" + QUICK)
    run("tsne p60.csv --neighbors shuffled.csv --k 12 -o b.csv" + QUICK)
    same_order(places("a.csv"), places("b.csv"))
    uneven = [edge for edge in edges if edge["source"] != "5" or int(edge["target"]) % 3 == 0]
    write("uneven.csv", [head] + [[edge[name] for name in head] for edge in uneven])
    run("umap p60.csv --neighbors uneven.csv -k 25 -o o.csv", None).says("row 5")
    run("umap p60.csv --neighbors uneven.csv -o map.csv --state s.npz --report r.json" + QUICK)
    assert "k" not in report()["options"], report()["options"]
    run("transform p60.csv --map map.csv --of p60.csv --map-report r.json --neighbors uneven.csv -o o.csv")
    run("transform p60.csv --map map.csv --of p60.csv --map-report r.json --state s.npz -o o.csv")


@by_command("given-k")
def k_of_the_given_neighbors_elsewhere(run):
    run("neighbors p60.csv -k 30 -o near30.npz")
    run("neighbors p60.csv -k 15 -o near15.npz")
    run("tsne p60.csv --neighbors near30.npz --k 15 -o map.csv --report map.json" + QUICK)
    write("new.csv", [["0.5"] * len(numbers("p60.csv")[0])] * 2)
    # transform
    run("transform new.csv --map map.csv --of p60.csv --map-report map.json --neighbors near30.npz -o a.csv "
        "--report r.json")
    assert report()["options"]["k"] == 15, report()["options"]
    run("transform new.csv --map map.csv --of p60.csv --perplexity 5 --neighbors near15.npz -o b.csv")
    run("transform new.csv --map map.csv --of p60.csv --perplexity 5 --k 15 --neighbors near30.npz -o c.csv")
    same_order(places("b.csv"), places("c.csv"))
    run("transform new.csv --map map.csv --of p60.csv --k 40 --neighbors near30.npz -o o.csv", None).says("k is 40")
    run("transform new.csv --map map.csv --of p60.csv --method umap --k 16 --neighbors near30.npz -o a.csv")
    run("transform new.csv --map map.csv --of p60.csv --method umap --neighbors near15.npz -o b.csv")
    same_order(places("a.csv"), places("b.csv"))
    # score --per-point
    score = "score map.csv --of p60.csv --perplexity 5 --per-point o.csv --report r.json"
    run(f"{score} --neighbors near30.npz -k 10")
    assert report()["options"]["k"] == 10
    run(f"{score} --neighbors near30.npz -k 40", None).says("k is 40")


@by_command("given-k")
def given_lists_that_are_not_of_the_points(run):
    with open("p60.csv") as file:
        lines = file.read().splitlines()
    with open("p50.csv", "w") as file:
        file.write("\n".join(lines[:50]) + "\n")
    run("neighbors p50.csv -k 10 -o near50.npz")
    run("neighbors p60.csv -k 10 -o near.csv")
    head = ["source", "target", "weight"]
    edges = [[int(e["source"]), int(e["target"]), e["weight"]] for e in rows("near.csv")]
    write("from1.csv", [head] + [[a + 1, b + 1, w] for a, b, w in edges])
    write("itself.csv", [head] + [[a, a, 0] for a in range(60)] + edges)
    write("twice.csv", [head] + edges + edges[:1])
    run("tsne p60.csv -o map.csv --iterations 10")
    commands = ("tsne p60.csv", "umap p60.csv", "pacmap p60.csv", "score map.csv --of p60.csv",
                "transform p50.csv --map map.csv --of p60.csv")
    for command in commands:
        out = "" if command.startswith("score") else " -o o.csv"
        for file, words in (("near50.npz", ("50", "60")), ("from1.csv", ("61", "60")), ("itself.csv", ("itself",)),
                            ("twice.csv", ("twice",))):
            run(f"{command} --neighbors {file}{out}", None).says(*words)
    run("tsne p60.csv --affinities near50.npz -o o.csv", None).says("50", "60")
