# SPDX-License-Identifier: Apache-2.0
"""Places, sizes and names of graphs, as they are read and written, here and elsewhere."""

import csv
import math
import shutil
import subprocess

from graph_files import CPU, counts, networkx, text_of, weights
from harness import apart, by_command, by_python, labels_of, near, places, put, refused, report

# DOT


@by_command("dot-pos")
def pinned_inches_are_those_of_graphviz(run):
    run(f"layout p.dot -o o.dot -o o.csv {CPU}")
    near(apart(places("o.csv"), "a", "b"), 3)
    assert 'pos="0,0!"' in text_of("o.dot") and 'pos="216,0!"' in text_of("o.dot")
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
    assert '"%y"' in text_of("o.dot")
    run(f"layout o.dot -o again.csv {CPU}")
    assert set(places("again.csv")) == ids
    put("p.csv", 'source,target\n%a,b\nb,"%c"\n')
    run(f"layout p.csv -o o.csv {CPU}", 0)


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
    "plain",
    "two words",
    'quo"te',
    "'single'",
    "back\\slash",
    "C:\\",
    "C:\\\\",
    'd\\"e',
    "a\\\\\\",
    "tab\there",
    "line\nbreak",
    "ünïcödé",
    "日本",
    "007",
    "7",
    "-1",
    "1.50",
    "1e5",
    "--",
    "->",
    "&amp;",
    "&lt;b&gt;",
    "<tag>",
    "a<b",
    "a&b",
    "%5",
    "# no comment",
    "node",
    "graph",
    "edge",
    "strict",
    "digraph",
    "subgraph",
    ";",
    "a,b",
    "{x}",
    "[y]",
    "null",
    "\\N",
    " edge ",
]


def odd_graph(name="odd.csv"):
    """A ring of the odd ids, as a table."""
    with open(name, "w", newline="") as file:
        table = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        table.writerow(["source", "target", "weight"])
        for i, node in enumerate(ODD):
            table.writerow([node, ODD[(i + 1) % len(ODD)], [0.00002, 0.5, 1, 3e16, 12345678][i % 5]])
    return name


@by_command("graph-dot-backslash")
def names_with_backslashes_are_read_back(run):
    run(f"layout g.tsv -o out.dot -o out.csv {CPU}")
    assert counts(run, "out.dot") == (4, 3)
    run("score out.csv --of out.dot")
    run(f"layout out.dot -o again.dot -o again.csv {CPU}")
    assert places("again.csv").keys() == places("out.csv").keys() == {"C:\\", "C:\\\\", "home", "server"}
    run("score again.csv --of again.dot")
    put("none.tsv", "a<\\\tb\nb\tc\n")
    run(f"layout none.tsv -o out.dot {CPU}", None).says("DOT", ".graphml")


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
    assert set(report("o.json")["ids"]) == set(ODD)
    for name in ("o.dot", "o.graphml"):
        assert counts(run, name) == (len(ODD), len(ODD)), name
        assert weights(run, name) == "2e-05 to 3e+16", name
        run(f"layout {name} --start input --iterations 1 -o again.json -o again{name[1:]} {CPU}")
        assert set(report("again.json")["ids"]) == set(ODD), name
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
            ["gvpr", 'BEG_G{printf("%d %d\\n", nNodes($G), nEdges($G))} E{print($.weight)}', "o.dot"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\n")
        assert names[0] == f"{len(ODD)} {len(ODD)}"
        for weight in names[1:-1]:
            assert any(math.isclose(float(weight), one, rel_tol=1e-6) for one in (2e-5, 0.5, 1, 3e16, 12345678)), weight


@by_python("out-dot-small-weights")
def drawings_of_python_are_read_back():
    import dunlin

    if (nx := networkx()) is None:
        return
    graph = nx.Graph()
    for i, node in enumerate(ODD):
        graph.add_edge(node, ODD[(i + 1) % len(ODD)], weight=2e-5 if i else 3e16)
    drawn = dunlin.layout(graph)
    for name in ("o.dot", "o.graphml"):
        dunlin.write(name, drawn)
        again = dunlin.read(name)
        assert set(again.nodes) == set(ODD), name
        assert sorted(set(again.csr[2].tolist())) == sorted(set(drawn.graph.csr[2].tolist())), name
    assert set(nx.read_graphml("o.graphml")) == set(ODD)
    two = dunlin.layout(nx.Graph([(1, "1")]))
    refused(lambda: dunlin.write("o.dot", two), "'1'")


@by_python("dot-pos")
def places_are_read_or_refused_in_python():
    import dunlin

    graph = dunlin.read("p.dot")
    assert graph.pinned == ["a", "b"] and graph.start[1].tolist()[0] - graph.start[0].tolist()[0] == 216
    put("pos1.dot", 'graph { a [pos="(1, 2)"]; a -- b }')
    refused(lambda: dunlin.read("pos1.dot"), "(1, 2)", error=dunlin.FileError)
    ids = dunlin.read(put("percent.dot", 'graph { "%5" -- b }')).nodes
    assert list(ids) == ["%5", "b"]


@by_command("graph-graphml-int-xy")
def keys_of_places_have_the_type_of_places(run):
    text = text_of("in.graphml")
    for kind in ("int", "long", "boolean", "string", "float", "double"):
        put("typed.graphml", text.replace('attr.type="int"', f'attr.type="{kind}"'))
        run(f"layout typed.graphml -o out.graphml -o out.csv {CPU}")
        written = text_of("out.graphml")
        assert kind in ("float", "double") or f'attr.type="{kind}"' not in written.replace(
            '"team" attr.type="string"', ""
        )
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
    assert text_of("again.graphml").count('attr.name="x"') == 2
    if (nx := networkx()) is not None:
        graph = nx.read_graphml("out.graphml")
        assert graph.edges["1", "2"]["x"] == "red"
        near(graph.nodes["1"]["x"], places("out.csv")["1"][0], 1e-5)


# Several keys of one name, as NetworkX writes one for each type


def keys_of_types(name="types.graphml"):
    """A path a - b - c - d with weights 1, 2.5, 4, x = 0, 1.5, 2, 3.5 and labels of four types."""
    keys, nodes, edges = [], [], []

    def data(kind, name, value):
        of_type = {int: "long", float: "double", bool: "boolean", str: "string"}[type(value)]
        key = f'<key id="{kind}_{name}_{of_type}" for="{kind}" attr.name="{name}" attr.type="{of_type}"/>'
        if key not in keys:
            keys.insert(0, key)
        return f'<data key="{kind}_{name}_{of_type}">{value}</data>'

    for node, x, label in zip("abcd", (0, 1.5, 2, 3.5), (1, "b", 2.5, True)):
        nodes.append(
            f'<node id="{node}">{data("node", "x", x)}{data("node", "y", 0)}{data("node", "label", label)}</node>'
        )
    for a, b, weight in (("a", "b", 1), ("b", "c", 2.5), ("c", "d", 4)):
        edges.append(f'<edge source="{a}" target="{b}">{data("edge", "weight", weight)}</edge>')
    lines = [
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *keys,
        '<graph edgedefault="undirected">',
        *nodes,
        *edges,
        "</graph></graphml>",
    ]
    return put(name, "\n".join(lines))


def has_all_values(run, name):
    """Checks the values of keys_of_types() in a file, and in what is written of it."""
    said = run(f"mds {name} -o lengths.csv {CPU}").err
    assert "weight" not in said, said
    at = places("lengths.csv")
    for a, b, length in (("a", "b", 1), ("b", "c", 2.5), ("c", "d", 4)):
        near(apart(at, a, b), length)


@by_command("graph-graphml-types")
def keys_of_one_name_are_one(run):
    has_all_values(run, keys_of_types())
    draw = "--start input --iterations 0 --labels"
    run(f"layout types.graphml {draw} label -o o.csv -o o.graphml -o o.dot {CPU}")
    for node, x in places("o.csv").items():
        near(x[0], {"a": 0, "b": 1.5, "c": 2, "d": 3.5}[node])
    assert labels_of("o.csv") == ["1", "b", "2.5", "True"]
    has_all_values(run, "o.graphml")
    assert weights(run, "o.dot") == "1 to 4"
    run(f"layout o.graphml {draw} label -o again.csv {CPU}")
    assert labels_of("again.csv") == ["1", "b", "2.5", "True"]
    run(f"layout o.dot {draw} class -o again.csv {CPU}")
    assert labels_of("again.csv") == ["1", "b", "2.5", "True"]
    if (nx := networkx()) is not None:
        graph = nx.read_graphml("o.graphml")
        assert [graph.nodes[node]["label"] for node in "abcd"] == [1, "b", 2.5, True]
        assert [weight for _, _, weight in graph.edges(data="weight")] == [1, 2.5, 4]
        for node, x in places("o.csv").items():
            near(graph.nodes[node]["x"], x[0], 1e-5)


@by_python("graph-graphml-types")
def graphs_of_networkx_are_read_back():
    import dunlin

    if (nx := networkx()) is None:
        return
    graph = nx.Graph()
    for node, x in zip("abcd", (0, 1.5, 2, 3.5)):
        graph.add_node(node, x=x, y=0)
    for a, b, weight in (("a", "b", 1), ("b", "c", 2.5), ("c", "d", 4)):
        graph.add_edge(a, b, weight=weight)
    nx.write_graphml(graph, "nx.graphml")
    read = dunlin.read("nx.graphml")
    assert sorted(set(read.csr[2].tolist())) == [1, 2.5, 4] and not read.notes
    assert [x for x, _ in read.start.tolist()] == [0, 1.5, 2, 3.5]
