#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Surfaces beside scikit-image's marching cubes (PyPI), from Python arrays on two cores.

    surface_peer.py [--nodes N...] [--runs N]

Fields: ball (radius 0.35 of the side) and gyroid (four periods), float32, closed within the grid or not. Both programs run
in turn in one process, `runs` times after a warm-up; medians of the wall time, of processor seconds, and ratios of
the pairs. Dunlin's mesh has about three times the triangles: six tetrahedra a cell.
"""

import argparse
import statistics
import time

import numpy as np


def ball(n):
    x, y, z = np.ogrid[0 : 1 : n * 1j, 0 : 1 : n * 1j, 0 : 1 : n * 1j]
    return (0.35 - np.sqrt((x - 0.5) ** 2 + (y - 0.5) ** 2 + (z - 0.5) ** 2)).astype(np.float32)


def gyroid(n):
    x, y, z = np.ogrid[0 : 8 * np.pi : n * 1j, 0 : 8 * np.pi : n * 1j, 0 : 8 * np.pi : n * 1j]
    return (np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)).astype(np.float32)


def seconds(call):
    begin, cpu = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - begin, time.process_time() - cpu, result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    import dunlin
    import skimage
    from skimage.measure import marching_cubes

    print(f"scikit-image {skimage.__version__}, {given.runs} pairs after a warm-up")
    print("field,nodes,dunlin_s,skimage_s,ratio,ratio_least,ratio_most,dunlin_cpu_s,skimage_cpu_s,dunlin_faces,skimage_faces")
    for name, field_of in (("ball", ball), ("gyroid", gyroid)):
        for n in given.nodes:
            field = field_of(n)
            own, peer = [], []
            for run in range(given.runs + 1):
                pair = (
                    seconds(lambda field=field: dunlin.surface(field, device="cpu")),
                    seconds(lambda field=field: marching_cubes(field, 0.0)),
                )
                if run > 0:
                    own.append(pair[0])
                    peer.append(pair[1])
            ratios = [p[0] / o[0] for o, p in zip(own, peer)]
            columns = [statistics.median(row[i] for row in rows) for i in (0, 1) for rows in (own, peer)]
            print(
                f"{name},{n},{columns[0]:.4f},{columns[1]:.4f},{statistics.median(ratios):.2f},{min(ratios):.2f},"
                f"{max(ratios):.2f},{columns[2]:.4f},{columns[3]:.4f},{len(own[0][2].faces)},{len(peer[0][2][1])}",
                flush=True,
            )


if __name__ == "__main__":
    main()
