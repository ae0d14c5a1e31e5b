# SPDX-License-Identifier: Apache-2.0
"""FAISS's IVF-PQ for comparison; run by run.py inside its virtual environment.

usage: codes_peer.py POINTS.npy OUT_STEM K BYTES CELLS RECALL THREADS

IndexIVFPQ, CELLS lists, BYTES of 8 bits a row, and IndexRefineFlat, which ranks the best 3 k by distance as ours does.
The least nprobe that holds RECALL of what IndexFlatL2 finds for 500 rows is found while no clock runs. Seconds: `build`
(training and adding), `search` (all rows), `whole` (both). Writes OUT_STEM.npy (ids) and OUT_STEM.json.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
from peers import Clock, best_blas_kernel, blas_in_words, without_self

RERANK = 3
SAMPLED = 500


def build(faiss, points, parts, cells):
    quantizer = faiss.IndexFlatL2(points.shape[1])
    codes = faiss.IndexIVFPQ(quantizer, points.shape[1], cells, parts, 8)
    index = faiss.IndexRefineFlat(codes)
    index.k_factor = RERANK
    index.train(points)
    index.add(points)
    return index, codes, quantizer  # who owns them keeps them


def least_probes(faiss, points, k, recall, index, codes):
    sample = np.ascontiguousarray(points[np.linspace(0, len(points) - 1, SAMPLED, dtype=np.int64)])
    flat = faiss.IndexFlatL2(points.shape[1])
    flat.add(points)
    limits = flat.search(sample, k + 1)[0][:, -1:] * (1 + 1e-5)
    for probes in range(1, codes.nlist + 1):
        codes.nprobe = probes
        if (index.search(sample, k + 1)[0] <= limits).mean() >= recall:
            return probes
    raise SystemExit(f"these codes do not reach a recall of {recall}")


def main(points_file, stem, k, parts, cells, recall, threads):
    if "OPENBLAS_CORETYPE" not in os.environ and best_blas_kernel():
        os.environ["OPENBLAS_CORETYPE"] = best_blas_kernel()
    import faiss

    faiss.omp_set_num_threads(threads)
    points = np.load(points_file)
    clock = Clock()
    index, codes, _quantizer = clock.time("build", lambda: build(faiss, points, parts, cells))
    codes.nprobe = least_probes(faiss, points, k, recall, index, codes)
    found = clock.time("search", lambda: index.search(points, k + 1)[1])
    clock.seconds["whole"] = clock.seconds["build"] + clock.seconds["search"]
    np.save(f"{stem}.npy", without_self(found).astype(np.int32))
    note = f"IndexIVFPQ {parts} bytes, {codes.nprobe} of {cells} lists, IndexRefineFlat {RERANK} k"
    facts = {"version": faiss.__version__, "note": note, "seconds": clock.seconds, "blas": blas_in_words()}
    Path(f"{stem}.json").write_text(json.dumps(facts | {"threads": threads}, indent=1))


if __name__ == "__main__":
    points_file, stem, k, parts, cells, recall, threads = sys.argv[1:]
    main(points_file, stem, int(k), int(parts), int(cells), float(recall), int(threads))
