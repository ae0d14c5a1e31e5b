# SPDX-License-Identifier: Apache-2.0
"""The trade of stress for neighborhoods that `dunlin layout --nearness` makes, beside Graphviz' sfdp.

    bench/layout_nearness.py [--dunlin build/cpu/dunlin] [--seeds 3] [--nearness 0,1,2,4,8,16,32] [--peer FILE]
        | bench/append.py layout-nearness seeds=3

Prints CSV, one row for every graph and nearness, medians over seeds: set, graph, vertices, nearness, scaled_stress,
neighborhoods. Nearness `stress` is --method stress, `sfdp` is Graphviz' drawing.
"""

import argparse
import pathlib
import statistics
import tempfile

from layout_quality import Bench, all_graphs

GRAPHS = ["odd/chesapeake.mtx", "tfdp-bench/price_1000.mtx", "tfdp-bench/dwt_1005.mtx", "snap/ca-GrQc.txt",
          "small-world 1000", "communities-10 1000", "attachment-2 1000", "mesh3d 1000"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dunlin", default="build/cpu/dunlin")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--nearness", default="0,1,2,4,8,16,32", type=lambda text: text.split(","))
    parser.add_argument("--peer", help="file that keeps sfdp's scores")
    options = parser.parse_args()
    options.sets, options.sizes, options.largest = ["data", "held-out", "tuning"], [1000], 60000
    options.options, options.graphs = "", GRAPHS
    print("set,graph,vertices,nearness,scaled_stress,neighborhoods")
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(options, pathlib.Path(place))
        for kind, name, graphs in all_graphs(options, bench):
            if name in GRAPHS:
                rows_of(bench, kind, name, graphs, options)


def rows_of(bench, kind, name, graphs, options):
    """One row for every nearness, for the method of stress and for sfdp; a seed of a family has a graph of its own."""
    drawn = {"stress": "--method stress"} | {value: f"--nearness {value}" for value in options.nearness}
    scored = {value: [] for value in [*drawn, "sfdp"]}
    for seed in range(1, options.seeds + 1):
        graph = graphs(seed)
        for value, options.options in drawn.items():
            scored[value].append(bench.ours(graph, seed))
        scored["sfdp"].append(bench.theirs(name, graph, seed))
    vertices = bench.dunlin("layout", graph, "--weights-from", "none", "--iterations", 0, "--scores", "none", "-o",
                            bench.folder / "shape.csv")["input"]["rows"]  # fmt: skip
    for value, maps in scored.items():
        stress, kept, _ = (statistics.median(column) for column in zip(*maps))
        print(f"{kind},{name},{vertices},{value},{stress:.5f},{kept:.4f}", flush=True)


if __name__ == "__main__":
    main()
