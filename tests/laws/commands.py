# SPDX-License-Identifier: Apache-2.0
"""The second door: entries of the table by the command, on files. {X} is the file of an input, {labels.csv} one that the
command writes, whose numbers are the answer of that name; other answers are numbers of the report."""

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

import dunlin
import numpy as np

from entry import ENTRIES, Refused

# As the package chooses without an option: a GPU where there is one, unless conftest.py hides it
DEVICE = "auto"
COMMAND = pathlib.Path(os.environ.get("DUNLIN_COMMAND") or pathlib.Path(__file__).resolve().parents[2] / "build/cpu/dunlin")

TABLE = {
    "neighbors queries": "neighbors {X} --queries {Q} -k 3 -o {near.npz}",
    "kmeans": "kmeans {X} --from {C} --weights {weights} -o {labels.csv} --centroids {centers.npy}",
    "kmeans plusplus": "kmeans {X} --clusters 3 -o {labels.csv} --centroids {means.npy}",
    "assign": "kmeans {X} --from {C} --iterations 0 -o {labels.csv} --centroids {means.npy}",
    **{
        f"mixture {kind}": f"mixture {{X}} --components 2 --covariance {kind} -o {{labels.csv}} --means {{means.npy}} --responsibilities {{responsibilities.npy}}"
        for kind in ("diagonal", "full", "spherical", "tied")
    },
    "kmedoids D": "kmedoids {D} --holds dissimilarities --clusters 3 --start build -o {labels.csv}",
    "clusters X": "clusters {X} --min-size 4 --min-samples 3 -o {labels.npy}",
    "clusters D": "clusters {D} --holds dissimilarities --min-size 4 --min-samples 3 -o {labels.npy}",
    "leiden": "communities {G} -o {labels.npy}",
    "louvain": "communities {G} --method louvain -o {labels.npy}",
    "tsne": "tsne {X} --iterations 60 --exaggerated-iterations 20 --perplexity 4 -o {embedding.npy}",
    "umap": "umap {X} --iterations 60 -k 5 -o {embedding.npy}",
    "umap five": "umap {X} --dim 5 --repulsion drawn --iterations 60 -k 5 -o {embedding.npy}",
    "tsne pca": "tsne {X} --pca 2 --iterations 60 --exaggerated-iterations 20 --perplexity 4 -o {embedding.npy}",
    "transform tsne": "transform {Q} --map {Y} --of {X} --method tsne --perplexity 4 -o {embedding.npy}",
    "transform umap": "transform {Q} --map {Y} --of {X} --method umap -k 5 -o {embedding.npy}",
    "transform pacmap": "transform {Q} --map {Y} --of {X} --method pacmap -k 5 -o {embedding.npy}",
    **{
        f"mds {method} {source}": f"mds {{{source}}} --holds {holds} --method {method}{more} -o {{embedding.npy}} --per-point {{point.npy}}"
        for method, more in {"smacof": " --starts 1 --iterations 20", "classical": "", "glimmer": " --iterations 20"}.items()
        for source, holds in {"X": "points", "D": "dissimilarities"}.items()
    },
    **{f"score {metric}": f"score {{Y}} --of {{X}} --metric {metric} --no-kl --holds points" for metric in ("euclidean", "cosine", "manhattan", "correlation")},
    "score labels": "score {Y} --of {X} --labels {labels} --no-kl --holds points",
    "score kl": "score {Y} --of {X} --perplexity 3 --holds points",
    "score graph strength": "score {pos} --of {G} --holds graph",
    "score graph length": "score {pos} --of {G} --holds graph --lengths",
    "density": "density {Y} --nodes 64 -o {field.npy}",
    **{f"layout {method}": f"layout {{G}} --method {method}{more} -o {{pos.npy}}" for method, more in {"multilevel": "", "eades": " --iterations 30", "stress": ""}.items()},
    "waves graph diffusion combinatorial": "waves {G} --model diffusion --start {v} --until 1 -o {v.npy}",
    "waves graph diffusion random-walk": "waves {G} --model diffusion --laplacian random-walk --start {v} --until 1 -o {v.npy}",
}
OUTPUTS = (".npy", ".csv", ".npz")


def written(folder, name, value, text):
    """A file of an input: text, as most users have, or an array of the same numbers."""
    path = folder / name
    if name == "G":
        path = path.with_suffix(".mtx")
        n, edges, weights = value
        lines = [f"{max(a, b) + 1} {min(a, b) + 1} {w!r}" for (a, b), w in zip(edges.tolist(), weights.tolist())]
        path.write_text("\n".join(["%%MatrixMarket matrix coordinate real symmetric", f"{n} {n} {len(lines)}", *lines, ""]))
    elif value.dtype.kind == "f" and (name == "v" or not text and value.ndim == 2):
        path = path.with_suffix(".npy")
        np.save(path, value)
    else:
        path = path.with_suffix(".csv" if value.ndim == 2 else ".txt")
        rows = value.tolist() if value.ndim == 2 else [[each] for each in value.tolist()]
        path.write_text("".join(",".join(each if isinstance(each, str) else repr(each) for each in row) + "\n" for row in rows))
    return path


def read(path):
    if path.suffix == ".npz":
        with np.load(path) as found:
            return found["data"].reshape(found["shape"][0], -1)
    if path.suffix == ".npy":
        found = np.load(path)
        return found.ravel() if path.stem in ("out.point", "out.v") else found
    return np.array([[float(cell) for cell in line.split(",")] for line in path.read_text().splitlines()[1:]]).squeeze(1)


def run(template, case, n_jobs=1):
    """The answers of a run of the command: those of its files, and the numbers of its report."""
    with tempfile.TemporaryDirectory() as name:
        folder, outputs, words = pathlib.Path(name), {}, []
        for word in template.split():
            inner = word.strip("{}")
            if word[0] != "{":
                words.append(word)
            elif inner.endswith(OUTPUTS):
                outputs[inner.rpartition(".")[0]] = folder / f"out.{inner}"
                words.append(str(outputs[inner.rpartition(".")[0]]))
            else:
                words.append(str(written(folder, inner, case[inner], text=case.recipe["seed"] % 2 == 0)))
        report = folder / "report.json"
        words += ["--report", str(report), "--device", DEVICE, "--threads", str(n_jobs), "--quiet"]
        done = subprocess.run([COMMAND, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, cwd=folder)
        if done.returncode in (2, 3):
            raise Refused(done.stderr.strip())
        assert done.returncode == 0, f"dunlin {' '.join(words)}: exit code {done.returncode}: {done.stderr}"
        told = json.loads(report.read_text())
        return {**told, **told.get("quality", {}), **{name: read(path) for name, path in outputs.items()}}


def answers(told, case, gives):
    """Of what a run told: what the entry gives."""
    found = dict(told)
    if "near" in found:
        found["distances"] = found["near"]
    if "trust" in gives:
        found["trust"] = dunlin.trustworthiness(case.X, found["embedding"], n_neighbors=3)
    if "bands" in found:
        found["bands"] = [band["level"] for band in found["bands"]]
    return {name: value for name in gives if (value := found.get(name)) is not None and not isinstance(value, (dict, str))}


def by_command():
    """The entries of the table that the command has, as entries of their own."""
    table = {entry.name: entry for entry in ENTRIES}
    for name, template in TABLE.items():
        entry = table[name]
        yield dataclasses.replace(
            entry,
            name="dunlin " + name,
            takes=tuple(each for each in entry.takes if f"{{{each}}}" in template),
            call=lambda case, template=template, **k: run(template, case, **k),
            read=lambda told, case, gives=entry.gives: answers(told, case, gives),
            through="command",
        )


BY_COMMAND = list(by_command())
