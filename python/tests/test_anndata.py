# SPDX-License-Identifier: Apache-2.0
"""AnnData: which array is taken, what is written, and that both are as in scanpy."""

import warnings

import numpy as np
import pytest

import dunlin

anndata = pytest.importorskip("anndata")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:.*scanpy.*:UserWarning")


@pytest.fixture
def cells():
    """Three groups of 80 cells with 60 genes, and 20 columns of X_pca that differ from the first of X."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(240, 60)) + 6 * np.eye(60)[np.arange(240) % 3]).astype(np.float32)
    adata = anndata.AnnData(X)
    adata.obsm["X_pca"] = (X @ rng.normal(size=(60, 20))).astype(np.float32)
    return adata


def of(adata, columns=None):
    return np.asarray(adata.obsm["X_pca"][:, :columns])


CALLS = {
    "tsne": (lambda X, **more: dunlin.tsne(X, max_iter=20, **more).embedding),
    "umap": (lambda X, **more: dunlin.umap(X, n_epochs=5, **more).embedding),
    "pacmap": (lambda X, **more: dunlin.pacmap(X, num_iters=(2, 2, 2), **more).embedding),
    "mds": (lambda X, **more: dunlin.mds(X, max_iter=5, **more).embedding),
    "neighbors": (lambda X, **more: dunlin.neighbors(X, 5, **more).distances),
    "kmeans": (lambda X, **more: dunlin.kmeans(X, 3, **more).centers),
    "choose_k": (lambda X, **more: dunlin.choose_k(X, 3, **more).best.centers),
    "kmedoids": (lambda X, **more: dunlin.kmedoids(X, 3, **more).medoids),
    "mixture": (lambda X, **more: dunlin.mixture(X, 3, **more).means),
    "choose_mixture": (lambda X, **more: dunlin.choose_mixture(X, 2, **more).best.means),
    "clusters": (lambda X, **more: dunlin.clusters(X, **more).strengths),
    "assign": (lambda X, **more: np.array([dunlin.assign(X, dunlin.kmeans(X, 3, **more), **more).inertia])),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_function_takes_what_scanpy_takes(cells, name):
    call = CALLS[name]
    with pytest.warns(dunlin.InputWarning, match=r"X_pca of the AnnData is taken \(20 columns\)"):
        assert call(cells).tobytes() == call(of(cells)).tobytes()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*of the AnnData is taken")
        assert call(cells, use_rep="X").tobytes() == call(cells.X).tobytes()
        assert call(cells, use_rep="X_pca").tobytes() == call(of(cells)).tobytes()
        cells.obsm.clear()
        assert call(cells).tobytes() == call(cells.X).tobytes()
    with pytest.raises(dunlin.InputError, match=r"use_rep is 'X_scvi'; obsm has \[\]"):
        call(cells, use_rep="X_scvi")
    with pytest.raises(dunlin.InputError, match="use_rep is 'X', but X is no AnnData"):
        call(cells.X, use_rep="X")


def test_few_genes_are_taken_themselves(cells):
    few = cells[:, :50].copy()
    with pytest.warns(dunlin.InputWarning, match=r"X of the AnnData is taken \(50 columns\), as scanpy does; use_rep='X_pca'"):
        assert dunlin.neighbors(few, 5).distances.tobytes() == dunlin.neighbors(few.X, 5).distances.tobytes()
    without = anndata.AnnData(obs=few.obs, obsm={"X_pca": of(cells)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dunlin.InputWarning)
        assert dunlin.neighbors(without, 5).distances.tobytes() == dunlin.neighbors(of(cells), 5).distances.tobytes()


@pytest.mark.filterwarnings("ignore::dunlin.InputWarning")
def test_the_choice_is_scanpy_s(cells):
    scanpy_utils = pytest.importorskip("scanpy.tools._utils")
    for use_rep, n_pcs in ((None, None), (None, 7), (None, 0), ("X_pca", 5), ("X", None)):
        theirs = scanpy_utils._choose_representation(cells, use_rep=use_rep, n_pcs=n_pcs)
        ours = dunlin.neighbors(cells, 5, use_rep=use_rep, n_pcs=n_pcs)
        assert ours.distances.tobytes() == dunlin.neighbors(np.ascontiguousarray(theirs), 5).distances.tobytes()
    with pytest.raises(dunlin.InputError, match=r"n_pcs is 21 and obsm\['X_pca'\] has 20 columns"):
        dunlin.neighbors(cells, 5, n_pcs=21)
    result = dunlin.umap(cells, n_pcs=7, n_epochs=5)
    assert result.options["use_rep"] == "X_pca" and result.columns_taken == 7
    assert result.embedding.tobytes() == dunlin.umap(of(cells, 7), n_epochs=5).embedding.tobytes()


@pytest.mark.filterwarnings("ignore::dunlin.InputWarning")
def test_estimators_take_what_scanpy_takes(cells):
    assert dunlin.TSNE(max_iter=250, random_state=0).fit(cells).n_features_in_ == 20
    umap = dunlin.UMAP(n_epochs=5, random_state=0).fit(cells)
    assert umap.embedding_.tobytes() == dunlin.UMAP(n_epochs=5, random_state=0).fit(of(cells)).embedding_.tobytes()
    new = cells[:9].copy()
    assert umap.transform(new).tobytes() == umap.transform(of(new)).tobytes()
    del new.obsm["X_pca"]
    with pytest.raises(ValueError, match="60 features, but UMAP is expecting 20"):
        umap.transform(new)


def structure(value):
    """Keys and types of what uns has."""
    if hasattr(value, "items"):
        return {name: structure(each) for name, each in value.items()}
    return type(value).__name__


@pytest.mark.filterwarnings("ignore::dunlin.InputWarning")
def test_neighbors_are_written_as_scanpy_writes_them(cells):
    scanpy = pytest.importorskip("scanpy")
    theirs = cells.copy()
    for key in (None, "mine"):
        scanpy.pp.neighbors(theirs, n_neighbors=15, key_added=key, random_state=1)
        dunlin.neighbors(cells, 14, key_added=key or True)
        key = key or "neighbors"
        assert structure(cells.uns[key]) == structure(theirs.uns[key])
        assert cells.uns[key] == theirs.uns[key]
        for name in ("connectivities_key", "distances_key"):
            ours, others = cells.obsp[cells.uns[key][name]], theirs.obsp[theirs.uns[key][name]]
            assert type(ours) is type(others) and ours.shape == others.shape and ours.nnz == others.nnz
            assert abs(ours - others).max() < 2e-4 * abs(others).max()
    assert set(cells.obsp) == set(theirs.obsp)
    assert (np.diff(cells.obsp["distances"].indptr) == 14).all()
    other = cells.copy()
    dunlin.neighbors(other, 14, key_added="neighbors", include_self=True)
    assert abs(other.obsp["distances"] - cells.obsp["distances"]).max() == 0
    with pytest.raises(dunlin.InputError, match="leave it out with queries"):
        dunlin.neighbors(cells, 5, queries=cells, key_added="neighbors")


@pytest.mark.filterwarnings("ignore::dunlin.InputWarning")
def test_maps_are_written_as_scanpy_writes_them(cells, tmp_path):
    scanpy = pytest.importorskip("scanpy")
    theirs = cells.copy()
    scanpy.pp.neighbors(cells, n_neighbors=15)
    scanpy.pp.neighbors(theirs, n_neighbors=15)
    before = cells.obsp["connectivities"].copy()
    for key in (None, "other"):
        scanpy.tl.umap(theirs, key_added=key, random_state=1, maxiter=20)
        scanpy.tl.tsne(theirs, key_added=key and "X_" + key, use_rep="X_pca")
        result = dunlin.umap(cells, neighbors_key="neighbors", key_added=key or True, n_epochs=20)
        dunlin.tsne(cells, use_rep="X_pca", max_iter=20, key_added=key and "X_" + key or True)
    assert list(cells.obsm) == list(theirs.obsm) == ["X_pca", "X_umap", "X_tsne", "other", "X_other"]
    assert list(cells.uns) == list(theirs.uns)
    for key in ("umap", "other"):
        ours, others = cells.uns[key]["params"], theirs.uns[key]["params"]
        assert list(ours) == list(others) and ours["random_state"] == others["random_state"]
        assert ours["a"] == pytest.approx(others["a"], rel=2e-3) and ours["b"] == pytest.approx(others["b"], rel=2e-3)
    assert set(theirs.uns["tsne"]["params"]) - {"n_jobs"} <= set(cells.uns["tsne"]["params"])
    assert abs(cells.obsp["connectivities"] - before).max() == 0
    assert result.options["min_dist"] == 0.5 and result.options["use_rep"] == "X_pca" and result.ids is not None
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.uns["tsne"]["dunlin"]["use_rep"] == "X_pca" and again.uns["tsne"]["dunlin"]["max_iter"] == 20
    # The record of a file is enough for new cells
    placed = dunlin.transform(again[:7].copy(), again, again.obsm["X_tsne"])
    direct = dunlin.transform(of(again)[:7], of(again), again.obsm["X_tsne"])
    assert placed.embedding.tobytes() == direct.embedding.tobytes()


@pytest.mark.filterwarnings("ignore::dunlin.InputWarning")
def test_new_cells_go_by_the_record_of_the_map(cells):
    new = cells[:5].copy()
    result = dunlin.umap(cells, n_pcs=7, n_epochs=20, key_added=True)
    direct = dunlin.transform(of(new, 7), of(cells, 7), dunlin.umap(of(cells, 7), n_epochs=20))
    assert dunlin.transform(new, cells, result).embedding.tobytes() == direct.embedding.tobytes()
    by_record = dunlin.transform(new, cells, cells.obsm["X_umap"], map_method="umap")
    assert by_record.embedding.tobytes() == direct.embedding.tobytes()
    whole = dunlin.umap(cells, n_epochs=20)
    new.obsm["X_pca"] = of(new, 12)
    with pytest.raises(dunlin.InputError, match="queries have 12 columns and X has 20"):
        dunlin.transform(new, cells, whole)
    del new.obsm["X_pca"]
    with pytest.raises(dunlin.InputError, match=r"use_rep is 'X_pca'; obsm of queries has \[\]"):
        dunlin.transform(new, cells, whole)
    reference = cells.copy()
    del reference.obsm["X_pca"]
    with pytest.raises(dunlin.InputError, match=r"use_rep is 'X_pca'; obsm has \['X_umap'\]"):
        dunlin.transform(cells, reference, whole)


@pytest.mark.filterwarnings("ignore::dunlin.InputWarning")
def test_groups_are_written_as_scanpy_writes_them(cells):
    scanpy = pytest.importorskip("scanpy")
    pytest.importorskip("igraph")
    scanpy.pp.neighbors(cells, n_neighbors=10)
    scanpy.tl.leiden(cells, flavor="igraph", directed=False, n_iterations=2, key_added="theirs")
    found = dunlin.leiden(cells, key_added="ours")
    assert found.nodes == list(cells.obs_names)
    ours, theirs = cells.obs["ours"], cells.obs["theirs"]
    assert type(ours.dtype) is type(theirs.dtype) and ours.dtype.categories.dtype == theirs.dtype.categories.dtype
    assert list(ours.cat.categories) == [str(label) for label in range(found.n_communities)]
    assert np.array_equal(ours.cat.codes, found.labels)
    assert list(cells.uns["ours"]["params"]) == list(cells.uns["theirs"]["params"])
    assert cells.uns["ours"]["modularity"] == found.modularity
    dunlin.louvain(cells, key_added="louvain", neighbors_key="neighbors")
    assert cells.uns["louvain"]["params"]["resolution"] == 1.0
    groups = dunlin.clusters(cells, key_added="groups")
    codes = cells.obs["groups"].cat.codes.to_numpy()
    assert np.array_equal(codes, np.where(groups.labels < 0, -1, groups.labels))
    assert cells.uns["groups"]["params"]["use_rep"] == "X_pca"
    for call in (lambda: dunlin.leiden(cells, neighbors_key="none"), lambda: dunlin.umap(cells, neighbors_key="none")):
        with pytest.raises(dunlin.InputError, match="uns has no graph of neighbors 'none'"):
            call()
    for call in (
        lambda: dunlin.leiden(cells.obsp["connectivities"], key_added="x"),
        lambda: dunlin.umap(cells.X, neighbors_key="neighbors"),
        lambda: dunlin.clusters(cells.X, key_added="x"),
    ):
        with pytest.raises(dunlin.InputError, match="is no AnnData"):
            call()
    with pytest.raises(dunlin.InputError, match="knn and neighbors_key are given"):
        dunlin.umap(cells, neighbors_key="neighbors", knn=dunlin.neighbors(cells, 5))


@pytest.mark.filterwarnings("ignore::dunlin.InputWarning")
@pytest.mark.parametrize("n", [1, 3])
def test_few_rows(cells, n):
    few = cells[:n].copy()
    for empty in (lambda: dunlin.tsne(cells[:0].copy(), key_added=True), lambda: dunlin.clusters(cells[:0].copy())):
        with pytest.raises(dunlin.InputError, match="0 rows|no rows|no points"):
            empty()
    found = dunlin.tsne(few, max_iter=5, key_added=True)
    assert found.embedding.shape == few.obsm["X_tsne"].shape == (n, 2)
    dunlin.neighbors(few, 5, key_added=True)
    assert few.obsp["distances"].shape == (n, n) and few.uns["neighbors"]["params"]["n_neighbors"] == max(1, min(6, n))
    dunlin.clusters(few, key_added="groups")
    assert few.obs["groups"].isna().sum() == n
    with pytest.raises(dunlin.InputError, match="the points themselves"):
        dunlin.umap(few, use_rep="X_pca", key_added="X_pca")


def test_not_finite_and_equal_cells(cells):
    cells.obsm["X_pca"][3, 1] = np.nan
    with pytest.raises(dunlin.InputError, match="row 3"):
        dunlin.neighbors(cells, 5, use_rep="X_pca", key_added=True)
    assert not cells.obsp and not cells.uns
    cells.obsm["X_pca"][:] = 1
    dunlin.neighbors(cells, 5, use_rep="X_pca", key_added=True)
    assert (np.diff(cells.obsp["distances"].indptr) == 5).all()  # distances of 0 are kept


@pytest.mark.parametrize("init", ["spectral", "random", None])
def test_memberships_without_points_have_a_start(init):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)) + 100 * np.eye(4)[np.arange(300) % 3]
    graph = dunlin.memberships(dunlin.neighbors(X, 10))  # of three parts
    more = {} if init is None else {"init": init}
    found = dunlin.umap(memberships=graph, n_epochs=200, **more)
    assert found.embedding.tobytes() == dunlin.umap(memberships=graph, n_epochs=200, n_jobs=1, **more).embedding.tobytes()
    assert dunlin.trustworthiness(X, found, n_neighbors=10) > 0.85
    with pytest.raises(dunlin.InputError, match="init is 'pca'; of memberships without points"):
        dunlin.umap(memberships=graph, init="pca")
    assert dunlin.umap(memberships=graph[:1, :1], n_epochs=5).embedding.shape == (1, 2)
