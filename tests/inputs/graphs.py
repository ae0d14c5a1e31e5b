# SPDX-License-Identifier: Apache-2.0
"""Formats of graphs, read and written."""

import csv
import json
import math
import shutil
import subprocess

from harness import apart, by_command, by_python, near, places

CPU = "--device cpu"


def put(name, text):
    """Writes a file of this text, as it is."""
    with open(name, "w", newline="") as file:
        file.write(text)
    return name


def counts(run, name, more=""):
    """(vertices, edges) that `dunlin info` finds in a graph."""
    words = run(f"info {name} {more}").out.splitlines()[0].split(", ")
    return int(words[1].split()[0]), int(words[2].split()[0])


def weights(run, name, more=""):
    """The line of the weights of `dunlin info`."""
    lines = run(f"info {name} {more}").out.splitlines()
    return next(line.removeprefix("weights: ") for line in lines if line.startswith("weights: "))


REDDIT = (
    "SOURCE_SUBREDDIT\tTARGET_SUBREDDIT\tPOST_ID\tTIMESTAMP\tLINK_SENTIMENT\tPROPERTIES\n"
    "leagueoflegends\tteamredditteams\t1u4nrps\t2013-12-31 16:39:58\t1\t345.0,298.0\n"
    "theredlion\tsoccer\t1u4qkd\t2013-12-31 18:18:37\t-1\t101.0,98.0\n"
)


# Headers


@by_command("edge-header")
def a_header_is_told_by_its_columns(run):
    assert counts(run, "string.txt", "--holds graph") == (3, 2) == counts(run, "string.txt")
    assert weights(run, "string.txt", "--holds graph") == "155 to 900"
    assert counts(run, put("reddit.tsv", REDDIT), "--holds graph") == (4, 2)
    assert counts(run, put("uvw.csv", "u,v,w\na,b,2\nb,c,3\n"), "--holds graph") == (3, 2)
    assert weights(run, "uvw.csv", "--holds graph") == "2 to 3"
    for name, text in (
        ("date.csv", "who,whom,when\nann,bob,2020-01-01\nbob,cid,2020-01-02\n"),
        ("mixed.tsv", "user\titem\n1\tapple\n2\tapple\n"),
        ("index.csv", ",u,v,w\n0,a,b,2\n1,b,c,3\n"),
        ("commented.csv", "#key,source,target\n7,a,b\n8,b,c\n"),
        ("quoted.csv", '"u","v","w"\n"a","b",2\n"b","c",3\n'),
        ("comma.csv", "u;v;w\na;b;0,5\nb;c;1,5\n"),
    ):
        assert counts(run, put(name, text), "--holds graph") == (3, 2), name


@by_command("edge-header")
def a_vertex_is_no_name_of_a_column(run):
    assert counts(run, put("a.txt", "a b 2\nb c 3\n"), "--holds graph") == (3, 2)
    assert counts(run, put("b.txt", "anne bob\nbob carl\n"), "--holds graph") == (3, 2)
    run("info " + put("c.txt", "a b x\nb c 1\n") + " --holds graph", None).says("c.txt", "x")
    assert counts(run, put("d.txt", "a b 2\n"), "--holds graph") == (2, 1)


@by_command("edge-header")
def what_could_be_either_is_said_with_the_flag(run):
    put("either.txt", "person friend\nann bob\nbob carl\n")
    run("info either.txt --holds graph").says("either.txt", "--header")
    assert counts(run, "either.txt", "--holds graph") == (5, 3)
    assert counts(run, "either.txt", "--holds graph --header yes") == (3, 2)
    put("genes.txt", "gene1 gene2\nTP53 MDM2\nMDM2 ATM\n")
    run("info genes.txt --holds graph").says("--header")
    assert counts(run, "genes.txt", "--holds graph") == (3, 2)
    assert counts(run, "genes.txt", "--holds graph --header no") == (5, 3)
    run(f"layout either.txt -o o.csv --report r.json {CPU}").says("--header")
    with open("r.json") as file:
        assert any("edge" in note for note in json.load(file)["input"]["notes"])


@by_python("edge-header")
def a_header_is_told_in_python():
    import dunlin

    graph = dunlin.read("string.txt", holds="graph")
    assert len(graph) == 3 and sorted(set(graph.csr[2].tolist())) == [155, 900]
    put("either.txt", "person friend\nann bob\nbob carl\n")
    assert dunlin.read("either.txt", holds="graph").notes
    assert len(dunlin.read("either.txt", holds="graph", header="yes")) == 3


@by_command("edge-header")
def a_column_that_is_not_used_is_said(run):
    put("more.csv", "source,target,kind,weight\na,b,x,2\nb,c,y,3\n")
    run(f"layout more.csv -o o.csv {CPU}").says("3 'kind'")
    run(f"mds more.csv -o o.csv {CPU}").says("3 'kind'")
    put("time.csv", "source,target,time\na,b,17\nb,c,18\n")
    run(f"layout time.csv -o o.csv {CPU}").says("3 'time'")
    put("len.csv", "source,target,length\na,b,17\nb,c,18\n")
    run(f"layout len.csv -o o.csv {CPU}").says("3 'length'")
    put("capacity.csv", "source,target,capacity\na,b,17\nb,c,18\n")
    run(f"layout capacity.csv -o o.csv {CPU}").says("capacity", "--weights-from")
    put("hash.txt", "a b\n#c d\nb c\n")
    run(f"layout hash.txt -o o.csv {CPU}").says("comments: 1")
    put("score.gml", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 score 3 ] ]")
    run(f"layout score.gml -o o.csv {CPU}").says("'score'")
    put("score.dot", "graph { a -- b [score=3, penwidth=2] }")
    assert "penwidth" not in run(f"layout score.dot -o o.csv {CPU}").says("'score'").err
    put("nx.txt", "a b {'weight': 7}\nb c {'weight': 8}\n")
    run(f"layout nx.txt -o o.csv {CPU}", None).says("write_weighted_edgelist")
    put("p.csv", "x,y\n0,0\n1,0\n0,1\n5,5\n")
    put("knn.csv", "source,target,weight,comment\n0,1,1,a\n1,0,1,b\n2,0,1,c\n3,2,7,d\n")
    run(f"umap p.csv --neighbors knn.csv -o o.csv {CPU}").says("comment")


# Other formats

LGL = "# a\nb 1\nc 2\n# b\nc 1.5\n"
OTHERS = {
    "x.lgl": (LGL, "LGL"),
    "lgl.txt": (LGL, "LGL"),
    "pajek.txt": ("*Vertices 2\n1 \"a\"\n2 \"b\"\n*Arcs\n1 2 3\n", "Pajek"),
    "network.paj": ("% a comment\n*Network n\n*vertices 2\n*matrix\n0 1\n1 0\n", "Pajek"),
    "gdf.csv": ("nodedef>name VARCHAR\na\nb\nedgedef>node1 VARCHAR,node2 VARCHAR,weight DOUBLE\na,b,2\n", "GDF"),
    "tgf.txt": ("n1 first\nn2 second\n#\nn1 n2 label\n", "TGF"),
    "sif.txt": ("A pd B\nA pd C\nB pp C\nC pp D\n", "SIF"),
    "arrows.txt": ("a -> b\nb -> c\n", "SIF"),
    "gr.txt": ("c a comment\nc\np sp 3 2\na 1 2 7\na 2 3 5\n", "DIMACS"),
    "max.dat": ("p max 3 2\nn 1 s\nn 3 t\na 1 2 7\na 2 3 5\n", "DIMACS"),
    "col": ("p edge 3 2\ne 1 2\ne 2 3\n", "DIMACS"),
    "x.gexf": ("<?xml version='1.0'?>\n<gexf><graph/></gexf>\n", "GEXF"),
    "xml.txt": ("<?xml version='1.0'?>\n<graphml><graph/></graphml>\n", "GraphML"),
    "gml.txt": ("graph [\n node [ id 1 ]\n]\n", "GML"),
    "dot.txt": ("digraph g {\n a -> b\n}\n", "DOT"),
    "dl.txt": ("DL n=3 format=edgelist1\ndata:\n1 2\n2 3\n", "DL"),
    "g6.txt": (">>graph6<<A_\n", "graph6"),
    "leda.txt": ("LEDA.GRAPH\nstring\nint\n-1\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{1}|\n", "LEDA"),
}
CASES = {
    "two.net": "Pajek",
    "three.net": "Pajek",
    "four.net": "Pajek",
    "two.gdf": "GDF",
    "x.tgf": "TGF",
    "x.sif": "SIF",
    "x.gr": "DIMACS",
    "x.col": "DIMACS",
}


@by_command("graph-formats-as-edges")
def other_formats_are_refused_by_name(run):
    for name, (text, _) in OTHERS.items():
        put(name, text)
    for name, word in {**CASES, **{name: word for name, (_, word) in OTHERS.items()}}.items():
        run(f"layout {name} -o o.json {CPU}", None).says(name, word)
        run(f"info {name} --holds graph", None).says(word)
        run(f"mds {name} --holds graph -o o.csv {CPU}", None).says(word)
    for name in ("two.net", "two.gdf", "x.gr", "x.col", "x.sif"):
        run(f"info {name}", None).says(CASES[name])
    run(f"waves two.net --model diffusion --until 1 -o o.csv {CPU}", None).says("Pajek")


@by_command("graph-formats-as-edges")
def lists_of_edges_stay_lists(run):
    for name, text in (
        ("a.txt", "# a\n% b\n0\t1\n\n# c\n1\t2\n"),
        ("b.txt", "1 2\n2 3\n"),
        ("c.txt", "c p\np q\n"),
        ("d.tsv", "a\tb\tfriend\nb\tc\tfoe\n"),
        ("e.txt", "a b {}\nb c {}\n"),
        ("f.net", "a b\nb c\n"),
        ("g.txt", "graph edge\nedge node\n"),
    ):
        assert counts(run, put(name, text), "--holds graph") == (3, 2), name


@by_python("graph-formats-as-edges")
def other_formats_are_refused_in_python():
    import dunlin

    for name, word in CASES.items():
        try:
            dunlin.read(name, holds="graph")
        except dunlin.DunlinError as error:
            assert word in str(error), error
        else:
            raise AssertionError(name)


@by_command("konect-bipartite")
def two_sides_that_count_alike_are_refused(run):
    run("info out.bip", None).says("out.bip", "bip", "awk")
    run(f"layout out.bip -o o.csv {CPU}", None).says("bip")
    assert counts(run, put("out.sym", "% sym unweighted\n% 2 3 3\n1 2\n2 3\n"), "--holds graph") == (3, 2)


# Weights


@by_command("weight-names")
def weights_are_found_by_name_in_every_format(run):
    assert weights(run, "cyto.graphml") == "2.5 to 2.5"
    for name, text in (
        ("Weight.graphml", None),
        ("ul.gml", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 Weight 7 ] ]"),
        ("value.gml", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 value 9 WEIGHT 7 ] ]"),
        ("w.dot", "graph { a -- b [Weight=7] }"),
        ("value.dot", "graph { a -- b [w=7, value=9] }"),
        ("w.csv", "source,target,Weight\na,b,7\n"),
        ("v.csv", "source,target,Value\na,b,7\n"),
    ):
        if text is not None:
            put(name, text)
        assert weights(run, name, "--holds graph") == "7 to 7", name
    for kind in ("edge", "node", "all"):
        for name in ("weight", "Weights", "W", "VALUE"):
            put(
                "g.graphml",
                f'<graphml><key id="d" for="{kind}" attr.name="{name}" attr.type="long"/><graph edgedefault="directed">'
                '<node id="1"/><node id="2"/><edge source="1" target="2"><data key="d">7</data></edge></graph></graphml>',
            )
            assert weights(run, "g.graphml") == "7 to 7", (kind, name)
            assert weights(run, "g.graphml", f"--weights-from {name.lower()}") == "7 to 7", (kind, name)


@by_command("weight-names")
def lengths_have_names_of_their_own(run):
    put("l.dot", "graph { a -- b [len=2]; b -- c [len=3] }")
    run(f"mds l.dot -o o.csv {CPU}")
    near(apart(places("o.csv"), "a", "c"), 5, 1e-2)
    put("l.csv", "source,target,distance\na,b,2\nb,c,3\n")
    run(f"mds l.csv -o o.csv {CPU}")
    near(apart(places("o.csv"), "a", "c"), 5, 1e-2)
    run(f"layout l.dot -o o.csv {CPU}").says("'len'")


@by_command("weight-names")
def a_missing_weight_is_counted_and_one_of_zero_refused(run):
    put("m.gml", "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 1 target 2 weight 5 ] "
                 "edge [ source 2 target 3 ] ]")
    run(f"layout m.gml -o o.csv {CPU}").says("without a weight", "1")
    put("m.dot", "graph { a -- b [weight=5]; b -- c }")
    run(f"layout m.dot -o o.csv {CPU}").says("without a weight", "1")
    for name, text in (
        ("z.dot", "graph { a -- b [weight=2]; b -- c [weight=0] }"),
        ("z.gml", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight 0 ] ]"),
        ("z.csv", "source,target,weight\na,b,0\n"),
        ("z.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 0\n"),
        ("z.graph", "2 1 1\n2 0\n1 0\n"),
    ):
        put(name, text)
        run(f"layout {name} -o o.csv {CPU}", None).says(name, "weighs 0", "--weights-from none")
        run(f"layout {name} --weights-from none -o o.csv {CPU}")


# DOT


@by_command("dot-pos")
def pinned_inches_are_those_of_graphviz(run):
    run(f"layout p.dot -o o.dot -o o.csv {CPU}")
    near(apart(places("o.csv"), "a", "b"), 3)
    assert 'pos="0,0!"' in open("o.dot").read() and 'pos="216,0!"' in open("o.dot").read()
    run(f"layout o.dot -o again.csv {CPU}")
    near(apart(places("again.csv"), "a", "b"), 3)
    put("sub.dot", 'graph { subgraph cluster_0 { a [pos="0,0!"]; b [pos="3,0!"] } c; a -- c; c -- b }')
    run(f"layout sub.dot -o o.dot {CPU}")
    run(f"layout o.dot -o again.csv {CPU}")
    near(apart(places("again.csv"), "a", "b"), 3)
    put("scale.dot", 'graph { inputscale=10; a [pos="0,0!"]; b [pos="30,0!"]; c; a -- c; c -- b }')
    run(f"layout scale.dot -o again.csv {CPU}")
    near(apart(places("again.csv"), "a", "b"), 3)


@by_command("dot-pos")
def neato_reads_the_places_that_are_written(run):
    if shutil.which("neato") is None:
        return
    run(f"layout p.dot -o o.dot {CPU}")
    for flags in ([], ["-n2"]):
        plain = subprocess.run(["neato", *flags, "-Tplain", "o.dot"], capture_output=True, text=True, check=True).stdout
        at = {words[1]: float(words[2]) for words in map(str.split, plain.splitlines()) if words[0] == "node"}
        near(abs(at["a"] - at["b"]), 3)


@by_command("dot-pos")
def a_place_is_read_as_graphviz_reads_it_or_refused(run):
    put("pos2.dot", 'graph { a [pos="21.3, 46.2"]; b [pos="1,2,  3"]; a -- b }')
    run("info pos2.dot").prints("positions: 2 vertices")
    put("pin.dot", 'graph { a [pos="21.3, 46.2 !"]; b [pos="1,2", pin=true]; a -- b }')
    run("info pin.dot").prints("positions: 2 vertices, 2 pinned")
    for pos in ("(0.1, 0.2)", "[1, 2]", "1 2", "1;2", "1", "x,y", "1,2,3,4", "1,2 3", "nan,1"):
        run("info " + put("pos1.dot", f'graph {{ a [pos="{pos}"]; a -- b }}'), None).says("pos1.dot", "'a'", pos)


@by_command("dot-pos")
def ids_that_begin_with_a_percent_sign_stay(run):
    put("p.dot", 'graph { "%5" -- b; "%" -- "%5"; <%x> -- b; c [label="%y"]; "100%" -- c /* "% */ }')
    run(f"layout p.dot --labels label -o o.csv -o o.dot {CPU}")
    ids = {"%5", "b", "%", "%x", "c", "100%"}
    assert set(places("o.csv")) == ids
    assert '"%y"' in open("o.dot").read()
    run(f"layout o.dot -o again.csv {CPU}")
    assert set(places("again.csv")) == ids
    put("p.csv", "source,target\n%a,b\nb,\"%c\"\n")
    run(f"layout p.csv -o o.csv {CPU}", 0)


# Repeated edges


@by_command("parallel-lengths")
def of_lengths_the_least_counts(run):
    put("par.dot", "graph { A -- B [len=5]; A -- B [len=1]; B -- C [len=2] }")
    put("back.csv", "source,target,length\nA,B,5\nB,A,1\nB,C,2\n")
    put("back.gml", 'graph [ directed 1 node [ id 1 label "A" ] node [ id 2 label "B" ] node [ id 3 label "C" ] '
                    "edge [ source 1 target 2 length 5 ] edge [ source 2 target 1 length 1 ] "
                    "edge [ source 2 target 3 length 2 ] ]")
    for name, more in (("par.csv", "--weights-from length"), ("par.dot", "--weights-from len"), ("par.csv", ""),
                       ("back.csv", "--weights-from length"), ("back.gml", "--weights-from length")):
        run(f"mds {name} {more} -o o.csv --report r.json {CPU}").says("repeated edges: 1", "least")
        near(apart(places("o.csv"), "A", "B"), 1, 1e-2)
        near(apart(places("o.csv"), "A", "C"), 3, 1e-2)
    with open("r.json") as file:
        assert any("repeated" in note for note in json.load(file)["input"]["notes"])
    run(f"layout par.csv --weights length --weights-from length --method stress -o o.csv {CPU}").says("least")
    at = places("o.csv")
    near(apart(at, "B", "C") / apart(at, "A", "B"), 2, 0.02)


@by_command("parallel-lengths")
def entries_of_a_matrix_add_up(run):
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 1\n1 2 1\n2 3 3\n2 1 5\n")
    run(f"mds m.mtx --holds graph -o o.csv {CPU}")
    near(apart(places("o.csv"), "1", "2"), 2, 1e-2)
    near(apart(places("o.csv"), "1", "3"), 5, 1e-2)


def diffusion(ab, bc, until=1.0, step=1e-3):
    """v(b), v(c) of a path a - b - c whose a is held at 1."""
    b = c = 0.0
    for _ in range(round(until / step)):
        b, c = b + step * (ab * (1 - b) + bc * (c - b)), c + step * bc * (b - c)
    return b, c


def waves(run, name, more=""):
    said = run(f"waves {name} {more} --model diffusion --hold a=1 --until 1 --step 0.001 -o o.csv {CPU}").err
    with open("o.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    value = next(column for column in rows[0] if column in ("v", "value"))
    name = "id" if "id" in rows[0] else next(iter(rows[0]))
    return {row[name]: float(row[value]) for row in rows}, said


@by_command("waves-parallel-conductances")
def conductances_add_up(run):
    put("g.dot", "graph { a -- b; a -- b [weight=2]; b -- c }")
    put("back.csv", "source,target,weight\na,b,1\nb,a,2\nb,c,1\n")
    put("di.dot", "digraph { a -> b [weight=1]; b -> a [weight=2]; b -> c [weight=1] }")
    for name in ("g.csv", "g.dot", "back.csv", "di.dot"):
        v, said = waves(run, name)
        assert "repeated edges: 1" in said and "add up" in said, said
        near(v["b"], 0.8114, 2e-3)
        near(v["c"], 0.4084, 2e-3)
    put("none.txt", "a b\na b\na b\nb c\n")
    v, said = waves(run, "none.txt")
    assert "repeated edges: 2" in said
    near(v["b"], 0.8114, 2e-3)


@by_command("waves-parallel-conductances")
def a_list_of_both_directions_counts_once(run):
    put("once.csv", "source,target,weight\na,b,3\nb,c,1\n")
    once, said = waves(run, "once.csv")
    assert said.count("repeated") == 0
    put("both.csv", "source,target,weight\na,b,3\nb,c,1\nb,a,3\nc,b,1\n")
    both, said = waves(run, "both.csv")
    assert "both of its ends" in said and both == once
    put("pairs.dot", "graph { a -- b [weight=1.5]; b -- a [weight=1.5]; b -- c [weight=.5]; c -- b [weight=.5] }")
    near(waves(run, "pairs.dot")[0]["b"], once["b"], 1e-6)


@by_python("parallel-lengths")
def of_lengths_the_least_counts_in_python():
    from dunlin import _core

    import dunlin

    for name in ("par.csv",):
        graph = dunlin.read(name, holds="graph", weights_from="length")
        assert sorted(set(graph.csr[2].tolist())) == [2, 6], "strengths add up"
        _, _, lengths = _core.joined(graph._network, True)
        assert sorted(set(lengths.tolist())) == [1, 2], "the least of lengths"


# Sizes


@by_command("graph-gml-sizes")
def sizes_of_gml_are_in_the_unit_of_its_places(run):
    run(f"layout in.gml --start input --iterations 1 --overlap remove -o out.csv -o out.dot {CPU}")
    at = places("out.csv")
    for a, b in (("A", "B"), ("A", "C"), ("B", "C")):
        assert apart(at, a, b) >= 50 - 1e-2, (a, b, at)
    put("in.dot", 'graph { A [pos="10,20", width=1, height=1]; B [pos="15,22", width=1, height=1]; A -- B }')
    run(f"layout in.dot --start input --iterations 1 --overlap remove -o two.csv {CPU}")
    near(apart(places("two.csv"), "A", "B"), math.sqrt(2), 1e-2)
    # The sizes of the drawing in DOT are those of the GML: no box overlaps there
    run(f"layout out.dot --start input --iterations 1 --overlap remove -o three.csv {CPU}")
    at = places("three.csv")
    assert min(apart(at, a, b) for a, b in (("A", "B"), ("A", "C"), ("B", "C"))) >= 50 - 0.1


# Written so that it is read back

ODD = [
    "plain", "two words", 'quo"te', "'single'", "back\\slash", "C:\\", "C:\\\\", 'd\\"e', "a\\\\\\", "tab\there", "line\nbreak",
    "ünïcödé", "日本", "007", "7", "-1", "1.50", "1e5", "--", "->", "&amp;", "&lt;b&gt;", "<tag>", "a<b", "a&b", "%5",
    "# no comment", "node", "graph", "edge", "strict", "digraph", "subgraph", ";", "a,b", "{x}", "[y]", "null", "\\N", " edge ",
]


def odd_graph(name="odd.csv"):
    """A ring of the odd ids, as a table."""
    with open(name, "w", newline="") as file:
        table = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        table.writerow(["source", "target", "weight"])
        for i, node in enumerate(ODD):
            table.writerow([node, ODD[(i + 1) % len(ODD)], [0.00002, 0.5, 1, 3e16, 12345678][i % 5]])
    return name


def networkx():
    """NetworkX, or None."""
    try:
        import networkx
    except ImportError:
        return None
    return networkx


@by_command("graph-dot-backslash")
def names_with_backslashes_are_read_back(run):
    run(f"layout g.tsv -o out.dot -o out.csv {CPU}")
    assert counts(run, "out.dot") == (4, 3)
    run("score out.csv --of out.dot --scores none", None) if False else run("score out.csv --of out.dot")
    run(f"layout out.dot -o again.dot -o again.csv {CPU}")
    assert places("again.csv").keys() == places("out.csv").keys() == {"C:\\", "C:\\\\", "home", "server"}
    run("score again.csv --of again.dot")
    put("none.tsv", "a<\\\tb\nb\tc\n")
    run(f"layout none.tsv -o out.dot {CPU}", None).says("out.dot" if False else "DOT", ".graphml")


@by_command("out-dot-small-weights")
def weights_of_dot_have_no_exponent(run):
    run(f"layout g.csv -o o.dot -o o.graphml -o o.json {CPU}")
    assert weights(run, "o.dot") == "2e-05 to 1" == weights(run, "o.graphml")
    put("large.csv", "source,target,weight\na,b,2e16\nb,c,1e-37\nc,a,3e38\n")
    run(f"layout large.csv -o o.dot {CPU}")
    assert weights(run, "o.dot") == "1e-37 to 3e+38"
    if shutil.which("neato"):
        subprocess.run(["neato", "-n2", "-Tplain", "o.dot"], capture_output=True, check=True)


@by_command("out-dot-small-weights")
def odd_names_and_weights_are_read_back(run):
    run(f"layout {odd_graph()} -o o.csv -o o.dot -o o.graphml -o o.json {CPU}")
    with open("o.json") as file:
        assert set(json.load(file)["ids"]) == set(ODD)
    for name in ("o.dot", "o.graphml"):
        assert counts(run, name) == (len(ODD), len(ODD)), name
        assert weights(run, name) == "2e-05 to 3e+16", name
        run(f"layout {name} --start input --iterations 1 -o again.json -o again{name[1:]} {CPU}")
        with open("again.json") as file:
            assert set(json.load(file)["ids"]) == set(ODD), name
        assert counts(run, f"again{name[1:]}") == (len(ODD), len(ODD)), name


@by_command("out-dot-small-weights")
def peers_read_odd_names_and_weights(run):
    run(f"layout {odd_graph()} -o o.dot -o o.graphml {CPU}")
    if (nx := networkx()) is not None:
        graph = nx.read_graphml("o.graphml")
        assert set(graph) == set(ODD)
        assert all(isinstance(data["x"], float) for _, data in graph.nodes(data=True))
        near(graph.edges["plain", "two words"]["weight"], 2e-5, 1e-9)
    if shutil.which("gvpr"):
        names = subprocess.run(
            ["gvpr", 'BEG_G{printf("%d %d\\n", nNodes($G), nEdges($G))} E{print($.weight)}', "o.dot"], capture_output=True,
            text=True, check=True).stdout.split("\n")
        assert names[0] == f"{len(ODD)} {len(ODD)}"
        assert {float(weight) for weight in names[1:] if weight} <= {2e-5, 0.5, 1, float("2.9999999e16"), 3e16, 12345678}


@by_command("graph-graphml-int-xy")
def keys_of_places_have_the_type_of_places(run):
    text = open("in.graphml").read()
    for kind in ("int", "long", "boolean", "string", "float", "double"):
        put("typed.graphml", text.replace('attr.type="int"', f'attr.type="{kind}"'))
        run(f"layout typed.graphml -o out.graphml -o out.csv {CPU}")
        written = open("out.graphml").read()
        assert kind in ("float", "double") or f'attr.type="{kind}"' not in written.replace('"team" attr.type="string"', "")
        if (nx := networkx()) is not None:
            nodes = nx.read_graphml("out.graphml").nodes
            for node, place in places("out.csv").items():
                near(nodes[node]["x"], place[0], 1e-5)
                near(nodes[node]["y"], place[1], 1e-5)
            assert nodes["p"]["team"] == "R & D"


@by_command("graph-graphml-int-xy")
def a_key_that_edges_use_too_stays_theirs(run):
    put(
        "all.graphml",
        '<graphml><key id="k" for="all" attr.name="x" attr.type="string"><default>none</default></key>'
        '<graph edgedefault="undirected"><node id="1"><data key="k">old</data></node><node id="2"/>'
        '<edge source="1" target="2"><data key="k">red</data></edge></graph></graphml>',
    )
    run(f"layout all.graphml -o out.graphml -o out.csv {CPU}")
    run(f"layout out.graphml -o again.graphml {CPU}")
    assert open("again.graphml").read().count('attr.name="x"') == 2
    if (nx := networkx()) is not None:
        graph = nx.read_graphml("out.graphml")
        assert graph.edges["1", "2"]["x"] == "red"
        near(graph.nodes["1"]["x"], places("out.csv")["1"][0], 1e-5)
