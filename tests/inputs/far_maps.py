# SPDX-License-Identifier: Apache-2.0
"""Maps and points far from zero, and in extreme units, by the command."""

import math

from harness import by_command, near, places, put, report, rows


def _numbers(path):
    """The numbers of a table by row; other cells are left out."""
    return [[float(cell) for cell in row.values() if _is_number(cell)] for row in rows(path)]


def _is_number(cell):
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _scores(run, arguments):
    """The scores that `dunlin score` prints, by name."""
    return {words[0]: float(words[1]) for words in map(str.split, run(arguments).out.splitlines()) if len(words) > 1}


@by_command("embed-map-offset")
def a_moved_map_has_the_same_scores(run):
    here = _scores(run, "score local.csv --of points.csv --no-kl")
    assert here == _scores(run, "score utm.csv --of points.csv --no-kl")
    assert here["rnx_auc"] == here["preservation_10"] == 1
    seconds = [f"{x + 1.7e9!r},{y + 1.7e9!r}" for x, y in _numbers("local.csv")]
    put("seconds.csv", "x,y\n" + "\n".join(seconds))
    assert here == _scores(run, "score seconds.csv --of points.csv --no-kl")
    lists = [[x + 512300, y + 5411200] for x, y in _numbers("local.csv")]
    put("utm.json", str(lists))
    assert here == _scores(run, "score utm.json --of points.csv --no-kl")


@by_command("embed-map-offset")
def fixed_rows_stay_as_they_are(run):
    given = _numbers("utm-forty.csv")
    for command in ("umap", "tsne --perplexity 10", "pacmap"):
        for extension in ("csv", "tsv", "json"):
            run(f"{command} points.csv --fixed utm-forty.csv --scores none -o fixed.{extension}")
        assert report("fixed.json")["coordinates"][: len(given)] == _numbers("fixed.tsv")[: len(given)] == given
        written = _numbers("fixed.csv")
        assert written[: len(given)] == given, (command, written[0], given[0])
        assert all(abs(x - 512300) < 1000 and abs(y - 5411200) < 1000 for x, y in written[len(given) :])
    # New rows in a map far from zero, and a map that grows from it
    run("transform points.csv --map utm.csv --of points.csv --method umap -o new.csv")
    assert all(abs(x - 512300) < 1000 for x, _ in _numbers("new.csv"))
    run("tsne points.csv --perplexity 10 --grow utm-forty.csv --iterations 20 --scores none -o grown.csv")
    assert all(abs(y - 5411200) < 1000 for _, y in _numbers("grown.csv"))


@by_command("out-map-far-from-zero")
def scores_and_density_of_a_far_map(run):
    here, far = (_scores(run, f"score {name}.csv --of points.csv") for name in ("near", "far"))
    assert here == far and far["trustworthiness"] == 1
    near(far["kl"], 0.349)
    found = {}
    for name in ("near", "far"):
        run(f"density {name}.csv -o {name}.npy --peaks {name}-peaks.csv --report {name}.json")
        found[name] = report(f"{name}.json")
    assert abs(found["far"]["options"]["bandwidth"] - 0.2725) < 1e-4
    assert found["near"]["quality"]["peaks"] == found["far"]["quality"]["peaks"] == 11
    moved = [place - by for place, by in zip(found["far"]["quality"]["origin"], (500000, 4500000))]
    assert all(abs(a - b) < 1e-3 for a, b in zip(moved, found["near"]["quality"]["origin"]))
    for (x, y, *_), (a, b, *_) in zip(_numbers("near-peaks.csv"), _numbers("far-peaks.csv")):
        assert math.isclose(x + 500000, a, abs_tol=1e-3) and math.isclose(y + 4500000, b, abs_tol=1e-3)


@by_command("graph-pinned-float32")
def pinned_vertices_stay_as_they_are(run):
    run("layout g.csv --start start.csv --pinned pinned.txt --length 0.2 -o out.csv -o out.dot -o out.graphml")
    run("layout g.csv --start shifted.csv --pinned pinned.txt --length 0.2 -o near.csv")
    lines = {line.split(",")[0]: line.split(",")[1:3] for line in open("out.csv").read().split()[1:]}
    assert lines["hub"] == ["500000.15", "5600000.35"] and lines["1"] == ["500000.05", "5600000.25"], lines
    corner = [a - b for a, b in zip(places("start.csv")["hub"], places("shifted.csv")["hub"])]
    moved = places("near.csv")
    for name, place in places("out.csv").items():
        assert all(abs(a - b - c) < 1e-3 for a, b, c in zip(place, moved[name], corner)), (name, place)
    # A graph that holds its positions: written and read again
    run("layout out.graphml --start input --iterations 0 -o again.csv")
    again = places("again.csv")
    assert all(math.dist(again[name], place) < 1e-3 for name, place in places("out.csv").items())


@by_command("out-transform-alone")
def a_row_has_one_place_alone_and_with_others(run):
    run("train train.csv --layers 20,20 --epochs 2 --pretrain-epochs 20 --seed 1 -o m.npz -o map.csv --scores none")
    for name in ("five", "one"):
        run(f"transform {name}.csv --model m.npz -o {name}.out.csv")
    one, five, whole = (open(name).read().split() for name in ("one.out.csv", "five.out.csv", "map.csv"))
    assert one[1] == five[1] == whole[21]


@by_command("embed-correlation-constant-rows")
def constant_rows_have_no_part_in_correlations(run):
    for name in ("hpa", "less1013"):
        run(f"neighbors {name}.csv -k 4 --metric correlation -o {name}.npz -o {name}.out.csv")
    less, far = (_numbers(f"{name}.out.csv") for name in ("less1013", "hpa"))
    assert len(less) == len(far)
    for a, b in zip(less, far):
        assert a[:2] == b[:2] and abs(a[2] - b[2]) < 1e-4, (a, b)


@by_command("embed-pca-scale")
def principal_axes_do_not_depend_on_the_unit(run):
    cells = _numbers("unit.csv")
    header, *lines = open("unit.csv").read().split()
    kinds = [line.split(",")[-1] for line in lines]
    assert cells and header.endswith("kind")
    for scale in (1e20, 1e12, 1e-24, 1e-30):
        scaled = [",".join(f"{float(cell) * scale!r}" for cell in line.split(",")[:-1]) for line in lines]
        table = put("scaled.csv", header + "\n" + "\n".join(f"{row},{kind}" for row, kind in zip(scaled, kinds)) + "\n")
        for command in ("tsne --pca 3", "umap --pca 3", "pacmap --pca 3", "tsne --iterations 0"):
            name, *flags = command.split()
            run([name, table, "--labels", "kind", *flags, "-o", "map.csv", "--report", "r.json"])
            accuracy = report("r.json")["quality"]["label_accuracy"]
            assert accuracy == 1, (scale, command, accuracy)


@by_command("python-one-far-row")
def the_cluster_of_a_row_alone(run):
    run("kmeans row.csv --from centers.csv --iterations 0 -o row.out.csv --centroids c.csv")
    run("kmeans two.csv --from centers.csv --iterations 0 -o two.out.csv --centroids c.csv")
    assert open("row.out.csv").read().split()[1] == open("two.out.csv").read().split()[1] == "1"
