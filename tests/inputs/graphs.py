# SPDX-License-Identifier: Apache-2.0
"""Formats of graphs, as they are read."""

import pathlib

import graph_weights  # noqa: F401  registers its checks
import graphs_written  # noqa: F401
from graph_files import CPU, counts, weights
from harness import apart, by_command, by_python, near, places, put, refused, report, rows

REDDIT = (
    "SOURCE_SUBREDDIT\tTARGET_SUBREDDIT\tPOST_ID\tTIMESTAMP\tLINK_SENTIMENT\tPROPERTIES\n"
    "leagueoflegends\tteamredditteams\t1u4nrps\t2013-12-31 16:39:58\t1\t345.0,298.0\n"
    "theredlion\tsoccer\t1u4qkd\t2013-12-31 18:18:37\t-1\t101.0,98.0\n"
)


# Headers


@by_command("edge-header")
def a_header_is_told_by_its_columns(run):
    assert counts(run, "string.txt", "--holds graph") == (3, 2)
    assert counts(run, put("genes.tsv", "geneA\tgeneB\tscore\nTP53\tMDM2\t9\nMDM2\tATM\t8\n")) == (3, 2), "a guess"
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
    assert any("edge" in note for note in report()["input"]["notes"])


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
    put("tags.csv", "#a,#b\n#b,c\nd,e\ne,c\n")
    run(f"layout tags.csv -o o.csv {CPU}").says("comments: 2")
    put("pairs.csv", "key,user_a,user_b\n7,1,2\n8,2,3\n")
    assert counts(run, "pairs.csv", "--holds graph") == (3, 2)
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
# Name: text, kind, vertices, edges
OTHERS = {
    "x.lgl": (LGL, "lgl", 3, 3),
    "lgl.txt": (LGL, "lgl", 3, 3),
    "pajek.txt": ('*Vertices 2\n1 "a"\n2 "b"\n*Arcs\n1 2 3\n', "pajek", 2, 1),
    "network.paj": ("% a comment\n*Network n\n*vertices 2\n*matrix\n0 1\n1 0\n", "pajek", 2, 1),
    "gdf.csv": ("nodedef>name VARCHAR\na\nb\nedgedef>node1 VARCHAR,node2 VARCHAR,weight DOUBLE\na,b,2\n", "gdf", 2, 1),
    "tgf.txt": ("n1 first\nn2 second\n#\nn1 n2 label\n", "tgf", 2, 1),
    "sif.txt": ("A pd B\nA pd C\nB pp C\nC pp D\n", "sif", 4, 4),
    "arrows.txt": ("a -> b\nb -> c\n", "sif", 3, 2),
    "gr.txt": ("c a comment\nc\np sp 3 2\na 1 2 7\na 2 3 5\n", "dimacs", 3, 2),
    "max.dat": ("p max 3 2\nn 1 s\nn 3 t\na 1 2 7\na 2 3 5\n", "dimacs", 3, 2),
    "col": ("p edge 3 2\ne 1 2\ne 2 3\n", "dimacs", 3, 2),
    "x.gexf": ("<?xml version='1.0'?>\n<gexf><graph><nodes><node id='a'/></nodes></graph></gexf>\n", "gexf", 1, 0),
    "colons.txt": ("1: 2 3\n2: 3 4\n", "adjacency", 4, 4),
    "vis.json": ('{"nodes": [{"id": 1}, {"id": 2}], "edges": [{"from": 1, "to": 2}]}', "node-link", 2, 1),
    "links.json": ('{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}', "node-link", 2, 1),
}
CASES = {
    "two.net": ("pajek", 4, 3),
    "three.net": ("pajek", 4, 3),
    "four.net": ("pajek", 4, 3),
    "two.gdf": ("gdf", 3, 2),
    "x.tgf": ("tgf", 3, 2),
    "x.sif": ("sif", 4, 4),
    "x.gr": ("dimacs", 4, 4),
    "x.col": ("dimacs", 4, 3),
}
REFUSED = {
    "xml.txt": ("<?xml version='1.0'?>\n<graphml><graph/></graphml>\n", "GraphML"),
    "gml.txt": ("graph [\n node [ id 1 ]\n]\n", "GML"),
    "dot.txt": ("digraph g {\n a -> b\n}\n", "DOT"),
    "dl.txt": ("DL n=3 format=edgelist1\ndata:\n1 2\n2 3\n", "DL"),
    "ucinet.txt": ("DL\nN=3\nFORMAT = FULLMATRIX\nDATA:\n0 1 0\n1 0 1\n0 1 0\n", "DATA:"),
    "multiline.txt": ("# a comment\n0 2\n1 {}\n2 {}\n1 0\n2 0\n", "write_weighted_edgelist"),
    "g6.txt": (">>graph6<<A_\n", "graph6"),
    "leda.txt": ("LEDA.GRAPH\nstring\nint\n-1\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{1}|\n", "LEDA"),
}


@by_command("graph-formats-as-edges")
def other_formats_are_read(run):
    wanted = dict(CASES)
    for name, (text, *found) in OTHERS.items():
        wanted[put(name, text)] = found
    for name, (kind, vertices, edges) in wanted.items():
        run(f"layout {name} -o o.csv {CPU}")
        assert len(rows("o.csv")) == vertices, name
        run(f"info {name} --holds graph").prints(f": {kind}, ")
        assert counts(run, name, "--holds graph") == (vertices, edges), name
    for name in [*CASES, "col", "x.gexf", "links.json"]:
        assert counts(run, name) == tuple(wanted[name][1:]), name
    assert weights(run, "x.gr") == "2 to 9"
    assert weights(run, "x.lgl") == "1 to 2"
    run(f"mds x.gr -o o.csv {CPU}")
    run(f"waves two.net --model diffusion --noise 0.1 --until 1 -o o.csv {CPU}")
    put("knn.csv", "p sp 3 2\na 1 2 7\na 2 3 5\n")
    put("p.csv", "x,y\n0,0\n1,0\n0,1\n5,5\n")
    run(f"umap p.csv --neighbors knn.csv -o o.csv {CPU}", None).says("DIMACS")


@by_command("graph-formats-as-edges")
def other_formats_are_refused_by_name(run):
    for name, (text, word) in REFUSED.items():
        put(name, text)
        run(f"layout {name} -o o.json {CPU}", None).says(name, word)
        run(f"info {name} --holds graph", None).says(word)
        run(f"mds {name} --holds graph -o o.csv {CPU}", None).says(word)


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
def other_formats_are_read_in_python():
    import dunlin

    for name, (text, *found) in OTHERS.items():
        put(name, text)
    for name, (kind, vertices, edges) in {**CASES, **{name: found[1:] for name, found in OTHERS.items()}}.items():
        graph = dunlin.read(name, holds="graph")
        assert (graph.kind_of_file, len(graph), len(graph.csr[1]) // 2) == (kind, vertices, edges), name
    for name, (text, word) in REFUSED.items():
        refused(lambda: dunlin.read(put(name, text), holds="graph"), word, error=dunlin.FileError)


@by_command("graph-formats-as-edges")
def adjacency_lists_are_read(run):
    for name, text, edges in (
        ("words.txt", "a b c d\nb c\nc d\n", 5),
        ("comments.txt", "# by hand\n# GMT\n#\na b c d\nb c\nc d\nd\n", 5),
        ("numbers.txt", "1 2 3 4\n2 3\n3 4\n", 5),
        ("longer.txt", "0 1\n1 2 3\n2 3\n3\n", 4),
        ("path.txt", "0 1\n1 2\n2\n", 2),
        ("tabs.tsv", "a\tb\tc\td\nb\tc\nc\td\n", 5),
        ("equal.adjlist", "a b\nb c\n", 2),
    ):
        run(f"layout {put(name, text)} -o o.csv {CPU}")
        run(f"info {name} --holds graph").prints(": adjacency, ")
        assert counts(run, name, "--holds graph")[1] == edges, name
    for name, text, word in (
        ("missing.txt", "a b 3\nb c\nc d 2\n", "missing.txt:2"),
        ("short.txt", "a b\nc\nd e\n", "short.txt:2"),
    ):
        assert "adjacency" not in run(f"layout {put(name, text)} -o o.csv {CPU}", None).says(word).err
    put("remark.txt", "a b old friends\nb c\nc d\n")
    run(f"layout remark.txt -o o.csv {CPU}").says("not used")


@by_command("konect-bipartite")
def two_sides_that_count_alike_are_apart(run):
    run(f"layout out.bip -o o.csv {CPU}").says("% bip", "1 to 4", "5 to 7")
    assert counts(run, "out.bip") == (7, 6)
    assert counts(run, put("out.sym", "% sym unweighted\n% 2 3 3\n1 2\n2 3\n")) == (3, 2)


@by_command("graph-formats-as-edges")
def labels_are_drawn_and_gexf_is_written(run):
    put(
        "g.graphml",
        '<graphml><key id="k" for="node" attr.name="label"/><graph><node id="n0"><data key="k">Alpha</data></node>'
        '<node id="n1"><data key="k">Alpha</data></node><edge source="n0" target="n1"/></graph></graphml>',
    )
    run(f"layout g.graphml -o g.svg -o o.csv -o o.gexf --vertex-names {CPU}")
    assert "Alpha" in pathlib.Path("g.svg").read_text()
    assert list(places("o.csv")) == ["n0", "n1"]
    assert 'label="Alpha"' in pathlib.Path("o.gexf").read_text()
    assert counts(run, "o.gexf") == (2, 1)
    run("info o.gexf").prints("positions: 2 vertices")
    run(f"layout o.gexf --start input --iterations 0 -o again.gexf -o again.csv {CPU}")
    run(f"layout o.gexf --start input --overlap remove -o apart.csv {CPU}")


# Repeated edges


@by_command("parallel-lengths")
def of_lengths_the_least_counts(run):
    put("par.dot", "graph { A -- B [len=5]; A -- B [len=1]; B -- C [len=2] }")
    put("back.csv", "source,target,length\nA,B,5\nB,A,1\nB,C,2\n")
    put(
        "back.gml",
        'graph [ directed 1 node [ id 1 label "A" ] node [ id 2 label "B" ] node [ id 3 label "C" ] '
        "edge [ source 1 target 2 length 5 ] edge [ source 2 target 1 length 1 ] "
        "edge [ source 2 target 3 length 2 ] ]",
    )
    for name, more in (
        ("par.csv", "--weights-from length"),
        ("par.dot", "--weights-from len"),
        ("par.csv", ""),
        ("back.csv", "--weights-from length"),
        ("back.gml", "--weights-from length"),
    ):
        run(f"mds {name} {more} -o o.csv --report r.json {CPU}").says("repeated edges: 1", "least")
        near(apart(places("o.csv"), "A", "B"), 1, 1e-2)
        near(apart(places("o.csv"), "A", "C"), 3, 1e-2)
    assert any("repeated" in note for note in report()["input"]["notes"])
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
    table = rows("o.csv")
    value = next(column for column in table[0] if column in ("v", "value"))
    name = "id" if "id" in table[0] else next(iter(table[0]))
    return {row[name]: float(row[value]) for row in table}, said


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
    put("one.txt", "a b\nb c\n")
    put("some.txt", "a b\nb c\nb a\n")
    assert waves(run, "some.txt")[0] == waves(run, "one.txt")[0], "an edge in both directions is one"


@by_python("parallel-lengths")
def of_lengths_the_least_counts_in_python():
    import dunlin
    from dunlin import _core

    for name in ("par.csv",):
        graph = dunlin.read(name, holds="graph", weights_from="length")
        assert sorted(set(graph.csr[2].tolist())) == [2, 6], "strengths add up"
        _, _, lengths = _core.joined(graph._network, True)
        assert sorted(set(lengths.tolist())) == [1, 2], "the least of lengths"


# Delimiters and weights


@by_command("delimiter")
def blanks_in_names_of_vertices_are_text(run):
    for name, text, wanted in (
        ("e.csv", "route 1,route 2\nroute 2,route 3\n", (3, 2)),
        ("e.csv", "Henry 8,Henry 7\n", (2, 1)),
        ("e.csv", "Ann,Bob,since 2001\nBob,Cy,since 2005\n", (3, 2)),
        ("e.txt", "Ann;Bob;since 2001\nBob;Cy;since 2005\n", (3, 2)),
        ("e.csv", "source,target,since\nAnn,Bob,May 2001\n", (2, 1)),
        ("e.csv", "person,friend\nAnn 1,Bob 2\nBob 2,Cy 3\n", None),
        ("e.txt", "1 2\n2 3\n", (3, 2)),
        ("e.txt", "Paris,+FR Lyon,+FR 1\nLyon,+FR Rome,+IT 2\n", (3, 2)),
        ("e.txt", "1 2 0,5\n2 3 1,5\n", (3, 2)),
        ("e.tsv", "a b\nb c\n", (3, 2)),
        ("e.csv", "a b 0.5\nb c 0.25\n", (3, 2)),
    ):
        found = counts(run, put(name, text), "--holds graph")
        assert found == wanted or (wanted is None and found in ((3, 2), (5, 3))), (text, found)


@by_command("weight-like-numbers")
def weights_like_numbers_are_an_error_without_a_header_too(run):
    for weight in ("5%", "$5", "1_000", "1.5D+03", "1/2", "1 234", "5 kg"):
        for head in ("", "source\ttarget\tweight\n", "source\ttarget\tamount\n"):
            put("e.tsv", f"{head}a\tb\t{weight}\nb\tc\t{weight}\n")
            run("info e.tsv --holds graph", None).says("e.tsv:", weight, "weights-from none")
            assert counts(run, "e.tsv", "--holds graph --weights-from none") == (3, 2)
    for third in ("2020-01-01", "friend", "10:30"):
        assert counts(run, put("e.tsv", f"a\tb\t{third}\nb\tc\t{third}\n"), "--holds graph") == (3, 2)


@by_command("weight-first")
def a_column_called_weight_is_no_vertex(run):
    for text in ("weight,a,b\n3,x,y\n4,y,z\n", "a,weight,b\nx,3,y\ny,4,z\n", "weight,a,b\n3,1,2\n4,2,3\n"):
        assert counts(run, put("e.csv", text), "--holds graph") == (3, 2), text
        assert weights(run, "e.csv", "--holds graph") == "3 to 4", text
