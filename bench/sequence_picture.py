# SPDX-License-Identifier: Apache-2.0
"""Sequence pictures of a distributed run as SVG, from the events of a real one (dunlin.dask.KMeans.events_).

A line for the driver and one for each worker, time downwards: arrows are requests and answers, bars the work, marks what
happened to a worker.
"""

import html

LEFT, TOP, STEP, HEIGHT = 70, 50, 150, 640
MARKS = {
    "joining": "joins",
    "active": "is active",
    "lost": "is lost",
    "quarantined": "is quarantined",
    "returned": "returns",
}


def text(x, y, words, anchor="middle", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{html.escape(words)}</text>'


def arrow(x1, y1, x2, y2, color):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" marker-end="url(#head)"/>'


def shown(events, begin, end):
    return [each for each in events if begin <= each["seconds"] <= end]


def window(events, around, before=3, after=6):
    """Seconds from some rounds before the first event of this kind to some after it."""
    at = next((k for k, each in enumerate(events) if each["event"] == around), 0)
    asks = [k for k, each in enumerate(events) if each["event"] == "ask"]
    near = sum(k <= at for k in asks)
    first, last = asks[max(0, near - before)], asks[min(len(asks) - 1, near + after)]
    return events[first]["seconds"], events[last]["seconds"]


def picture(events, started, begin, end, title):
    """The events within [begin, end] seconds; ``started``: the clock when the run began."""
    events = shown(events, begin, end)
    names = list(dict.fromkeys(each["worker"] for each in events if "worker" in each))
    place = {name: LEFT + STEP * (k + 1) for k, name in enumerate(names)}
    scale = (HEIGHT - TOP - 30) / max(end - begin, 1e-9)

    def y(seconds):
        return TOP + (min(max(seconds, begin), end) - begin) * scale

    width = LEFT + STEP * (len(names) + 1)
    parts = [text(width / 2, 18, title, size=14), text(LEFT, TOP - 10, "driver")]
    for x in (LEFT, *place.values()):
        parts.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{HEIGHT - 20}" stroke="#888"/>')
    parts += [text(x, TOP - 10, f"worker {k + 1}") for k, x in enumerate(place.values())]
    for each in events:
        x = place.get(each.get("worker"))
        if each["event"] == "sent":
            parts.append(arrow(LEFT, y(each["seconds"]), x, y(each["seconds"]) + 4, "#0072b2"))
        elif each["event"] == "answer":
            low, high = y(each["begun"] - started), y(each["ended"] - started)
            parts.append(
                f'<rect x="{x - 4}" y="{low:.1f}" width="8" height="{max(1, high - low):.1f}" fill="#e69f00"/>'
            )
            parts.append(arrow(x, high, LEFT, y(each["seconds"]), "#009e73"))
        elif each["event"] in MARKS:
            parts.append(f'<circle cx="{x}" cy="{y(each["seconds"]):.1f}" r="4" fill="#d55e00"/>')
            parts.append(text(x + 8, y(each["seconds"]) + 4, MARKS[each["event"]], "start"))
    parts.append(text(LEFT - 8, HEIGHT - 16, f"{end:.2f} s", "end"))
    parts.append(text(LEFT - 8, TOP + 4, f"{begin:.2f} s", "end"))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" font-family="sans-serif">'
        '<defs><marker id="head" markerWidth="7" markerHeight="6" refX="6" refY="3" orient="auto">'
        '<path d="M0,0 L7,3 L0,6 z" fill="#444"/></marker></defs><rect width="100%" height="100%" fill="white"/>'
    )
    return head + "\n".join(parts) + "</svg>\n"
