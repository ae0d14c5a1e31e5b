# SPDX-License-Identifier: Apache-2.0
"""The weights of edges in formats of graphs."""

from graph_files import CPU, weights
from harness import apart, by_command, by_python, near, places, put, refused


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
                '<node id="1"/><node id="2"/><edge source="1" target="2"><data key="d">7</data></edge></graph>'
                "</graphml>",
            )
            assert weights(run, "g.graphml") == "7 to 7", (kind, name)
            assert weights(run, "g.graphml", f"--weights-from {name.lower()}") == "7 to 7", (kind, name)


def distances(run, name, more=""):
    """The lengths of the edges of a path, as `dunlin mds` places it on a line."""
    said = run(f"mds {name} {more} -o o.csv {CPU}").err
    at = list(places("o.csv").values())
    return [round(abs(a[0] - b[0]), 3) for a, b in zip(at, at[1:])], said


@by_command("weight-names")
def each_edge_has_the_best_of_its_names(run):
    nodes = "".join(f"node [ id {i} ] " for i in range(1, 5))
    edges = [f"source {i} target {i + 1}" for i in range(1, 4)]
    for name, text, lengths, word in (
        ("s.dot", 'graph { a--b [weight=3]; b--c [weight="2.5"]; c--d [Weight=4] }', [3, 2.5, 4], None),
        ("both.dot", "graph { a--b [weight=3,Weight=5]; b--c [WEIGHT=2] }", [3, 2], None),
        ("one.dot", "graph { a--b [Weight=5]; b--c }", [5, 1], "without a weight"),
        ("value.dot", "graph { a--b [value=5, W=7]; b--c [value=2]; c--d [weight=3, value=9] }", [7, 2, 3], "'value'"),
        (
            "v.gml",
            f"graph [ {nodes} edge [ {edges[0]} value 9 ] edge [ {edges[1]} Weight 7 value 3 ] "
            f"edge [ {edges[2]} weight 2 Weight 3 ] ]",
            [9, 7, 2],
            "'value'",
        ),
        ("len.dot", "graph { a--b [len=2, Len=3]; b--c [Len=4] }", [2, 4], None),
    ):
        found, said = distances(run, put(name, text))
        assert found == lengths, (name, found)
        assert word in said if word else "weight" not in said, (name, said)
    assert distances(run, "both.dot", "--weights-from Weight")[0] == [5, 2]


@by_command("weight-names")
def a_weight_that_is_no_number_is_named(run):
    head = '<graphml><key id="d" for="edge" attr.name="weight" attr.type="string"/><graph edgedefault="directed">'
    for name, text, word in (
        ("t.gml", 'graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight "7" ] ]', '"7"'),
        ("l.gml", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight [ a 7 ] ] ]", "'['"),
        ("t.dot", 'graph { a -- b [weight="4,5"] }', "'4,5'"),
        (
            "t.graphml",
            f'{head}<node id="1"/><node id="2"/><edge source="1" target="2"><data key="d">4,5</data></edge>'
            "</graph></graphml>",
            "'4,5'",
        ),
        ("t.csv", "source,target,weight\na,b,heavy\n", "'heavy'"),
    ):
        said = run(f"layout {put(name, text)} -o o.csv {CPU}", None).says(name, word, "--weights-from none").err
        assert "nan" not in said, said


@by_command("weight-names")
def options_of_lists_are_refused_elsewhere(run):
    put("o.gml", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]")
    put("o.dot", "graph { a -- b }")
    put("o.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")
    put("o.graph", "2 1\n2\n1\n")
    for name in ("cyto.graphml", "o.gml", "o.dot", "o.mtx", "o.graph"):
        for more in ("--header yes", "--header no", "--decimal comma"):
            run(f"layout {name} {more} -o o.csv {CPU}", 2).says(more.split()[0], name)
        run(f"layout {name} --header auto --decimal auto -o o.csv {CPU}")


@by_python("weight-names")
def options_of_lists_are_refused_in_python():
    import dunlin

    refused(lambda: dunlin.read("cyto.graphml", header="yes"), "header")


@by_python("weight-names")
def weights_are_found_by_name_in_python():
    import dunlin

    assert set(dunlin.read("cyto.graphml").csr[2].tolist()) == {2.5}
    assert set(dunlin.read("Weight.graphml").csr[2].tolist()) == {7}
    assert set(dunlin.read(put("w.dot", "graph { a -- b [Weight=7] }")).csr[2].tolist()) == {7}


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
    put(
        "m.gml",
        "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 1 target 2 weight 5 ] "
        "edge [ source 2 target 3 ] ]",
    )
    run(f"layout m.gml -o o.csv {CPU}").says("without a weight", "1")
    # Of DOT, 1 is Graphviz's own weight
    put("m.dot", "graph { a -- b [weight=5]; b -- c }")
    assert "weight" not in run(f"layout m.dot -o o.csv {CPU}").err
    put("value.dot", "graph { a -- b [value=5]; b -- c }")
    run(f"layout value.dot -o o.csv {CPU}").says("without a weight", "1")
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
