# SPDX-License-Identifier: Apache-2.0
"""The page of a map inside a notebook: its text, what it shows, and answers to its messages. view/notebook/widget.js is the other side."""

import base64
import functools
import hashlib
import json
import os
import threading
import time

import numpy as np

from . import _core, _intake, _sparse
from ._errors import InputError
from ._owned import owned
from ._palettes import own_colors
from ._run import finished

MOST_NEIGHBORS, MOST_HITS = 10, 8
MOST_NAMES, LONGEST_NAME = 1000, 4096
LONGEST_QUESTION = 65536
LARGEST_MESSAGE = 4 << 20  # bytes of the frames of one message
SHORTEST_PAUSE = 0.05  # seconds between two maps
LARGEST_SHARE = 0.02  # of the cores' time, for making frames


@functools.cache
def files():
    """The constant files of a page."""
    return _core.page_files()


def html_of(data=""):
    """A page; data: elements with its content, or nothing in a notebook. It runs its own scripts only, and asks for
    nothing elsewhere."""
    style, scripts = files()["style"], files()["scripts"]
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_source, scripts))}; style-src {_source(style)}; "
        "img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    elements = "".join(f"<script>{script}</script>\n" for script in scripts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<title>map</title>\n'
        f"<style>{style}</style>\n</head>\n<body>{files()['body']}{data}{elements}</body>\n</html>\n"
    )


def html_with(content):
    """A page that is a file."""
    facts = content["facts"].replace("<", "\\u003c")
    frames = (f'<script type="text/x-frame">{base64.b64encode(frame).decode()}</script>\n' for frame in content["frames"])
    return html_of(f'<script id="facts" type="application/json">{facts}</script>\n{"".join(frames)}')


def _source(text):
    """The source expression of a Content-Security-Policy."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


class ShownPoints:
    """What is known about the points beside their map.

    codes, names : labels as _intake.labels() returns them, or None and []
    values, value_name : a number per point, or None
    edges : GraphData, optional
    data : array, the points that the map was made from, optional
    style : dict of options
    landscape, hulls : dict of options; None: the page has none
    """

    def __init__(
        self,
        run,
        *,
        codes=None,
        names=(),
        ids=(),
        values=None,
        value_name="value",
        edges=None,
        data=None,
        metric="euclidean",
        style=None,
        landscape=None,
        hulls=None,
    ):
        self.run, self.codes, self.names, self.ids = run, codes, list(names), list(ids)
        self.values, self.value_name, self.edges = values, value_name, edges
        self.metric = metric
        if data is not None and not _sparse.is_sparse(data):
            data = owned(_intake.points(data, run, metric=metric, name="of").values, data)
        self.data = owned(data, data)
        self.style, self.landscape, self.hulls = dict(style or {}), landscape, hulls
        self.first, self.item_names, self.ranks = [], [], []  # as of ItemNames.of()
        self.colors = own_colors(self.style)

    def content(self, map):
        """Facts, frames and rows of a map."""
        outcome = _core.page_content(
            map,
            None if self.edges is None else self.edges.csr,
            self.codes,
            self.names,
            self.ids,
            (self.first, self.item_names, self.ranks),
            self.values,
            self.value_name,
            self.hulls,
            self.style,
            self.colors,
            self.landscape,
            self.run.on_cpu(),
        )
        return finished(outcome, dict)

    @functools.cached_property
    def points(self):
        """The data as the library reads them; of sparse rows when a page asks for neighbors, for they are made dense."""
        return _intake.points(self.data, self.run, metric=self.metric, name="of").values

    @property
    def shown_names(self):
        return self.item_names or self.ids

    def name_of(self, row):
        return self.shown_names[row] if self.shown_names else f"point {row}"


class Session:
    """A map that pages show, and their messages.

    send : callable
        ``send(message, buffers)`` reaches all pages; called by several threads, one at a time.
    selected : callable
        ``selected(rows)``, when a page has selected other points.
    rate : float
        Most bytes per second while the map moves.
    """

    def __init__(self, shown, send, selected=lambda rows: None, rate=8e6):
        self.shown, self._send, self._selected, self.rate = shown, send, selected, rate
        self._lock = threading.RLock()
        self.number = self.maps = 0
        self.moves = False
        self.map = self.content = self.places = None
        self._box = (0.0, 0.0, 0.0, 0.0)
        self._told, self._status = ("", 0.0), None

    # What is shown

    def show(self, map, moves=False, push=True):
        """A map with all that is known about it. push: now; else when a page asks for it."""
        content = self.shown.content(np.ascontiguousarray(map, np.float32))
        with self._lock:
            self.number += 1
            self.map, self.moves, self.content = map, moves, content
            self.places = np.empty(len(content["rows"]), np.int64)
            self.places[content["rows"]] = np.arange(len(self.places))
            if push:
                self.send_content()

    def hello(self):
        server = {
            "content": self.number,
            "moves": False,  # no run that the page could steer
            "neighbors": self.shown.data is not None,
            "names": bool(self.shown.shown_names),
            "selection": "",
            "frames": len(self.content["frames"]),
        }
        return f'{{"facts":{self.content["facts"]},"server":{json.dumps(server)}}}'

    def send_content(self):
        frames = self.content["frames"]
        self._send({"kind": "content", "content": self.number, "hello": self.hello(), "frames": len(frames)}, [])
        for group in _groups(frames):
            self._send({"kind": "frames", "content": self.number}, group)

    def move(self, moved, iteration, seconds):
        """A map between two iterations; returns the least seconds until the next one."""
        if self.content is None:
            self.show(_without_gaps(moved), moves=True)
        before = time.thread_time()
        with self._lock:
            self.maps += 1
            frames, self._box = _core.moving_frames(moved, self.content["rows"], self._box, self.maps, iteration, seconds)
            spent = time.thread_time() - before
            self.map, self.moves = moved, True
            groups = _groups(frames)
            for i, group in enumerate(groups):
                self._send({"kind": "moved", "content": self.number, "last": i + 1 == len(groups)}, group)
        size = sum(map(len, frames))
        return max(SHORTEST_PAUSE, size / self.rate, spent / (LARGEST_SHARE * (os.cpu_count() or 1)))

    def rest(self):
        """No more maps come: the last one is shown as one at rest."""
        if self.moves:
            self.show(_without_gaps(self.map))

    def tell(self, stage, done, total, cost):
        """How far a run is, ten times a second at most."""
        now = time.monotonic()
        if stage == self._told[0] and now < self._told[1] + 0.1:
            return
        self._told = (stage, now)
        self._status = {"stage": stage, "done": done, "total": total}
        if np.isfinite(cost):
            self._status["cost"] = cost
        if not self._lock.acquire(blocking=False):
            return  # a map is on its way, which the run does not wait for
        try:
            self._send_status(self._status)
        finally:
            self._lock.release()

    def end(self, was_stopped):
        """The end of a run: the page says where it was stopped, or nothing."""
        if self._status is None:
            return
        status = self._status | {"stage": self._status["stage"] + ", stopped"} if was_stopped else None
        self._told, self._status = ("", 0.0), None
        with self._lock:
            self._send_status(status)

    def _send_status(self, status):
        self._send({"kind": "status", "text": json.dumps({"status": status})}, [])

    # Messages of pages

    def take(self, message, buffers=()):
        """A message: {have}, {selected} with a buffer, or {page, ask}. What is none of these is answered by an error and
        changes nothing."""
        page = message.get("page") if isinstance(message, dict) else None
        serial = None
        try:
            if not isinstance(message, dict):
                raise InputError("a message is an object")
            if "have" in message:
                return self._answer_have(message["have"])
            if "selected" in message:
                return self._take_selection(buffers)
            question = _question_of(message)
            serial = question["serial"]
            answer = {"serial": serial, **self._answer(question)}
        except InputError as error:
            answer = {"serial": serial, "error": str(error)}
        with self._lock:
            self._send({"kind": "answer", "page": page if _is_count(page) else 0, "text": json.dumps(answer)}, [])

    def _answer_have(self, have):
        if not _is_count(have):
            raise InputError("have is the number of a content")
        with self._lock:
            if self.content is not None and have != self.number:
                self.send_content()

    def _take_selection(self, buffers):
        if len(buffers) != 1 or len(message := bytes(buffers[0])) < 4:
            raise InputError("a selection has one buffer with the number of its content and its bits")
        with self._lock:
            self._require_content(int.from_bytes(message[:4], "little"))
            rows = self.content["rows"]
        bits = np.frombuffer(message, np.uint8, offset=4)
        if len(bits) not in (0, (len(rows) + 7) // 8):
            raise InputError(f"a selection of {len(rows)} points has {len(bits)} bytes")
        chosen = np.unpackbits(bits, bitorder="little")
        if chosen[len(rows) :].any():
            raise InputError("a selection has points that the map has not")
        self._selected(np.sort(rows[chosen[: len(rows)].astype(bool)] if len(bits) else rows[:0]))

    def _require_content(self, number):
        if self.content is None or number != self.number:
            raise InputError("the map has changed since; ask again")

    def _answer(self, question):
        with self._lock:
            if "content" in question or self.content is None:
                self._require_content(question.get("content"))
            map, rows, places, moves = self.map, self.content["rows"], self.places, self.moves
        what = question.get("ask")
        if what == "point":
            place = question.get("place")
            if not _is_count(place) or place >= len(rows):
                raise InputError("there is no such place")
            if moves:
                raise InputError("the map still moves; its neighbors are known when it rests")
            return self._describe(map, places, int(rows[place]))
        if what == "search":
            if not isinstance(question.get("text"), str):
                raise InputError("a text is wanted")
            hits = self._hits(question["text"].lower(), len(rows))
            return {"hits": [{"place": int(places[row]), "text": self.shown.name_of(row)} for row in hits]}
        if what == "names":
            asked = question.get("places")
            fit = isinstance(asked, list) and len(asked) <= MOST_NAMES
            if not fit or not all(_is_count(place) and place < len(rows) for place in asked):
                raise InputError(f"places are at most {MOST_NAMES} numbers of points")
            return {"names": [self.shown.name_of(int(rows[place]))[:LONGEST_NAME] for place in asked]}
        raise InputError("a page asks for a point, names or a search")

    def _describe(self, map, places, row):
        shown = self.shown

        def entry(other, distance):
            return {"place": int(places[other]), "name": shown.name_of(other), "distance": distance}

        near = _neighbors_of(map, row, "euclidean", shown.run)
        answer = {"name": shown.name_of(row), "row": row, "neighbors": [entry(*each) for each in near]}
        if shown.data is not None:
            kept = {other for other, _ in near}
            of_data = _neighbors_of(shown.points, row, shown.metric, shown.run)
            answer["dataNeighbors"] = [entry(*each) | {"kept": each[0] in kept} for each in of_data]
            answer["kept"] = sum(each["kept"] for each in answer["dataNeighbors"])
        return answer

    def _hits(self, text, n):
        """Rows whose ids have the text, those whose id it is first, or the row of this number."""
        if not text:
            return []
        if not self.shown.shown_names:
            return [int(text)] if text.isdecimal() and len(text) < 19 and str(int(text)) == text and int(text) < n else []
        whole, part = [], []
        for row, name in enumerate(self.shown.shown_names):
            name = name.lower()
            if name == text:
                whole.append(row)
                if len(whole) == MOST_HITS:
                    break
            elif text in name and len(part) < MOST_HITS:
                part.append(row)
        return (whole + part)[:MOST_HITS]


def _neighbors_of(points, row, metric, run):
    """(row, distance) of the nearest other points, nearest first, exactly."""
    n = len(points)
    if n < 2:
        return []
    options = {"k": min(MOST_NEIGHBORS + 1, n), "metric": metric, "method": "exact"}
    points = np.ascontiguousarray(points, np.float32)
    _, targets, distances = finished(_core.neighbors(points, options, run.on_cpu(), None, points[row : row + 1]), dict)["graph"]
    found = zip(targets.tolist(), distances.tolist())
    return [(other, distance) for other, distance in found if other != row][:MOST_NEIGHBORS]


def _question_of(message):
    text = message.get("ask")
    if not _is_count(message.get("page")) or not isinstance(text, str) or len(text) > LONGEST_QUESTION:
        raise InputError("a question has the number of its page and a text")
    try:
        question = json.loads(text)
    except (ValueError, RecursionError):
        question = None
    if not isinstance(question, dict) or not _is_count(question.get("serial")):
        raise InputError("a message is an object with a serial number")
    return question


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _groups(frames):
    """Frames in groups of at most LARGEST_MESSAGE bytes, or of one frame."""
    groups, size = [[]], 0
    for frame in frames:
        if groups[-1] and size + len(frame) > LARGEST_MESSAGE:
            groups.append([])
            size = 0
        groups[-1].append(frame)
        size += len(frame)
    return groups


def _without_gaps(map):
    """Points without a place are in the middle of the others."""
    missing = np.isnan(map)
    if not missing.any():
        return map
    with np.errstate(invalid="ignore"):
        placed = ~missing.any(axis=1)
        middle = map[placed].mean(axis=0, dtype=np.float64) if placed.any() else np.zeros(map.shape[1])
    return np.where(missing, middle, map).astype(np.float32)
