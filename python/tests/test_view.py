# SPDX-License-Identifier: Apache-2.0
"""view(), watch(), live() without a browser: what the widget sends, and what it makes of a page's messages. The page itself is tested in
tests/browser/notebook_test.py."""

import json
import struct
import sys
import webbrowser

import numpy as np
import pytest

import dunlin
from dunlin import _pages, _view
from dunlin._run import Run

HEADER = struct.Struct("<4sBBBBIIIId4d")


def moved_map(frames):
    """(numbers, header of the last frame) of frames of a map that has moved."""
    numbers = []
    for frame in frames:
        header = HEADER.unpack_from(frame)
        assert header[:3] == (b"DUNL", 1, 6)
        count, dim = header[8], 3 if header[3] & 2 else 2
        *places, low, high = np.frombuffer(frame[:-2], "<u2", offset=64).reshape(count + 2, dim)
        placed = np.reshape([p for p in places if p[0] < 65535], (-1, dim))
        assert np.min(placed, axis=0, initial=65535).tolist() == low.tolist()
        assert np.max(placed, axis=0, initial=0).tolist() == high.tolist()
        assert frame[-2:] == bytes([len(placed) < count, 0])
        numbers.append(np.array(places))
    return np.concatenate(numbers), header


def session_of(map=None, rate=8e6, **known):
    sent, chosen = [], []
    known_points = _pages.ShownPoints(Run({}), **known)
    session = _pages.Session(known_points, lambda message, buffers: sent.append((message, buffers)), chosen.append, rate)
    if map is not None:
        session.show(np.asarray(map, np.float32), push=False)
    return session, sent, chosen


@pytest.fixture
def square():
    """40 points in the plane, and three columns that agree with it."""
    points = np.random.default_rng(3).normal(size=(40, 2)).astype(np.float32)
    return points, np.column_stack([points, np.zeros(40, np.float32)])


@pytest.fixture
def notebook(monkeypatch):
    """As in a notebook: what is shown, and messages of every view that is made."""
    pytest.importorskip("anywidget")
    import IPython.display

    from dunlin._widget import View

    shown, sent = [], []
    monkeypatch.setattr(_view, "in_notebook", lambda: True)
    monkeypatch.setattr(IPython.display, "display", shown.append)
    monkeypatch.setattr(View, "send", lambda self, message, buffers=None: sent.append((message, buffers)))
    return shown, sent


# Contents


def test_a_page_gets_the_content_that_it_has_not(square):
    session, sent, _ = session_of(square[0], codes=np.arange(40, dtype=np.int32) % 2, names=["a", "b"])
    assert sent == []
    session.take({"have": 0})
    message, buffers = sent[0]
    hello = json.loads(message["hello"])
    assert message["kind"] == "content" and message["content"] == 1 and buffers == []
    assert hello["facts"]["points"] == 40 and hello["facts"]["names"] == ["a", "b"]
    assert hello["server"] == {"content": 1, "moves": False, "neighbors": False, "names": False, "selection": "", "frames": message["frames"]}
    frames = [frame for message, group in sent[1:] for frame in group]
    assert {message["kind"] for message, _ in sent[1:]} == {"frames"} and len(frames) == message["frames"]
    assert all(frame[:4] == b"DUNL" and len(frame) <= 64 + (4 << 20) for frame in frames)
    sent.clear()
    session.take({"have": 1})
    assert sent == []


def test_a_page_that_asks_before_there_is_a_map_gets_it_later(square):
    session, sent, _ = session_of()
    session.take({"have": 0})
    assert sent == []
    session.show(square[0])
    assert [message["kind"] for message, _ in sent[:2]] == ["content", "frames"]


def test_the_page_runs_its_own_scripts_only():
    html = _pages.html_of()
    assert "default-src 'none'" in html and html.count("'sha256-") == len(_pages.files()["scripts"]) + 1
    assert "unsafe" not in html and "class Port" in html and "class Live" in html
    assert "export default" in _pages.files()["widget"]


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_maps_of_any_size_and_dimension(n, dim):
    points = np.random.default_rng(0).normal(size=(n, dim)).astype(np.float32)
    session, sent, _ = session_of(points)
    session.take({"have": 0})
    assert json.loads(sent[0][0]["hello"])["facts"]["points"] == n
    sent.clear()
    assert session.move(points + 1, 10, 0.5) >= _pages.SHORTEST_PAUSE
    ((message, frames),) = sent
    assert message == {"kind": "moved", "content": 1, "last": True}
    numbers, header = moved_map(frames)
    placed = np.array(header[10:13])[: numbers.shape[1]] + header[13] * numbers
    rows = session.content["rows"]
    assert np.abs(placed[:, :dim] - (points + 1)[rows]).max() <= header[13]


def test_points_without_a_place_are_marked():
    points = np.array([[0, 0], [np.nan, np.nan], [4, 4]], np.float32)
    session, sent, _ = session_of()
    session.move(points, 1, 0.1)
    numbers, _ = moved_map(sent[-1][1])
    assert (numbers[session.places[1]] == 65535).all() and (numbers[session.places[[0, 2]]] < 65535).all()
    session.rest()  # between the others
    assert not session.moves and np.isfinite(session.map).all() and session.map[1].tolist() == [2, 2]


def test_more_points_are_sent_less_often():
    points = np.random.default_rng(0).normal(size=(300_000, 2)).astype(np.float32)
    session, sent, _ = session_of(points, rate=1e6)
    assert session.move(points, 1, 0.1) >= 1.2  # 4 bytes a point
    groups = [group for message, group in sent if message["kind"] == "moved"]
    assert sum(len(frame) - 64 - 10 for group in groups for frame in group) == 4 * len(points)  # a box a frame
    assert [message["last"] for message, _ in sent] == [False] * (len(groups) - 1) + [True]


# Messages of pages


def selection(content, bits):
    return content.to_bytes(4, "little") + np.packbits(np.asarray(bits, np.uint8), bitorder="little").tobytes()


def test_selected_places_are_row_numbers(square):
    session, sent, chosen = session_of(square[0])
    rows = session.content["rows"]
    bits = np.zeros(40)
    bits[[3, 17, 39]] = 1
    session.take({"selected": True}, [memoryview(selection(1, bits))])
    session.take({"selected": True}, [(1).to_bytes(4, "little")])
    assert chosen[0].tolist() == sorted(rows[[3, 17, 39]].tolist()) and chosen[1].tolist() == []
    assert sent == []


def test_a_point_is_described_by_its_neighbors(square):
    map, data = square
    ids = [f"p{i}" for i in range(40)]
    session, sent, _ = session_of(map, data=data * [1, 1, 5], ids=ids)
    place = 7
    session.take({"page": 2, "ask": json.dumps({"ask": "point", "place": place, "serial": 5, "content": 1})})
    ((message, _),) = sent
    answer = json.loads(message["text"])
    row = int(session.content["rows"][place])
    distances = np.sqrt(((map - map[row]) ** 2).sum(1))
    nearest = np.argsort(distances, kind="stable")[1:11]
    assert message["page"] == 2 and (answer["serial"], answer["row"], answer["name"]) == (5, row, f"p{row}")
    assert [entry["name"] for entry in answer["neighbors"]] == [f"p{other}" for other in nearest]
    assert np.allclose([entry["distance"] for entry in answer["neighbors"]], distances[nearest], rtol=1e-5)
    assert [session.content["rows"][entry["place"]] for entry in answer["neighbors"]] == nearest.tolist()
    assert answer["kept"] == 10 and all(entry["kept"] for entry in answer["dataNeighbors"])


def test_search_finds_ids_and_numbers(square):
    named, sent, _ = session_of(square[0], ids=[f"Name {i}" for i in range(40)])
    named.take({"page": 1, "ask": json.dumps({"ask": "search", "text": "name 3", "serial": 1})})
    hits = json.loads(sent[-1][0]["text"])["hits"]
    assert [hit["text"] for hit in hits] == [f"Name {i}" for i in (3, 30, 31, 32, 33, 34, 35, 36)]
    assert [named.content["rows"][hit["place"]] for hit in hits] == [3, 30, 31, 32, 33, 34, 35, 36]
    named, sent, _ = session_of(square[0], ids=[*("much" for _ in range(38)), "Such", "uch"])
    named.take({"page": 1, "ask": json.dumps({"ask": "search", "text": "uch", "serial": 1})})
    assert [hit["text"] for hit in json.loads(sent[-1][0]["text"])["hits"]] == ["uch", *["much"] * 7]
    numbered, sent, _ = session_of(square[0])
    for text, found in (("7", ["point 7"]), ("07", []), ("40", []), ("-1", []), ("", []), ("9" * 400, []), ("²", [])):
        numbered.take({"page": 1, "ask": json.dumps({"ask": "search", "text": text, "serial": 1})})
        assert [hit["text"] for hit in json.loads(sent[-1][0]["text"])["hits"]] == found


def test_names_are_told_by_place(square):
    named, sent, _ = session_of(square[0], ids=[f"p{i}" for i in range(40)])
    named.shown.item_names = [f"Name {i}" for i in range(40)]
    named.take({"page": 1, "ask": json.dumps({"ask": "names", "places": [5, 0], "serial": 1, "content": 1})})
    assert json.loads(sent[-1][0]["text"])["names"] == [f"Name {named.content['rows'][place]}" for place in (5, 0)]
    assert '"names": true' in named.hello() and '"names": false' in session_of(square[0])[0].hello()


HOSTILE = [
    None,
    [],
    {},
    {"have": "x"},
    {"have": -1},
    {"have": True},
    {"ask": '{"serial": 1}'},
    {"page": 1, "ask": 5},
    {"page": "1", "ask": "{}"},
    {"page": 1, "ask": "{"},
    {"page": 1, "ask": "[" * 50_000},
    {"page": 1, "ask": "x" * 70_000},
    {"page": 1, "ask": "[]"},
    {"page": 1, "ask": '{"serial": -1}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "save"}'},
    {"page": 1, "ask": '{"serial": 1, "ask": {"point": 1}}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "point"}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "point", "place": 40}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "point", "place": 1.5}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "point", "place": 1, "content": 2}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "search", "text": 5}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "names", "places": 5}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "names", "places": [40]}'},
    {"page": 1, "ask": '{"serial": 1, "ask": "names", "places": [true]}'},
    {"page": 1, "ask": json.dumps({"serial": 1, "ask": "names", "places": [0] * 1001})},
    {"selected": True},
]


@pytest.mark.parametrize("message", HOSTILE, ids=lambda message: str(message)[:40])
def test_a_hostile_message_is_one_error(message, square):
    session, sent, chosen = session_of(square[0])
    session.take(message)
    ((answer, buffers),) = sent
    assert answer["kind"] == "answer" and buffers == [] and set(json.loads(answer["text"])) == {"serial", "error"}
    assert chosen == [] and session.number == 1


@pytest.mark.parametrize(
    "buffers",
    [[b""], [b"\1\0\0"], [selection(2, np.ones(40))], [selection(1, np.ones(32))], [selection(1, np.ones(48))], [b"\1\0\0\0"] * 2,
     [selection(1, np.ones(40))], [selection(1, np.zeros(40)) + b"\0"]],
)  # fmt: skip
def test_a_hostile_selection_is_one_error(buffers, square):
    session, sent, chosen = session_of(square[0][:37])  # three bits of the last byte belong to no point
    session.take({"selected": True}, buffers)
    assert len(sent) == 1 and "error" in json.loads(sent[0][0]["text"]) and chosen == []


def test_nothing_is_said_about_neighbors_while_the_map_moves(square):
    session, sent, _ = session_of()
    session.move(square[0], 1, 0.1)
    sent.clear()
    session.take({"page": 1, "ask": json.dumps({"ask": "point", "place": 1, "serial": 1})})
    assert "still moves" in json.loads(sent[0][0]["text"])["error"]


# The widget


def test_the_widget_has_a_page_a_module_and_a_selection(notebook, blobs):
    X, classes = blobs
    _, sent = notebook
    view = dunlin.view(X[:, :2], labels=classes, title="blobs", frame_height=300)
    state = view.get_state()
    assert state["height"] == 300 and "<canvas" in state["_page"] and "export default" in state["_esm"]
    assert set(state) >= {"_page", "_key", "_esm", "height"} and "selected" not in state
    assert repr(view) == "View(300 points, 0 selected)" and view.selected.tolist() == []
    seen = []
    view.observe(lambda change: seen.append(change["new"].tolist()), "selected")
    view._handle_custom_msg({"selected": True}, [memoryview(selection(1, np.ones(300)))])
    assert view.selected.tolist() == list(range(300)) and seen == [list(range(300))]
    with pytest.raises(Exception, match="read-only"):
        view.selected = [1]
    view._handle_custom_msg({"have": 0}, [])
    assert json.loads(sent[0][0]["hello"])["facts"]["title"] == "blobs"
    assert {"image/png", "application/vnd.jupyter.widget-view+json"} <= set(view._repr_mimebundle_()[0])
    assert dunlin.view(X[:, :2])._key != view._key


def test_graphs_and_hulls(notebook):
    networkx = pytest.importorskip("networkx")
    _, sent = notebook
    graph = networkx.karate_club_graph()
    dunlin.view(dunlin.layout(graph))._handle_custom_msg({"have": 0}, [])
    assert json.loads(sent[0][0]["hello"])["facts"]["lines"] == 78
    sent.clear()
    points = np.random.default_rng(0).normal(size=(200, 3))
    view = dunlin.view(points, labels=np.arange(200) % 2, hulls={"share": 0.5})
    view._handle_custom_msg({"have": 0}, [])
    assert len(json.loads(sent[0][0]["hello"])["facts"]["hulls"]) == 2


@pytest.mark.parametrize(
    "given, kind, text",
    [
        (dict(map=np.zeros((0, 2))), dunlin.InputError, "map has no points"),
        (dict(map=np.zeros((3, 4))), dunlin.InputError, "map has 4 columns"),
        (dict(map=np.zeros(3)), dunlin.InputError, "map has the shape"),
        (dict(map=[[0, 0], [np.nan, 1]]), dunlin.InputError, "NaN|nan"),
        (dict(map=np.zeros((3, 2)), labels=[1, 2]), dunlin.InputError, "labels has the shape"),
        (dict(map=np.zeros((3, 2)), ids=["a"]), dunlin.InputError, "ids has 1 names"),
        (dict(map=np.zeros((3, 2)), of=np.zeros((4, 2))), dunlin.InputError, "of has 4 rows"),
        (dict(map=np.zeros((3, 2)), metric="x"), dunlin.InputError, "metric is 'x'"),
        (dict(map=np.zeros((3, 2)), hulls=True), dunlin.OptionError, "hulls are for maps of 3"),
        (dict(map=np.zeros((3, 3)), style="landscape"), dunlin.OptionError, "leave out style"),
        (dict(map=np.zeros((3, 2)), frame_height=5), dunlin.InputError, "frame_height is 5"),
        (dict(map=np.zeros((3, 2)), hight=5), dunlin.OptionError, "no parameter 'hight'"),
    ],
)
def test_wrong_input_is_one_error(given, kind, text, notebook):
    with pytest.raises(kind, match=text):
        dunlin.view(**given)


def test_without_anywidget_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_view, "in_notebook", lambda: True)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "dunlin._widget", raising=False)
    for show in (lambda: dunlin.view(np.zeros((3, 2))), lambda: dunlin.watch(3), lambda: dunlin.live().update(np.eye(5))):
        with pytest.raises(ImportError, match="needs anywidget 0.9 or newer: pip install anywidget"):
            show()


# Outside a notebook


def test_elsewhere_the_page_opens_in_a_browser(monkeypatch, blobs):
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    path = dunlin.view(blobs[0][:, :2], ids=[f"</script>{i}" for i in range(300)], title="</script>")
    text = path.read_text()
    assert opened == [path.as_uri()] and text.count("text/x-frame") >= 2 and "</script>\"" not in text
    path.unlink()
    path.parent.rmdir()


def test_without_a_browser_the_error_names_the_way_out(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(dunlin.InputError, match=r"dunlin\.draw\(map, 'map\.html'\)"):
        dunlin.view(np.zeros((3, 2)))
    with pytest.raises(dunlin.InputError, match="in a notebook, and this is none"):
        dunlin.watch(3)


# Runs


def runs(X):
    graph = (len(X), [(i, (i + 1) % len(X)) for i in range(len(X))])
    return {
        "tsne": (X, lambda: dunlin.tsne(X, max_iter=300, tol=0).embedding),
        "tsne in space": (X, lambda: dunlin.tsne(X, n_components=3, max_iter=200, tol=0).embedding),
        "umap": (X, lambda: dunlin.umap(X, n_epochs=200).embedding),
        "pacmap": (X, lambda: dunlin.pacmap(X, num_iters=(60, 60, 60)).embedding),
        "mds": (len(X), lambda: dunlin.mds(X, method="smacof", max_iter=200, tol=0).embedding),
        "layout": (graph, lambda: dunlin.layout(graph, method="fr").pos),
    }


@pytest.mark.parametrize("name", ["tsne", "tsne in space", "umap", "pacmap", "mds", "layout"])
def test_a_watched_run_is_shown_and_has_the_same_bytes(name, blobs, notebook):
    given, run = runs(blobs[0])[name]
    shown, sent = notebook
    alone = run()
    with dunlin.watch(given) as view:
        watched = run()
    assert shown == [view] and watched.tobytes() == alone.tobytes()
    kinds = [message["kind"] for message, _ in sent]
    assert kinds[0] in ("status", "content") and "moved" in kinds
    iterations = [moved_map(group)[1][6] for message, group in sent if message["kind"] == "moved"]
    assert iterations == sorted(iterations)
    numbers = [message["content"] for message, _ in sent if message["kind"] == "content"]
    assert numbers == [1, 2] and not view._session.moves  # the first map, and the map at rest
    assert view._session.map.tobytes() == watched.tobytes()
    assert any("status" in json.loads(message["text"]) for message, _ in sent if message["kind"] == "status")


def test_the_page_says_that_a_run_was_stopped_and_nothing_of_a_finished_one(blobs, notebook):
    shown, sent = notebook

    def statuses():
        return [json.loads(message["text"])["status"] for message, _ in sent if message["kind"] == "status"]

    with dunlin.watch(blobs[0]):
        dunlin.tsne(blobs[0], callbacks=lambda iteration, error, map: iteration >= 150)
        assert statuses()[-1]["stage"] == "optimize, stopped" and sent[-1][0]["kind"] == "status"
        dunlin.tsne(blobs[0], max_iter=60)
        assert statuses()[-1] is None
        dunlin.neighbors(blobs[0], 3)
    assert statuses()[-1] is None


def test_names_of_a_result_are_the_page_s(blobs, notebook):
    pandas = pytest.importorskip("pandas")
    result = dunlin.mds(pandas.DataFrame(blobs[0][:4], ["Köln", None, "b", "c"]))
    assert dunlin.view(result)._session.shown.ids == ["Köln", "", "b", "c"]
    assert dunlin.view(dunlin.mds(blobs[0][:4]))._session.shown.ids == []


def test_classes_are_watched_too(blobs, notebook):
    pytest.importorskip("sklearn")
    with dunlin.watch(blobs[0], labels=blobs[1]) as view:
        embedding = dunlin.TSNE(max_iter=250, random_state=0).fit_transform(blobs[0])
    assert np.array_equal(view._session.map, embedding)


def test_only_maps_of_these_points_are_shown(blobs, notebook):
    shown, sent = notebook
    with dunlin.watch(blobs[0]) as view:
        dunlin.tsne(blobs[0][:100], max_iter=100)
        dunlin.neighbors(blobs[0], 3)
        dunlin.kmeans(blobs[0], 3)
    assert view._session.map is None and {message["kind"] for message, _ in sent} <= {"status"}
    dunlin.tsne(blobs[0], max_iter=100)  # the context has ended
    assert view._session.map is None and repr(view) == "View(no map yet)"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_page_that_cannot_be_reached_ends_no_run(blobs, notebook, monkeypatch):
    from dunlin._widget import View

    def fail(self, message, buffers=None):
        raise RuntimeError("no connection")

    monkeypatch.setattr(View, "send", fail)
    with dunlin.watch(blobs[0]):
        result = dunlin.tsne(blobs[0], max_iter=100)
    assert result.embedding.tobytes() == dunlin.tsne(blobs[0], max_iter=100).embedding.tobytes()


def test_an_interrupted_run_leaves_its_last_map(blobs, notebook):
    def stop(iteration, error, embedding):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised, dunlin.watch(blobs[0]) as view:
        dunlin.tsne(blobs[0], max_iter=5000, tol=0, callbacks=stop)
    assert np.array_equal(view._session.map, raised.value.partial.embedding) and not view._session.moves


@pytest.mark.parametrize("given, text", [(-1, "X is -1"), (np.zeros((3, 2)), "labels has the shape")])
def test_wrong_points_are_one_error(given, text, notebook):
    with pytest.raises(dunlin.InputError, match=text):
        dunlin.watch(given, labels=[1, 2])


# The same rows with new values


@pytest.mark.parametrize("method", ["tsne", "umap", "pacmap"])
def test_updates_start_from_the_last_map(method, blobs, notebook):
    X, classes = blobs
    shown, sent = notebook
    live = dunlin.live(method, labels=classes, init="random")
    first = live.update(X)
    again = live.update(X + 0.01)
    assert shown == [live.view] and live.selected.tolist() == []
    spread = first.embedding.std()
    assert np.median(np.linalg.norm(again.embedding - first.embedding, axis=1)) < 0.5 * spread
    expected = getattr(dunlin, method)(X + 0.01, grow=first.embedding)
    assert again.embedding.tobytes() == expected.embedding.tobytes()
    assert np.array_equal(live.view._session.map, again.embedding)
    with pytest.raises(dunlin.InputError, match="X has 10 rows and the map 300 points"):
        live.update(X[:10])


def test_updates_need_no_notebook(blobs):
    live = dunlin.live(max_iter=50)
    live.update(blobs[0])
    assert len(live.update(blobs[0] * 2)) == 300 and live.view is None and live.selected.tolist() == []
    with pytest.raises(dunlin.InputError, match="method is 'mds'"):
        dunlin.live("mds")
    with pytest.raises(dunlin.OptionError, match="grow is chosen by live"):
        dunlin.live(grow=[[0, 0]])


def test_the_picture_has_the_colors_of_the_view(notebook, monkeypatch):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    from dunlin import _drawings

    names = [f"p{i}" for i in range(12)]
    map = pandas.DataFrame(np.random.default_rng(0).normal(size=(12, 2)), names, ["x", "y"])
    labels = pandas.Series(["b", "a", None] * 4, names)
    drawn, draw = [], _drawings.draw
    monkeypatch.setattr(_drawings, "draw", lambda *given, **more: drawn.append(more) or draw(*given, **more))
    view = dunlin.view(map, labels=labels[::-1])
    labels[:] = "changed"
    view._picture()
    assert drawn[-1]["labels"] == ["b", "a", None] * 4
    values = pandas.Series(np.arange(12.0), names)
    dunlin.view(map, values=values[::-1])._picture()
    assert np.array_equal(drawn[-1]["values"], np.arange(12.0))


def test_copies_of_labels_keep_their_names():
    import copy

    from dunlin._match import Named

    labels = Named.of(np.array(["a", "b"]), ["r", "s"])
    copied = copy.deepcopy({"labels": labels})["labels"]
    assert copied.ids == ["r", "s"] and copied.tolist() == ["a", "b"] and not np.shares_memory(copied, labels)
