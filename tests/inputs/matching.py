# SPDX-License-Identifier: Apache-2.0
"""Rows, columns and vertices are matched by name."""

import json

from harness import apart, by_command, near, places, report, rows, same_order, same_scores

STILL = "--iterations 0 --exaggerated-iterations 0"


def quality(run, arguments):
    """The scores that dunlin score reports."""
    run(f"score {arguments} --device cpu --report s.json")
    return report("s.json")["quality"]


def labels_of(path):
    return {row["id"]: row["label"] for row in rows(path)}


def by_parity(path):
    """Whether even ids have the label A and odd ones B."""
    return all(label == "AB"[int(name[1:]) % 2] for name, label in labels_of(path).items())


@by_command("ids-ignored")
def labels_by_id(run):
    run(f"tsne p.csv --labels meta.csv -o o.csv {STILL}")
    assert by_parity("o.csv")
    run(f"tsne p.csv --labels meta.csv:label -o o.csv {STILL}")
    assert by_parity("o.csv")
    run("draw o.csv --labels meta.csv -o o.svg")


@by_command("ids-ignored")
def some_labels(run):
    """Rows without a label and labels without a row are counted."""
    header, *lines = open("meta.csv").read().splitlines()
    open("some.csv", "w").write("\n".join([header, *lines[3:], "s77,B", "s78,A"]) + "\n")
    run(f"tsne p.csv --labels some.csv -o o.csv --report o.json {STILL}").says(
        "some.csv", "2 rows of some.csv are not in p.csv", "3 of the 20 rows of p.csv are not in some.csv"
    )
    assert sorted(labels_of("o.csv").values()).count("") == 3
    assert any("some.csv" in note for note in report("o.json")["notes"])


@by_command("ids-ignored")
def unusable_labels(run):
    lines = open("meta.csv").read().splitlines()
    open("twice.csv", "w").write("\n".join([*lines, lines[1]]) + "\n")
    run("info p.csv --labels twice.csv", code=None).says("twice.csv", "'s08' twice")
    open("strangers.csv", "w").write("id,label\n" + "".join(f"q{i},A\n" for i in range(20)))
    run("info p.csv --labels strangers.csv", code=None).says("no id in common", "q0", "s00")
    open("lines.txt", "w").write("A\n" * 20)
    run("info p.csv --labels lines.txt").says("by order", "lines.txt has no ids")
    run("info p.csv --labels lines.txt:label", code=None).says("lines.txt")
    run("info p.csv --labels meta.csv:nothing", code=None).says("'nothing'", "'label'")


@by_command("ids-ignored")
def score_and_start_by_id(run):
    run("tsne p.csv -o map.csv --device cpu --iterations 60")
    same_scores(quality(run, "map.csv --of ps.csv"), quality(run, "map.csv --of p.csv"))
    run(f"tsne ps.csv --start map.csv -o o2.csv {STILL}")
    # t-SNE centers and scales its start: distances in proportion
    before, after = places("map.csv"), places("o2.csv")
    ratio = apart(after, "s00", "s01") / apart(before, "s00", "s01")
    for a, b in (("s02", "s17"), ("s05", "s08"), ("s19", "s03")):
        near(apart(after, a, b) / apart(before, a, b) / ratio, 1, 1e-3)
    for method, steps in (("umap", "1"), ("pacmap", "1,1,1")):
        run(f"{method} p.csv -o a.csv --start map.csv --iterations {steps}")
        run(f"{method} ps.csv -o b.csv --start map.csv --iterations {steps}")
        assert places("a.csv").keys() == places("b.csv").keys()
    run("mds ps.csv --start map.csv -o m.csv --method smacof --iterations 0")
    same_order(places("m.csv"), before, 1e-4)
    run("transform p.csv --map map.csv --of ps.csv -o t.csv")
    run("transform p.csv --map map.csv --of p.csv -o u.csv")
    same_order(places("t.csv"), places("u.csv"), 0.5)
    open("none.csv", "w").write("id,x,y\n" + "".join(f"q{i},{i},1\n" for i in range(20)))
    run("score none.csv --of p.csv", code=None).says("no id in common")


@by_command("ids-ignored")
def given_files_by_id(run):
    """Neighbors, affinities, weights, anchors, colors and values of rows in another order."""
    for suffix in ("npz", "csv"):
        run(f"neighbors p.csv -k 6 -o nn.{suffix}")
        run(f"umap p.csv --neighbors nn.{suffix} -o a.csv --start random --iterations 1 --k 6")
        run(f"score a.csv --of ps.csv --neighbors nn.{suffix} --per-point r.csv --perplexity 1.5")
        run(f"score a.csv --of p.csv --neighbors nn.{suffix} --per-point s.csv --perplexity 1.5")
        r, s = ({row["id"]: row for row in rows(f)} for f in ("r.csv", "s.csv"))
        assert r.keys() == s.keys()
        near(float(r["s03"]["lost"] or 0), float(s["s03"]["lost"] or 0), 1e-6)
    names = [row["id"] for row in rows("p.csv")]
    open("w.csv", "w").write("id,w\n" + "".join(f"{n},{1 + (n == 's03') * 1e6}\n" for n in reversed(names)))
    open("c.csv", "w").write("id,kind\n")
    run("kmeans p.csv --clusters 1 --weights w.csv -o l.csv --centroids c.csv")
    s03 = next(row for row in rows("p.csv") if row["id"] == "s03")
    near(float(rows("c.csv")[0]["x"]), float(s03["x"]), 1e-3)
    run("kmeans p.csv --clusters 1 --weights w.csv:w -o l.csv --centroids c2.csv")
    near(float(rows("c2.csv")[0]["x"]), float(s03["x"]), 1e-3)
    run("draw a.csv --color w.csv:w -o a.svg")
    open("few.csv", "w").write("id,v\ns01,3\ns02,4\n")
    run("draw a.csv --color few.csv:v -o a.svg").says("18 of the 20 rows of a.csv are not in few.csv")
    run("density a.csv --values few.csv:v -o d.npy --nodes 64").says("18 of the 20 rows")
    run("kmeans p.csv --clusters 1 --weights few.csv -o l.csv", code=None).says("few.csv has no row 's00'")
    run("tsne p.csv --point-weights few.csv:v -o o.csv", code=None).says("few.csv has no row")
    open("anchor.csv", "w").write("id,x,y\ns05,1,2\nq9,3,4\n")
    run(f"tsne p.csv --anchor anchor.csv -o o.csv {STILL}").says("1 row of anchor.csv is not in p.csv")
    run("umap p.csv --fixed anchor.csv -o o.csv --iterations 5").says("1 row of anchor.csv is not in p.csv")
    same = places("o.csv")["s05"]
    near(same[0], 1), near(same[1], 2)


@by_command("ids-ignored")
def drawings_by_name(run):
    """Labels, pins and starts of a graph."""
    open("g.csv", "w").write("source,target\na,b\nb,c\nc,d\n")
    open("l.csv", "w").write("id,label\nd,2\nb,1\na,1\nc,2\n")
    run("layout g.csv -o g.map.csv --labels l.csv")
    assert labels_of("g.map.csv") == {"a": "1", "b": "1", "c": "2", "d": "2"}
    open("pins.csv", "w").write("id,pinned\nd,1\na,0\n")
    open("start.csv", "w").write("id,x,y\nd,3,7\nc,2,0\nb,1,0\na,0,0\n")
    run("layout g.csv --start start.csv --pinned pins.csv -o o.csv").says("2 of the 4 rows")
    near(places("o.csv")["d"][1], 7)


@by_command("weights-names-ignored")
def square_weights_by_name(run):
    for name in ("w1", "w2"):
        run(f"mds d.csv --method smacof --weights {name}.csv -o {name}.map.csv --per-point {name}.stress.csv")
    same_order(places("w1.map.csv"), places("w2.map.csv"))
    assert [row["id"] for row in rows("w1.stress.csv")] == list("ABCDEFG")
    open("w3.csv", "w").write(open("w2.csv").read().replace("D", "Q"))
    run("mds d.csv --method smacof --weights w3.csv -o o.csv", code=None).says("'D'")


@by_command("columns-by-position")
def columns_by_name(run):
    run("tsne p.csv -o map.csv --report map.json --device cpu")
    place = "--map map.csv --of p.csv --map-report map.json"
    run(f"transform same.csv {place} -o same.map.csv")
    run(f"transform moved.csv {place} -o moved.map.csv --report r.json").says("moved.csv", "another order", "p.csv")
    same_order(places("same.map.csv"), places("moved.map.csv"))
    assert "another order" in json.dumps(report())
    run("neighbors p.csv -k 3 --queries same.csv -o a.csv")
    run("neighbors p.csv -k 3 --queries moved.csv -o b.csv")
    assert open("a.csv").read() == open("b.csv").read()
    run("train p.csv -o m.npz --epochs 2 --layers 8 --pretrain none")
    run("transform same.csv --model m.npz -o a.csv")
    run("transform moved.csv --model m.npz -o b.csv").says("another order")
    same_order(places("a.csv"), places("b.csv"))


@by_command("columns-by-position")
def other_columns(run):
    run("kmeans p.csv --clusters 4 -o l.csv --centroids c.csv")
    header, *lines = open("c.csv").read().splitlines()
    table = [line.split(",") for line in [header, *lines]]
    open("swapped.csv", "w").write("\n".join(",".join(reversed(line)) for line in table) + "\n")
    run("kmeans p.csv --from swapped.csv --iterations 0 -o k.csv --centroids d.csv").says("another order")
    assert open("l.csv").read() == open("k.csv").read()
    text = open("same.csv").read()
    open("renamed.csv", "w").write(text.replace("age", "years", 1))
    run("neighbors p.csv -k 3 --queries renamed.csv -o a.csv", code=None).says("'age'", "renamed.csv", "p.csv")
    open("fewer.csv", "w").write("\n".join(line.rsplit(",", 1)[0] for line in text.splitlines()) + "\n")
    run("neighbors p.csv -k 3 --queries fewer.csv -o a.csv", code=None).says("'age'", "fewer.csv")
    more = [line + (",extra" if i == 0 else ",1") for i, line in enumerate(text.splitlines())]
    open("more.csv", "w").write("\n".join(more) + "\n")
    run("neighbors p.csv -k 3 --queries more.csv -o a.csv", code=None).says("'extra'", "more.csv")


@by_command("columns-by-position")
def offsets_follow_the_columns(run):
    """Columns far from zero, whose offset is subtracted, in another order."""
    open("far.csv", "w").write("a,b\n" + "".join(f"{1e6 + i},{i % 7}\n" for i in range(40)))
    open("far2.csv", "w").write("b,a\n" + "".join(f"{i % 7},{1e6 + i}\n" for i in range(40)))
    run("neighbors far.csv -k 1 --queries far2.csv -o nn.csv")
    assert all(float(row["weight"]) == 0 and row["source"] == row["target"] for row in rows("nn.csv"))


@by_command("labels-first-column")
def which_column(run):
    run("info p.csv --labels meta2.csv", code=None).says("'sample'", "'celltype'", "'batch'")
    run("info p.csv --labels meta2.csv:celltype").prints("labels: 2 classes")
    run("info p.csv --labels meta2.csv:2").prints("labels: 2 classes")
    run("info p.csv --labels meta2.csv:batch")
    open("words.csv", "w").write("sample,celltype\ns00,A\ns01,B\n")
    run("info p.csv --labels words.csv:celltype").prints("labels: 2 classes").says("18 of the 20 rows of p.csv")
    open("a:b.csv", "w").write("id,kind,label\ns00,x,A\ns01,y,A\n")
    run("info p.csv --labels a:b.csv").prints("labels: 1 class")
    run("info p.csv --labels a:b.csv:kind").prints("labels: 2 classes")
    run("kmeans p.csv --clusters 2 -o clusters.csv")
    run("info p.csv --labels clusters.csv").prints("labels: 2 classes")
    open("tabs.txt", "w").write("id\tlabel\n" + "".join(f"s{i:02}\t{'AB'[i % 2]}\n" for i in range(20)))
    run("info p.csv --labels tabs.txt").prints("labels: 2 classes")


@by_command("graph-map-node-column")
def maps_by_vertex(run):
    wanted = quality(run, "same.csv --of g.txt --holds graph")
    near(wanted["scaled_stress"], 0.0191, 1e-4)
    assert quality(run, "map.csv --of g.txt --holds graph") == wanted
    for name in ("vertex", "Node_ID"):
        open("other.csv", "w").write(open("map.csv").read().replace("node", name, 1))
        assert quality(run, "other.csv --of g.txt --holds graph") == wanted
    run("layout g.txt --start map.csv --pinned pinned.txt -o out.csv --device cpu")
    run("draw map.csv --graph g.txt -o out.svg")
    run("draw same.csv --graph g.txt -o same.svg --title map")
    run("draw map.csv --graph g.txt -o out.svg --title map")
    assert open("out.svg").read() == open("same.svg").read()


@by_command("out-graph-rows-as-ids")
def neighbors_are_rows(run):
    for graph in ("nn.csv", "nn.tsv", "nn.npz"):
        run(f"neighbors p.csv -k 1 --device cpu -o {graph}")
        for name in ("map", "noid"):
            scores = quality(run, f"{name}.csv --of {graph} --holds graph")
            near(scores["neighborhood_preservation"], 1)
            assert scores["crossings"] == 0
    run("draw map.csv --graph nn.csv -o m.svg")
    run("info nn.csv").prints("ids: '3' to")
    text = open("map.csv").read().splitlines()
    open("map1.csv", "w").write("\n".join([text[0], *(str(int(t[0]) + 1) + t[1:] for t in text[1:])]) + "\n")
    run("neighbors p.csv -k 1 --device cpu -o nn.mtx")
    run("score map1.csv --of nn.mtx --holds graph").says("nn.mtx", "1 to n")


@by_command("out-map-third-column")
def coordinates_by_name(run):
    wanted = quality(run, "plain.csv --of points.csv")
    near(wanted["trustworthiness"], 1)
    same_scores(quality(run, "ix.csv --of points.csv"), wanted)
    run("score ix.csv --of points.csv").says("ix.csv", "by order")
    table = [row for row in rows("plain.csv")]
    for axes in (("tSNE_1", "tSNE_2"), ("umap-0", "umap-1"), ("PC1", "PC2"), ("x", "y"), ("X1", "X2")):
        for extra in ("leiden", "seurat_clusters", "age", "cluster"):
            with open("m.csv", "w") as file:
                file.write(f"cell,{extra},{axes[0]},{axes[1]}\n")
                for r, row in enumerate(table):
                    file.write(f"{row['cell']},{r % 3},{row['UMAP_1']},{row['UMAP_2']}\n")
            run("score m.csv --of points.csv").says(f"'{extra}' not used")
            same_scores(quality(run, "m.csv --of points.csv"), wanted)
    run("density ix.csv -o d.npy --nodes 64 --device cpu")
    open("three.csv", "w").write("UMAP_1,UMAP_2,UMAP_3\n" + "".join(f"{i},{i % 3},{i % 5}\n" for i in range(30)))
    run("draw three.csv -o t.svg")
    open("two.csv", "w").write("UMAP1,UMAP2,PC1,PC2\n" + "1,2,3,4\n" * 5)
    run("draw two.csv -o t.svg", code=None).says("several maps", "'UMAP1'", "'PC1'")


@by_command("ids-ignored")
def what_goes_by_order_is_said(run):
    """Maps and columns without names beside some that have names."""
    names = [row["id"] for row in rows("p.csv")]
    open("noid.csv", "w").write("x,y\n" + "".join(f"{i},{i % 3}\n" for i in range(len(names))))
    for flag in ("--fixed", "--grow", "--anchor"):
        run(f"tsne p.csv {flag} noid.csv -o o.csv --iterations 1 --exaggerated-iterations 0").says("noid.csv", "by order")
    run("mds p.csv --fixed noid.csv -o o.csv").says("by order")
    run("score noid.csv --of p.csv").says("by order")
    open("g.csv", "w").write("source,target\na,b\nb,c\n")
    open("three.csv", "w").write("x,y\n0,0\n1,0\n2,0\n")
    for command in ("layout g.csv --start three.csv -o o.csv", "score three.csv --of g.csv", "draw three.csv --graph g.csv -o o.svg"):
        run(command).says("three.csv", "by order")
    plain = "\n".join(line.split(",", 1)[1] for line in open("p.csv").read().splitlines()[1:])
    open("plain.csv", "w").write(plain + "\n")
    run("neighbors p.csv -k 2 --queries plain.csv -o nn.csv").says("plain.csv has no names of columns")


@by_command("ids-ignored")
def a_dimension_is_not_dropped(run):
    open("map.csv", "w").write("id,x,y\n" + "".join(f"{row['id']},{i},{i % 3}\n" for i, row in enumerate(rows("p.csv"))))
    for command in ("tsne p.csv --start map.csv", "umap p.csv --start map.csv", "tsne p.csv --fixed map.csv"):
        run(f"{command} --dim 3 -o o.csv", code=None).says("--dim is 3")


@by_command("ids-ignored")
def labels_that_are_no_classes_are_said(run):
    open("l.txt", "w").write("".join(f"{row['id']} A\n" for row in rows("p.csv")))
    run("info p.csv --labels l.txt").says("another label in every row")


@by_command("ids-ignored")
def neighbors_of_queries_have_names(run):
    run("neighbors p.csv -k 2 --queries ps.csv -o nn.csv")
    table = rows("nn.csv")
    assert [row["source_id"] for row in table[::2]] == [row["id"] for row in rows("ps.csv")]
    assert all(row["source_id"] == row["target_id"] for row in table[::2])
    run("mixture p.csv -o m.csv --responsibilities r.csv")
    assert [row["id"] for row in rows("r.csv")] == [row["id"] for row in rows("p.csv")]
