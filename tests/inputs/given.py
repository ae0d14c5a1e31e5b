# SPDX-License-Identifier: Apache-2.0
"""What is given beside points in Python: AnnData and its maps; neighbors; distances in place of points."""

import contextlib
import os
import warnings

from harness import by_python, refused, says


@by_python("representation-of-map")
def what_a_map_was_made_from():
    import anndata
    import dunlin
    import numpy as np
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, size=(60, 30)).astype(np.float32)
    names = [f"c{i}" for i in range(60)]
    for values in (X, csr_matrix(X)):
        adata = anndata.AnnData(values)
        adata.obs_names = names
        adata.obsm["X_pca"] = X[:, :6] @ rng.normal(size=(6, 6)).astype(np.float32)
        ref, new = adata[:50].copy(), adata[50:].copy()
        dunlin.tsne(ref, perplexity=8, use_rep="X_pca", key_added="X_tsne")
        assert ref.uns["X_tsne"]["params"]["use_rep"] == "X_pca"
        given = {"map_method": "tsne", "perplexity": 8}
        right = dunlin.transform(new.obsm["X_pca"], ref.obsm["X_pca"], ref.obsm["X_tsne"], **given).embedding
        found = dunlin.transform(new, ref, map=ref.obsm["X_tsne"], **given)
        assert np.array_equal(found.embedding, right) and list(found.ids) == names[50:]
        found = dunlin.transform(new, ref, map=ref.obsm["X_tsne"], use_rep="X_pca", **given)
        assert np.array_equal(found.embedding, right)
        refused(
            lambda: dunlin.transform(new, ref, map=ref.obsm["X_tsne"], use_rep="X", **given),
            "use_rep is 'X'", "made from 'X_pca'", "uns['X_tsne']",
        )
        # Of X
        result = dunlin.tsne(ref, perplexity=8)
        of_x = dunlin.transform(new, ref, result)
        assert np.array_equal(of_x.embedding, dunlin.transform(X[50:], X[:50], result.embedding, **given).embedding)
        # Nothing is recorded
        del ref.uns["X_tsne"]
        for call in (
            lambda: dunlin.transform(new, ref, map=ref.obsm["X_tsne"]),
            lambda: dunlin.tsne(adata, fixed=ref.obsm["X_tsne"]),
        ):
            refused(call, "use_rep='X'", "X_pca")
        for call in (
            lambda: dunlin.score(ref.obsm["X_tsne"], ref),
            lambda: dunlin.reliability(ref.obsm["X_tsne"], ref),
            lambda: dunlin.trustworthiness(ref, ref.obsm["X_tsne"]),
        ):
            with says("X of the AnnData is taken"):
                call()
        scores = dunlin.score(ref.obsm["X_tsne"], ref, use_rep="X_pca")
        assert scores == dunlin.score(ref.obsm["X_tsne"], ref.obsm["X_pca"])
        # Of scanpy
        ref.uns["tsne"] = {"params": {"perplexity": 8, "use_rep": "X_pca"}}
        assert dunlin.score(ref.obsm["X_tsne"], ref) == scores
        ref.obsm["X_umap"] = ref.obsm["X_tsne"] + 1
        ref.uns["umap"] = {"params": {"a": 0.5, "b": 1.0}}
        ref.uns["neighbors"] = {"connectivities_key": "c", "params": {"n_neighbors": 15, "use_rep": "X_pca", "n_pcs": 4}}
        of_four = dunlin.score(ref.obsm["X_umap"], ref)
        assert of_four == dunlin.score(ref.obsm["X_umap"], ref.obsm["X_pca"][:, :4])
        ref.uns["other"] = {"connectivities_key": "d", "params": {"n_neighbors": 15, "use_rep": "X"}}
        with says("X of the AnnData is taken"):
            dunlin.score(ref.obsm["X_umap"], ref)


@by_python("representation-of-map")
def genes_and_cells_by_name():
    import anndata
    import dunlin
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)).astype(np.float32)
    adata = anndata.AnnData(X)
    adata.obs_names, adata.var_names = [f"c{i}" for i in range(60)], [f"g{i}" for i in range(7)]
    ref, new = adata[:50].copy(), adata[50:].copy()
    result = dunlin.umap(ref, n_neighbors=8)
    right = dunlin.transform(new, ref, result).embedding
    with says("queries has its columns in another order"):
        assert np.array_equal(dunlin.transform(new[:, ::-1].copy(), ref, result).embedding, right)
    other = new.copy()
    other.var_names = [f"h{i}" for i in range(7)]
    refused(lambda: dunlin.transform(other, ref, result), "'g0'")
    with says():
        moved = dunlin.transform(new, ref[::-1].copy(), result)
    assert np.array_equal(moved.embedding, right)
    ref.obs["kind"] = np.where(np.arange(50) % 2, "a", "b")
    assert dunlin.draw(result, labels=ref.obs.kind[::-1]).data == dunlin.draw(result, labels=ref.obs.kind).data


@by_python("representation-of-map")
def files_that_are_not_in_memory():
    import anndata
    import dunlin
    import numpy as np
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, size=(60, 20)).astype(np.float32)
    for number, values in enumerate((X, csr_matrix(X))):
        adata = anndata.AnnData(values)
        dunlin.tsne(adata, perplexity=8, key_added="X_tsne")
        adata.write_h5ad(f"{number}.h5ad")
        backed = anndata.read_h5ad(f"{number}.h5ad", backed="r")
        map = np.asarray(backed.obsm["X_tsne"])
        assert dunlin.score(map, backed) == dunlin.score(map, X)
        found = dunlin.transform(X[:5], backed, map, map_method="tsne", perplexity=8)
        assert np.array_equal(found.embedding, dunlin.transform(X[:5], X, map, map_method="tsne", perplexity=8).embedding)
        backed.file.close()


@by_python("given-k")
def the_nearest_of_given_neighbors():
    import dunlin
    import numpy as np

    X = np.loadtxt("p60.csv", delimiter=",").astype(np.float32)
    near30, near9 = dunlin.neighbors(X, 30), dunlin.neighbors(X, 9)
    mixed = near30.to_csr()  # sorted by column, not by distance
    mixed.sort_indices()
    for knn in (near30, (near30.indices, near30.distances), mixed):
        found = dunlin.umap(X, knn=knn, n_neighbors=10)
        assert found.options["n_neighbors"] == 10
        assert np.array_equal(found.embedding, dunlin.umap(X, knn=near9, n_neighbors=10).embedding)
    found = dunlin.umap(knn=near30, n_neighbors=10, init="random")
    assert np.array_equal(found.embedding, dunlin.umap(knn=near9, init="random").embedding)
    found = dunlin.tsne(X, knn=near30, n_neighbors=9, perplexity=3)
    assert np.array_equal(found.embedding, dunlin.tsne(X, knn=near9, perplexity=3).embedding)
    assert dunlin.umap(X, knn=near30).options["n_neighbors"] == 31
    refused(lambda: dunlin.umap(X, knn=near9, n_neighbors=20), "n_neighbors is 20", "9 neighbors")
    refused(lambda: dunlin.tsne(X, knn=near9, n_neighbors=20), "n_neighbors is 20")
    refused(lambda: dunlin.pacmap(X, knn=near9, n_neighbors=20), "n_neighbors is 20")
    refused(lambda: dunlin.UMAP(20).fit(X, knn_graph=near9), "n_neighbors is 20", "of row 0", "9 neighbors are given")
    first = dunlin.UMAP(10, random_state=0).fit(X, knn_graph=near30).embedding_
    assert np.array_equal(first, dunlin.UMAP(10, random_state=0).fit(X, knn_graph=near9).embedding_)
    found = dunlin.TSNE(n_neighbors=9, perplexity=3, random_state=0).fit(X, knn_graph=near30).embedding_
    assert np.array_equal(found, dunlin.TSNE(n_neighbors=9, perplexity=3, random_state=0).fit(X, knn_graph=near9).embedding_)


@by_python("tsne-distances")
def distances_where_points_are_expected():
    import dunlin
    import numpy as np
    import pandas
    from scipy.sparse import csr_matrix

    d, X = (np.loadtxt(name, delimiter=",") for name in ("d60.csv", "p60.csv"))
    for given in (d, d.astype(np.float32), pandas.DataFrame(d), csr_matrix(d)):
        with says("looks like a matrix of distances", "metric='precomputed'"):
            dunlin.tsne(given)
    for call, word in (
        (lambda: dunlin.umap(d), "metric='precomputed'"),
        (lambda: dunlin.pacmap(d), "dunlin.mds(dissimilarities=X)"),
        (lambda: dunlin.neighbors(d), "KNeighborsTransformer(metric='precomputed')"),
        (lambda: dunlin.kmeans(d, 3), "dunlin.kmedoids(dissimilarities=X)"),
        (lambda: dunlin.choose_k(d, 3), "kmedoids"),
        (lambda: dunlin.mixture(d, 2), "kmedoids"),
        (lambda: dunlin.TSNE().fit(d), "metric='precomputed'"),
        (lambda: dunlin.UMAP().fit(d), "metric='precomputed'"),
        (lambda: dunlin.PaCMAP().fit(d), "mds"),
        (lambda: dunlin.KMeans(3).fit(d), "kmedoids"),
        (lambda: dunlin.KNeighborsTransformer().fit_transform(d), "metric='precomputed'"),
    ):
        with says("looks like a matrix of distances", word):
            call()
    with says():
        dunlin.tsne(X[:, :5])
        dunlin.tsne(d[:, :59])
        dunlin.tsne(d[::-1])
        dunlin.tsne(d - 1)
        dunlin.tsne(np.zeros((60, 60)))
        dunlin.TSNE(metric="precomputed", init="random").fit(d)
        dunlin.mds(dissimilarities=d)
        dunlin.tsne(np.array([[0.0, 1.0], [1.0, 0.0]]))


# Sparse and backed AnnData


def anndata_of(folder, **obsm):
    """(AnnData with sparse X, the same read backed), or None without anndata."""
    try:
        import anndata
        import h5py  # noqa: F401
    except ImportError:
        return None
    import numpy as np
    import scipy.sparse as sp

    with contextlib.suppress(Exception):
        anndata.settings.allow_write_nullable_strings = True
    adata = anndata.AnnData(sp.random(60, 200, density=0.05, format="csr", random_state=0, dtype=np.float32))
    for name, array in obsm.items():
        adata.obsm[name] = array
    path = os.path.join(folder, "a.h5ad")
    adata.write_h5ad(path)
    return adata, anndata.read_h5ad(path, backed="r")


@by_python("python-anndata-sparse")
def sparse_and_backed_anndata_are_their_x():
    import numpy as np
    import dunlin

    os.mkdir("more")
    both = anndata_of(".")
    if both is None:
        return
    adata, backed = both
    X = adata.X
    map = X[:, :2].toarray()
    centers = X[:3].toarray()
    calls = {
        "neighbors": lambda each: dunlin.neighbors(each, 3).distances,
        "queries": lambda each: dunlin.neighbors(each, 3, queries=each[:9]).distances,
        "kmeans": lambda each: dunlin.kmeans(each, 2).labels,
        "choose_k": lambda each: dunlin.choose_k(each, 3).best.labels,
        "assign": lambda each: dunlin.assign(each, centers).labels,
        "mixture": lambda each: dunlin.mixture(each, 2, covariance_type="diagonal").labels,
        "mds": lambda each: dunlin.mds(each, max_iter=5).embedding,
        "kmedoids": lambda each: dunlin.kmedoids(each, 2).labels,
        "score": lambda each: list(dunlin.score(map, each).values()),
        "trustworthiness": lambda each: dunlin.trustworthiness(each, map),
        "reliability": lambda each: dunlin.reliability(map, each).home,
        "tsne": lambda each: dunlin.tsne(each, max_iter=20, perplexity=5).embedding,
        "umap": lambda each: dunlin.umap(each, n_epochs=20).embedding,
        "pacmap": lambda each: dunlin.pacmap(each, num_iters=(3, 3, 3)).embedding,
        "KMeans": lambda each: dunlin.KMeans(2, random_state=0).fit(each).labels_,
        "TSNE": lambda each: dunlin.TSNE(max_iter=250, perplexity=5, random_state=0).fit_transform(each),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in calls.items():
            right = call(X)
            for each in (adata, backed):
                assert np.array_equal(call(each), right, equal_nan=True), (name, each.isbacked)
        half = np.arange(0, 60, 2)
        assert np.array_equal(dunlin.kmeans(adata[half], 2).labels, dunlin.kmeans(X[half], 2).labels)
        assert np.array_equal(dunlin.kmeans(backed[half], 2).labels, dunlin.kmeans(X[half], 2).labels)
    adata, backed = anndata_of("more", X_pca=np.random.default_rng(0).normal(size=(60, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rep = dunlin.umap(backed, use_rep="X_pca", n_epochs=20).embedding
        assert np.array_equal(rep, dunlin.umap(adata.obsm["X_pca"], n_epochs=20).embedding)
        for each in (adata[half].X, backed.X, adata[half].obsm["X_pca"]):
            dunlin.neighbors(each, 3)
        adata.raw = adata
        assert np.array_equal(dunlin.kmeans(adata.raw, 2).labels, dunlin.kmeans(X, 2).labels)
    adata.X = None
    assert np.array_equal(dunlin.kmeans(adata, 2).labels, dunlin.kmeans(adata.obsm["X_pca"], 2).labels)
    del adata.obsm["X_pca"]
    refused(lambda: dunlin.kmeans(adata, 2), "without X", "use_rep")
