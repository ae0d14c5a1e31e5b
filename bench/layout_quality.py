# SPDX-License-Identifier: Apache-2.0
"""The default layout beside Graphviz' sfdp: scaled stress and neighborhoods of both, medians over seeds.

    bench/layout_quality.py [--dunlin build/cpu/dunlin] [--seeds 5] [--sizes 1000,4000] [--sets data,held-out,tuning]
                            [--largest 60000] [--options "--nearness 4"] [--peer FILE] [GRAPH...]

Graphs: those of shared/data, and families of graph_families.py in every size of --sizes; of these a seed of the layout has
a graph of its own. Both programs get the same graph without weights and one thread, and all maps are scored by dunlin
score. --peer keeps sfdp's scores in a file from run to run. Prints CSV: set, graph, vertices, edges, scaled_stress,
of_sfdp, ratio, neighborhood_preservation, of_sfdp, seconds, of_sfdp; the last lines count how often ratio <= 1.005 and
neighborhoods are as good as sfdp's.
"""

import argparse
import gzip
import json
import lzma
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import graph_families
from layout import DATA, as_table, without_positions

FOLDERS = ["tfdp-bench", "suitesparse", "newman", "metis", "snap", "social", "odd", "rocketfuel"]
OF_GRAPHS = (".mtx", ".gml", ".graph", ".txt", ".csv", ".intra", ".cch", ".edgelist")
NO_GRAPHS = ("physicians_nodes.csv",)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.peer_file = pathlib.Path(options.peer) if options.peer else None
        self.peer = json.loads(self.peer_file.read_text()) if self.peer_file and self.peer_file.exists() else {}

    def dunlin(self, *words):
        """The report of a command."""
        report = self.folder / "report.json"
        command = [self.options.dunlin, *words, "--quiet", "--threads", "1", "--report", report]
        subprocess.run([str(word) for word in command], check=True, stderr=subprocess.PIPE)
        return json.loads(report.read_text())

    def ours(self, graph, seed):
        """Stress, neighborhoods, seconds."""
        table = self.folder / "ours.csv"
        begin = time.monotonic()
        self.dunlin("layout", graph, "--device", "cpu", "--weights-from", "none", "--scores", "none", "--seed", seed,
                    "-o", table, *shlex.split(self.options.options))
        return self.scores(graph, table, time.monotonic() - begin)

    def theirs(self, name, graph, seed):
        key = f"{name} {seed}"
        if key not in self.peer:
            dot, plain, table = (self.folder / file for file in ("plain.dot", "theirs.plain", "theirs.csv"))
            self.dunlin("layout", graph, "--weights-from", "none", "--iterations", 0, "--scores", "none", "-o", dot)
            dot.write_text("\n".join(line.replace("digraph", "graph").replace("->", "--")
                                     for line in without_positions(dot.read_text())))
            begin = time.monotonic()
            subprocess.run(["sfdp", "-Goverlap=true", f"-Gstart={seed}", "-Tplain", dot, "-o", plain], check=True,
                           stderr=subprocess.DEVNULL)
            seconds = time.monotonic() - begin
            as_table(plain, table)
            self.peer[key] = self.scores(graph, table, seconds)
            if self.peer_file:
                self.peer_file.write_text(json.dumps(self.peer, indent=0))
        return self.peer[key]

    def scores(self, graph, table, seconds):
        told = self.dunlin("score", table, "--of", graph, "--holds", "graph", "--weights-from", "none",
                           "--exact-sources", 5000, "--exact-edges", 1)["quality"]
        return told["scaled_stress"], told["neighborhood_preservation"], seconds

    def row(self, kind, name, graphs):
        """graphs(seed): the file that is drawn by that seed."""
        ours, theirs, seeds = [], [], range(1, self.options.seeds + 1)
        for seed in seeds:
            graph = graphs(seed)
            ours.append(self.ours(graph, seed))
            theirs.append(self.theirs(name, graph, seed))
        shape = self.dunlin("layout", graph, "--weights-from", "none", "--iterations", 0, "--scores", "none", "-o",
                            self.folder / "shape.csv")["input"]
        (stress, kept, time_), (peer_stress, peer_kept, peer_time) = (
            [statistics.median(column) for column in zip(*rows)] for rows in (ours, theirs))
        ratio = stress / peer_stress if peer_stress > 0 else float(stress > 1e-9) + 1
        print(f"{kind},{name},{shape['rows']},{shape['edges']},{stress:.5f},{peer_stress:.5f},{ratio:.4f},{kept:.4f},"
              f"{peer_kept:.4f},{time_:.2f},{peer_time:.2f}", flush=True)
        return ratio <= 1.005, kept >= peer_kept


def data_graphs(folder):
    """Names and plain files of the graphs of shared/data."""
    for path in (path for sub in FOLDERS for path in sorted((DATA / sub).iterdir())):
        name = path.name.removesuffix(".xz").removesuffix(".gz")
        if not name.endswith(OF_GRAPHS) or name in NO_GRAPHS:
            continue
        plain = folder / name
        opened = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
        plain.write_bytes(opened(path, "rb").read())
        yield f"{path.parent.name}/{name}", plain


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dunlin", default="build/cpu/dunlin")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sizes", default="1000,4000", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--sets", default="data,held-out,tuning", type=lambda text: text.split(","))
    parser.add_argument("--largest", type=int, default=60000, help="vertices of a graph of shared/data")
    parser.add_argument("--options", default="", help="of dunlin layout")
    parser.add_argument("--peer", help="file that keeps sfdp's scores")
    parser.add_argument("graphs", nargs="*", help="names; default: all")
    options = parser.parse_args()
    print("set,graph,vertices,edges,scaled_stress,of_sfdp,ratio,neighborhood_preservation,of_sfdp,seconds,of_sfdp")
    with tempfile.TemporaryDirectory() as place:
        bench, met = Bench(options, pathlib.Path(place)), []
        for kind, name, graphs in all_graphs(options, bench):
            if not options.graphs or name in options.graphs or name.split()[0] in options.graphs:
                met.append((kind, *bench.row(kind, name, graphs)))
        for kind in options.sets:
            rows = [row[1:] for row in met if row[0] == kind]
            print(f"# {kind}: of {len(rows)}, stress met by {sum(r[0] for r in rows)}, neighborhoods by "
                  f"{sum(r[1] for r in rows)}, both by {sum(r[0] and r[1] for r in rows)}")


def all_graphs(options, bench):
    """Set, name, and the file for a seed."""
    if "data" in options.sets:
        for name, plain in data_graphs(bench.folder):
            if options.graphs and name not in options.graphs:
                continue
            try:
                shape = bench.dunlin("layout", plain, "--weights-from", "none", "--iterations", 0, "--scores", "none",
                                     "-o", bench.folder / "shape.csv")["input"]
            except subprocess.CalledProcessError as error:
                print(f"# {name}: {error.stderr.decode().strip()}", file=sys.stderr)
                continue
            if shape["rows"] <= options.largest:
                yield "data", name, lambda seed, plain=plain: plain
    for kind, families in (("held-out", graph_families.HELD_OUT), ("tuning", graph_families.TUNING)):
        if kind not in options.sets:
            continue
        for family in families:
            for size in options.sizes:
                yield kind, f"{family} {size}", lambda seed, family=family, size=size: generated(
                    bench.folder, family, size, seed)


def generated(folder, family, size, seed):
    plain = folder / f"{family}.edges"
    plain.write_text("".join(f"{a} {b}\n" for a, b in graph_families.edges_of(family, size, seed)))
    return plain


if __name__ == "__main__":
    sys.exit(main())
