# SPDX-License-Identifier: Apache-2.0
"""dunlin layout beside programs of Graphviz, paired in one run: whole processes on the same graph, time and scores.

    bench/layout.py [--build build/cpu] [--runs 3] [--threads 2] [--peers sfdp,fdp,neato] [GRAPH...]
                                                                            (default: sfdp, and all graphs below)

Ours is the whole default command: scores and picture included. Prints CSV: graph, vertices, edges, program, run, seconds of the process, seconds that reading took (dunlin's report;
sfdp does not tell), user seconds, scaled_stress, neighborhood_preservation, ratio (seconds of the peer's process over
those of ours in the same turn). The peers are run as they are best for
speed, without removal of overlaps; all are scored by dunlin score.
"""

import argparse
import gzip
import json
import lzma
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile
import time

DATA = pathlib.Path(os.environ.get("DUNLIN_DATA", "DUNLIN_DATA-is-not-set")) / "graphs"
FILES = {name: DATA / "tfdp-bench" / f"{name}.mtx.xz" for name in
         ["3elt", "commanche", "1138_bus", "dwt_1005", "crack", "fe_4elt2"]}
FILES |= {
    "USpowerGrid": DATA / "suitesparse" / "USpowerGrid.mtx.xz",
    "netscience": DATA / "newman" / "netscience.gml",
    "finance256": DATA / "suitesparse" / "finance256.mtx.xz",
    "wing": DATA / "metis" / "wing.graph.xz",
    "email-Enron": DATA / "snap" / "email-Enron.txt.gz",
    "lesmis": DATA / "tfdp-bench" / "lesmis.mtx.xz",
}
GRIDS = {"grid17": (17, 17), "grid100k": (400, 250)}


def grid(width, height):
    for y in range(height):
        for x in range(width):
            if x > 0:
                yield y * width + x - 1, y * width + x
            if y > 0:
                yield (y - 1) * width + x, y * width + x


def source(name, folder):
    """The graph as an uncompressed file for dunlin."""
    if name in GRIDS:
        plain = folder / f"{name}.edges"
        plain.write_text("".join(f"{a} {b}\n" for a, b in grid(*GRIDS[name])))
        return plain
    path = FILES[name]
    if path.suffix in (".xz", ".gz"):
        plain = folder / path.stem
        plain.write_bytes((lzma if path.suffix == ".xz" else gzip).open(path).read())
    else:
        plain = path
    return plain


def timed(command):
    """Wall and user seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def scores(dunlin, drawn, graph, folder):
    report = folder / "score.json"
    subprocess.run([dunlin, "score", drawn, "--of", graph, "--quiet", "--report", report], check=True)
    quality = json.loads(report.read_text())["quality"]
    return quality["scaled_stress"], quality["neighborhood_preservation"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/cpu")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peers", default="sfdp", type=lambda names: names.split(","))
    parser.add_argument("graphs", nargs="*", default=[*FILES, *GRIDS])
    options = parser.parse_args()
    dunlin = str(pathlib.Path(options.build) / "dunlin")
    print("graph,vertices,edges,program,run,seconds,reading,user,scaled_stress,neighborhood_preservation,ratio")
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name in options.graphs:
            if name in FILES and not FILES[name].exists():
                print(f"{name}: {FILES[name]} is missing; left out", file=sys.stderr)
                continue
            measure(name, source(name, folder), dunlin, options, folder)


def measure(name, graph, dunlin, options, folder):
    report, dot = folder / "report.json", folder / "graph.dot"
    subprocess.run([dunlin, "layout", graph, "--iterations", "0", "--scores", "none", "--quiet", "-o", dot], check=True)
    plain = folder / "plain.dot"
    plain.write_text("\n".join(line for line in without_positions(dot.read_text())))
    ours = [dunlin, "layout", graph, "--device", "cpu", "--threads", str(options.threads), "--quiet",
            "--report", report, "-o", folder / "ours.csv", "-o", folder / "ours.png"]
    programs = {"dunlin": ours}
    for peer in options.peers:
        programs[peer] = [peer, "-Goverlap=true", "-Tplain", plain, "-o", folder / "theirs.plain"]
    for run in range(1, options.runs + 1):
        for program, command in programs.items():
            wall, user = timed([str(word) for word in command])
            if program == "dunlin":
                our_wall = wall
            ratio = "" if program == "dunlin" else f"{wall / our_wall:.2f}"
            if program != "dunlin":
                as_table(folder / "theirs.plain", folder / "theirs.csv")
            told = json.loads(report.read_text())
            reading = told["seconds"]["read"] if program == "dunlin" else float("nan")
            drawn = folder / ("ours.csv" if program == "dunlin" else "theirs.csv")
            stress, kept = scores(dunlin, drawn, graph, folder) if run == 1 else ("", "")
            shape = f'{told["input"]["rows"]},{told["input"]["edges"]}'
            print(f"{name},{shape},{program},{run},{wall:.3f},{reading:.3f},{user:.3f},{stress},{kept},{ratio}", flush=True)


def as_table(plain, table):
    """Graphviz' plain output as a map; vertices are in the order of the input."""
    nodes = (shlex.split(line) for line in plain.read_text().splitlines() if line.startswith("node "))
    table.write_text("x,y\n" + "".join(f"{words[2]},{words[3]}\n" for words in nodes))


def without_positions(text):
    for line in text.splitlines():
        yield line.split(" [pos=")[0] + (";" if " [pos=" in line else "")


if __name__ == "__main__":
    sys.exit(main())
