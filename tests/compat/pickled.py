# SPDX-License-Identifier: Apache-2.0
"""The objects that are pickled, and what an object says of itself. pickled.py FOLDER writes them, by the dunlin that Python finds."""

import json
import os
import pathlib
import pickle
import sys
import tempfile

import numpy as np

import dunlin
import dunlin.opentsne
from recorded import pack, processor

ASKED = ("transform", "predict", "predict_proba", "kneighbors")  # of estimators, about new points


def points():
    """60 points around three centers, and 12 new ones; float32 of a rule without a generator."""
    rows = np.arange(72)[:, None]
    noise = ((rows * 37 + np.arange(5) * 101 + rows * rows * np.arange(1, 6)) % 211) / 211
    X = (noise + 4 * (rows % 3 == np.arange(5))).astype(np.float32)
    return X[:60], X[60:]


def path_graph():
    return 30, [(i, i + 1) for i in range(29)] + [(i, i + 6) for i in range(0, 24, 3)]


def estimators():
    X, _ = points()
    seed = {"random_state": 0, "n_jobs": 1}
    yield "TSNE", dunlin.TSNE(perplexity=8, max_iter=250, **seed).fit(X)
    yield "UMAP", dunlin.UMAP(n_neighbors=8, n_epochs=50, **seed).fit(X)
    yield "PaCMAP", dunlin.PaCMAP(n_neighbors=6, num_iters=(10, 10, 30), **seed).fit(X)
    yield "ParametricTSNE", dunlin.ParametricTSNE(hidden_layer_sizes=(8, 6), perplexity=8, pretrain_epochs=20, max_iter=5, n_prototypes=12, **seed).fit(X)
    yield "MDS", dunlin.MDS(max_iter=20, n_init=1, **seed).fit(X)
    yield "ClassicalMDS", dunlin.ClassicalMDS().fit(X)
    yield "KMeans", dunlin.KMeans(3, random_state=0, n_init=1).fit(X)
    yield "KMedoids", dunlin.KMedoids(3, random_state=0).fit(X)
    yield "GaussianMixture", dunlin.GaussianMixture(3, random_state=0).fit(X)
    yield "KNeighborsTransformer", dunlin.KNeighborsTransformer(n_neighbors=5).fit(X)
    yield "TSNE not fitted", dunlin.TSNE(perplexity=9)
    yield "opentsne TSNE", dunlin.opentsne.TSNE(perplexity=8, random_state=0, n_iter=60).fit(X)


def results():
    X, new = points()
    one = {"n_jobs": 1}
    map = dunlin.tsne(X, perplexity=8, max_iter=100, **one)
    yield "tsne", map
    yield "umap", dunlin.umap(X, n_neighbors=8, n_epochs=30, **one)
    yield "pacmap", dunlin.pacmap(X, num_iters=(10, 10, 20), **one)
    scaled = dunlin.mds(X, method="smacof", max_iter=20, **one)
    yield "mds", scaled
    yield "transform", dunlin.transform(new, X, map, perplexity=8, **one)
    yield "layout", dunlin.layout(path_graph(), **one)
    near = dunlin.neighbors(X, 9, **one)
    yield "neighbors", near
    yield "affinities", dunlin.affinities(near, 3, **one)
    clusters = dunlin.kmeans(X, 3, **one)
    yield "kmeans", clusters
    yield "assign", dunlin.assign(new, clusters.centers, **one)
    yield "choose_k", dunlin.choose_k(X, 4, **one)
    yield "mixture", dunlin.mixture(X, 3, responsibilities=True, **one)
    yield "choose_mixture", dunlin.choose_mixture(X, 3, **one)
    yield "kmedoids", dunlin.kmedoids(X, 3, **one)
    yield "sequence_distances", dunlin.sequence_distances(["kitten", "sitting", "mitten"], **one)
    yield "score", dunlin.score(map, X, **one)
    yield "reliability", dunlin.reliability(map, X, perplexity=8, **one)
    yield "density", dunlin.density(map, nodes=64, **one)
    x, y, z = np.mgrid[-1:1:7j, -1:1:7j, -1:1:7j]
    yield "surface", dunlin.surface((0.8 - x * x - y * y - z * z).astype(np.float32), **one)
    yield "hulls", dunlin.hulls(X[:, :3], cells=12, **one)
    yield "waves", dunlin.waves((12, 9), stimulate=0, until=5, **one)
    with tempfile.TemporaryDirectory() as folder:
        table, edges = pathlib.Path(folder, "points.csv"), pathlib.Path(folder, "graph.csv")
        table.write_text("id,a,b,kind\n" + "".join(f"p{i},{i},{i * i % 7},k{i % 2}\n" for i in range(12)))
        edges.write_text("source,target\n" + "".join(f"v{a},v{b}\n" for a, b in path_graph()[1]))
        yield "points of a file", dunlin.read(table)
        yield "graph of a file", dunlin.read(edges)
    yield "documents", dunlin.documents(["a cat and a dog", "a dog and a bird", "no cat and no bird"])
    try:
        dunlin.tsne(X, perplexity=-1)
    except dunlin.Error as error:
        yield "error", error


def values_of(found):
    """Arrays of what an object holds, by name."""
    values = {}
    if isinstance(found, np.ndarray):
        values["itself"] = np.asarray(found)
    elif hasattr(found, "toarray"):
        values["itself"] = found.toarray()
    elif isinstance(found, BaseException):
        values["text"] = np.array(str(found))
    elif isinstance(found, dict):
        values["keys"] = np.array(sorted(map(str, found)))
        values["values"] = np.array([np.asarray(found[key], dtype=float) for key in sorted(found, key=str)])
    if hasattr(found, "best"):
        values.update({f"best.{name}": value for name, value in values_of(found.best).items()})
    for name in sorted(vars(found)) if hasattr(found, "__dict__") else ():
        value = getattr(found, name, None)
        if not name.startswith("_") and isinstance(value, (np.ndarray, float, int)) and np.asarray(value).dtype != object:
            values[name] = np.asarray(value)
    return values


def answers_of(found):
    """What an estimator says of new points."""
    _, new = points()
    answers = {}
    for name in ASKED:
        if hasattr(found, name):
            try:
                value = getattr(found, name)(new)
            except (AttributeError, NotImplementedError):
                continue
            value = value[0] if isinstance(value, tuple) else value
            answers[name] = np.asarray(value.toarray() if hasattr(value, "toarray") else value)
    return answers


def all_of(name, found):
    """What is recorded of an object: numbers and texts that it holds, and of a fitted estimator its answers."""
    values = values_of(found)
    if hasattr(found, "get_params") and name != "TSNE not fitted":
        values.update({f"{asked}()": value for asked, value in answers_of(found).items()})
    return values


def main():
    folder, files, kinds, numbers = pathlib.Path(sys.argv[1]), {}, {}, {}
    for number, (name, found) in enumerate([*estimators(), *results()]):
        files[f"{name}.pickle"] = pickle.dumps(found, protocol=4)
        kinds[name] = {"number": number, "class": type(found).__name__}
        numbers.update({f"{number}.{key}": value for key, value in all_of(name, found).items()})
    np.savez(folder / "values.npz", **numbers)
    files["values.npz"] = (folder / "values.npz").read_bytes()
    os.remove(folder / "values.npz")
    files["pickles.json"] = json.dumps({"numpy": np.__version__, "processor": processor(), "objects": kinds}, indent=1).encode()
    pack(folder / "pickles.tar.xz", files)


if __name__ == "__main__":
    main()
