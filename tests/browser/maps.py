# SPDX-License-Identifier: Apache-2.0
"""Maps for the tests, as files of the command."""

import random
import subprocess


class MapFile:
    """Points in clusters, with ids and labels, as CSV."""

    def __init__(self, folder, name, points, dim=2, clusters=8, seed=1, same_place=()):
        source = random.Random(seed)
        centers = [[source.uniform(-10, 10) for _ in range(dim)] for _ in range(clusters)]
        self.points, self.labels, self.ids = [], [], []
        for i in range(points):
            label = source.randrange(clusters)
            self.points.append([source.gauss(c, 0.4 + 0.1 * label) for c in centers[label]])
            self.labels.append(f"kind {label}")
            self.ids.append(f"p{i:06d}")
        for place, count in same_place:
            for i in range(count):
                self.points.append(list(place))
                self.labels.append(f"kind {i * 2 // count}")
                self.ids.append(f"same{i:06d}")
        self.path, self.folder, self.name, self.dim = folder / f"{name}.csv", folder, name, dim
        rows = [",".join(["id", *"xyz"[:dim], "label"])]
        rows += [",".join([i, *(f"{v:.5f}" for v in p), l]) for i, p, l in zip(self.ids, self.points, self.labels)]
        self.path.write_text("\n".join(rows) + "\n")
        self.points = [[float(f"{v:.5f}") for v in p] for p in self.points]

    def draw(self, command, ending, *arguments):
        output = self.folder / f"{self.name}{ending}"
        subprocess.run([command, "draw", self.path, "-o", output, "--quiet", *arguments], check=True)
        return output
