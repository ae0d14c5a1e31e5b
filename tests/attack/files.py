# SPDX-License-Identifier: Apache-2.0
"""Files that nest, lie or are large."""

import pathlib
import time

from attack import BAD_FILE, attack, points, refused, run


@attack
def json_that_nests_is_refused():
    for name, text in {"list.json": "[" * 100_000 + "]" * 100_000, "object.json": '{"a":' * 100_000 + "1" + "}" * 100_000}.items():
        pathlib.Path(name).write_text(text)
        for more in (["draw", "-o", "x.png"], ["score", "--of", name], ["view"], ["density", "-o", "x.npy"], ["surface", "-o", "x.glb"]):
            refused(run(more[0], name, *more[1:]), BAD_FILE)
        points("p.csv")
        refused(run("tsne", "p.csv", "--start", name), BAD_FILE)
    pathlib.Path("lines.jsonl").write_text("[" * 100_000 + "\n")
    refused(run("info", "lines.jsonl"), BAD_FILE, "lists in lists")


@attack
def long_labels_are_drawn_in_linear_time():
    pathlib.Path("long.csv").write_text("x,y,label\n" + "".join(f"{i % 7},{i % 5},{'ab cd ' * 17_000 if i % 2 else 'q'}\n" for i in range(20)))
    for output in ("long.png", "long.svg"):
        begin = time.monotonic()
        assert run("draw", "long.csv", "-o", output).returncode == 0
        assert time.monotonic() - begin < 20, output
