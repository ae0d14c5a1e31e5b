# SPDX-License-Identifier: Apache-2.0
"""Names: of files, of vertices, of elements that nest, of cells that a spreadsheet runs."""

import csv
import json
import os
import pathlib
import time

from attack import BAD_FILE, BAD_INPUT, attack, points, refused, run

GRAPHML = '<graphml>{keys}<graph edgedefault="undirected">{graph}</graph></graphml>'


def layout(source, output="back.json"):
    return run("layout", source, "-o", output, "--iterations", "1", "--quiet")


def ids_of(path):
    done = layout(path)
    assert done.returncode == 0, (path, done.stderr)
    return json.loads(pathlib.Path("back.json").read_text())["ids"]


@attack
def a_name_that_is_no_utf8_keeps_the_report():
    points("p.csv")
    os.rename("p.csv", b"p\xff.csv")
    for output in ("o.csv", "o.json", "o.html", "o.svg"):
        done = run("tsne", os.fsdecode(b"p\xff.csv"), "--iterations", "20", "-o", output, "--report", "r.json")
        assert done.returncode == 0, (output, done.stderr)
        json.loads(pathlib.Path("r.json").read_bytes().decode("utf-8"))
        pathlib.Path(output).read_bytes().decode("utf-8")


@attack
def looped_links_and_long_words_are_said():
    points("p.csv")
    os.symlink("b", "a"), os.symlink("a", "b")
    for word in ("a", "a/x.csv", "x" * 5000, "x" * 5000 + ".csv"):
        for words in (["info", word], ["tsne", word], ["map", word], ["layout", word], ["draw", word, "-o", "o.png"], ["score", word, "--of", "p.csv"],
                      ["mds", word], ["view", word], ["tsne", "p.csv", "--labels", word], ["tsne", "p.csv", "--start", word],
                      ["tsne", "p.csv", "--checkpoint", word], ["tsne", "p.csv", "--report", word + "/r.json"], ["tsne", "p.csv", "-o", word + "/o.csv"], [word]):
            done = run(*words)
            assert done.returncode in (BAD_INPUT, BAD_FILE), (words[:2], done.returncode)
            assert b"unexpected" not in done.stderr and b"filesystem error" not in done.stderr, done.stderr[:200]


@attack
def ids_go_through_every_format():
    ids = ["%a", "%", "a&b", "&amp;", "&#65;", "a<b", 'a"b', "a\nb", "a\\b", "a\\\\", " lead", "trail ", "\u00fc\u65e5", "a\tb", "#x", "a;b", "-"]
    for several in (ids[:6], ids[6:12], ids[12:]):
        links = [{"source": "q", "target": id} for id in several]
        pathlib.Path("in.json").write_text(json.dumps({"nodes": [{"id": id} for id in ["q", *several]], "links": links}))
        for output in ("o.dot", "o.graphml", "o.gexf", "o.csv"):
            done = layout("in.json", output)
            assert done.returncode == 0, (output, several, done.stderr)
            with open(output, newline="") as file:
                back = ids_of(output) if output != "o.csv" else [row[0] for row in csv.reader(file)][1:]
            assert sorted(back) == sorted(["q", *several]), (output, back)


@attack
def entities_of_xml_are_characters():
    nodes = "".join(f'<node id="{id}"/>' for id in ("a&amp;b", "&#65;", "&#x42;", "&quot;", "&lt;"))
    pathlib.Path("e.graphml").write_text(GRAPHML.format(keys="", graph=nodes + '<edge source="a&amp;b" target="&#65;"/>'))
    assert ids_of("e.graphml") == ["a&b", "A", "B", '"', "<"]
    for unknown in ("&nbsp;", "&#0;", "&#xD800;", "&#x110000;", "&#x;"):
        pathlib.Path("u.graphml").write_text(GRAPHML.format(keys="", graph=f'<node id="a{unknown}"/><node id="b"/>'))
        refused(run("info", "u.graphml"), BAD_FILE, "u.graphml:1", unknown)
    for alone in ("a & b", "a&", "&b", "?a=1&amp;b=2&c=3"):
        pathlib.Path("u.graphml").write_text(GRAPHML.format(keys="", graph=f'<node id="{alone}"/><node id="b"/>'))
        refused(run("info", "u.graphml"), BAD_FILE, "u.graphml:1", "&amp;")
    key = '<key id="k" for="node" attr.name="label"/>'
    parts = '<node id="a"><data key="k">x<![CDATA[<&nbsp;]]>y</data></node><node id="b"><data key="k">z</data></node><edge source="a" target="b"/>'
    pathlib.Path("c.graphml").write_text(GRAPHML.format(keys=key, graph=parts))
    assert run("layout", "c.graphml", "--labels", "label", "-o", "c.json").returncode == 0
    assert json.loads(pathlib.Path("c.json").read_text())["labels"] == ["x<&nbsp;y", "z"]


NESTED = {
    "dot": lambda n: "graph{" + "subgraph{a;" * n + "}" * n + "a--b}",
    "gml": lambda n: "graph [ node [ id 1 " + "a [ " * n + "] " * n + "] node [ id 2 ] edge [ source 1 target 2 ] ]",
    "graphml": lambda n: GRAPHML.format(keys="", graph="".join(f'<node id="n{i}"><graph>' for i in range(n)) + '<node id="x"/>' + "</graph></node>" * n + '<edge source="n0" target="x"/>'),
    "gexf": lambda n: "<gexf><graph><nodes>" + "".join(f'<node id="n{i}"><nodes>' for i in range(n)) + '<node id="x"/>' + "</nodes></node>" * n + '</nodes><edges><edge source="n0" target="x"/></edges></graph></gexf>',
}


@attack
def graphs_that_nest_are_bounded():
    for kind, text in NESTED.items():
        name, output = f"nest.{kind}", f"out.{'dot' if kind == 'gml' else kind}"
        pathlib.Path(name).write_text(text(40))
        assert layout(name, output).returncode == 0, kind
        assert os.path.getsize(output) < 12 * os.path.getsize(name) + 2000, (kind, os.path.getsize(output))
        for levels in (100, 200_000):
            pathlib.Path(name).write_text(text(levels))
            begin = time.monotonic()
            refused(layout(name, output), BAD_FILE, name, "nest")
            assert time.monotonic() - begin < 5, kind


@attack
def many_attributes_take_no_quadratic_time():
    many = 20_000
    texts = {
        "a.dot": "graph{" + "".join(f"n{i}[a{i}=1];" for i in range(many)) + "}",
        "s.dot": "graph{" + "".join(f"subgraph s{i}{{g{i}=1;a}};" for i in range(many)) + "}",
        "k.graphml": GRAPHML.format(keys="".join(f'<key id="d{i}" for="node" attr.name="x"/>' for i in range(many)), graph="".join(f'<node id="n{i}"/>' for i in range(many))),
        "d.gexf": '<gexf><graph><attributes class="edge">' + "".join(f'<attribute id="a{i}" title="t{i}" type="float"><default>1</default></attribute>' for i in range(many)) + '</attributes><nodes><node id="a"/></nodes><edges>' + '<edge source="a" target="a"/>' * many + "</edges></graph></gexf>",
    }
    for name, text in texts.items():
        pathlib.Path(name).write_text(text)
        begin = time.monotonic()
        refused(run("info", name), BAD_FILE, name)
        assert time.monotonic() - begin < 5, name


@attack
def cells_that_a_spreadsheet_runs_are_guarded():
    ids = ["=1+1", "+a", "-b", "@c", "'=d", "-5", "plain"]
    pathlib.Path("s.graphml").write_text(GRAPHML.format(keys="", graph="".join(f'<node id="{id}"/>' for id in ids) + '<edge source="=1+1" target="+a"/>'))
    for more, begins in (([], ids), (["--spreadsheet-safe"], ["'=1+1", "'+a", "'-b", "'@c", "''=d", "-5", "plain"])):
        assert run("layout", "s.graphml", "-o", "s.csv", "--iterations", "1", *more).returncode == 0
        with open("s.csv", newline="") as file:
            assert [row[0] for row in csv.reader(file)][1:] == begins, more
    assert run("draw", "s.csv", "-o", "s.html").returncode == 0
    assert run("tsne", "s.csv", "--iterations", "5", "-o", "again.json").returncode == 0
    assert json.loads(pathlib.Path("again.json").read_text())["ids"] == ids
