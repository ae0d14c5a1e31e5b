# SPDX-License-Identifier: Apache-2.0
"""Names of groups, and columns that set groups apart."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.stats

import dunlin

FOX, BEAR, THE = ["red fox in the woods"] * 40, ["brown bear in the woods"] * 40, ["the stock market"] * 40
TEXTS = FOX + BEAR + THE
FINE = np.repeat([0, 1, 2], 40)


def nested():
    """All; {0, 1} and {2} of FINE; {0} and {1}."""
    from dunlin import _core
    from dunlin._group_tree import GroupTree

    return GroupTree(_core.tree_of_levels([FINE.astype(np.int32), np.repeat([0, 0, 1], 40).astype(np.int32)]))


def test_names_by_texts():
    tree = nested()
    found = dunlin.group_names(tree, texts=TEXTS, terms=1)
    assert found.names == tree.names
    assert found.names[0] == "All"
    assert found.names[2:4] == ["red fox", "brown bear"]
    assert set(found.names[1].split()) <= {"in", "the", "woods"}
    words = [word for word, *_ in found.terms(2)]
    assert {"fox", "red", "red fox"} <= set(words)
    assert tree.label_layers()[0][:2].tolist() == ["red fox"] * 2
    with pytest.raises(dunlin.InputError, match="not named by features"):
        found.features(0)


def test_stop_words_and_missing_texts():
    found = dunlin.group_names(FINE, texts=[None, float("nan"), *TEXTS[2:]], stop_words=["Fox", "red"], terms=1)
    assert "fox" not in found.names[1] and "red" not in found.names[1]
    assert dunlin.group_names(FINE, texts=[""] * 120).names == ["All", "Group 0", "Group 1", "Group 2"]


def test_texts_are_matched_by_name():
    pandas = pytest.importorskip("pandas")
    ids = [f"p{i}" for i in range(120)]
    X = pandas.DataFrame(np.repeat([[0.0, 0], [50, 0], [0, 50]], 40, axis=0) + np.random.default_rng(0).normal(size=(120, 2)), index=ids)
    clusters = dunlin.clusters(X)
    texts = pandas.Series(TEXTS, index=ids).sample(frac=1, random_state=0)
    found = dunlin.group_names(clusters, texts=texts, terms=2)
    assert clusters.names == [found.names[g] for g in clusters.tree.layers[0]]
    assert "red fox" in clusters.names[clusters.labels[0]]
    assert "stock market" in clusters.names[clusters.labels[-1]]


def test_names_of_results(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2)) + 30 * np.eye(3)[FINE][:, :2]
    means = dunlin.kmeans(X, 3)
    dunlin.group_names(means, texts=TEXTS)
    assert "fox" in means.names[means.labels[0]] and "bear" in means.names[means.labels[41]]
    graph = scipy.sparse.csr_matrix(np.equal.outer(FINE, FINE).astype(float))
    communities = dunlin.leiden(graph)
    dunlin.group_names(communities, texts=TEXTS)
    assert len(communities.names) == 3 and "bear" in communities.names[communities.labels[41]]
    assert communities.tree.names[0] == "All"
    communities.tree.save(tmp_path / "tree.csv")
    assert "fox" in (tmp_path / "tree.csv").read_text()
    assert dunlin.group_names([5, 5, 9, 9], labels=list("aabb")).of_labels([5, 5, 9, 9]) == {5: "a", 9: "b"}


def test_counts_and_words():
    counts = np.repeat([[3, 0, 2], [0, 3, 2]], 40, axis=0)
    labels = np.repeat([0, 1], 40)
    for given in (counts, scipy.sparse.csr_matrix(counts), counts.astype(np.float64), scipy.sparse.coo_matrix(counts)):
        assert dunlin.group_names(labels, counts=given, words=["a1", "b1", "c1"]).names == ["All", "a1", "b1"]
    pandas = pytest.importorskip("pandas")
    assert dunlin.group_names(labels, counts=pandas.DataFrame(counts, columns=["x", "y", "z"])).names == ["All", "x", "y"]
    with pytest.raises(dunlin.InputError, match="words has 2 words"):
        dunlin.group_names(labels, counts=counts, words=["a", "b"])
    with pytest.raises(dunlin.InputError, match="at least 0"):
        dunlin.group_names(labels, counts=-counts)
    with pytest.raises(dunlin.OptionError, match="give one of"):
        dunlin.group_names(labels)
    with pytest.raises(dunlin.OptionError, match="give one of"):
        dunlin.group_names(labels, counts=counts, texts=TEXTS[:80])
    with pytest.raises(dunlin.InputError, match="terms is 0"):
        dunlin.group_names(labels, counts=counts, terms=0)


def test_the_same_names_in_any_order_of_rows():
    order = np.random.default_rng(3).permutation(120)
    first = dunlin.group_names(FINE, texts=TEXTS).of_labels(FINE)
    assert dunlin.group_names(FINE[order], texts=[TEXTS[i] for i in order]).of_labels(FINE[order]) == first
    for n_jobs in (1, 2, 3):
        assert dunlin.group_names(FINE, texts=TEXTS, n_jobs=n_jobs).of_labels(FINE) == first


def test_labels_and_purity():
    found = dunlin.group_names(FINE, labels=["x"] * 30 + [None] * 5 + ["y"] * 5 + ["y"] * 80)
    assert found.names == ["All", "x", "y", "y (2)"]
    assert found.label[1] == "x"
    assert found.purity[1] == pytest.approx(30 / 35)


def values(n=150, m=12, seed=0):
    """Columns with ties, many zeros, and a part that differs between three groups."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 3, n)
    X = rng.poisson(0.7, (n, m)).astype(np.float32)
    X[:, :4] += rng.normal(size=(n, 4)).round(1) * (groups == 1)[:, None]
    X[:, 5] = 0
    return np.log1p(np.abs(X)), groups


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_rank_features_against_scipy(kind):
    X, groups = values()
    found = dunlin.rank_features(kind(X), groups, log1p=True)
    assert found.groups == ["0", "1", "2"]
    for row, name in enumerate(found.groups):
        inside = groups == int(name)
        assert sorted(found.names[row]) == sorted(f"x{c + 1}" for c in range(12))
        assert (np.diff(found.scores[row]) <= 0).all()
        for place, column in enumerate(found.names[row]):
            values_of = X[:, int(column[1:]) - 1].astype(np.float64)
            a, b = values_of[inside], values_of[~inside]
            if column == "x6":  # zeros
                assert found.pvals[row, place] == 1 and found.scores[row, place] == 0
                continue
            test = scipy.stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False)
            assert found.pvals[row, place] == pytest.approx(test.pvalue, rel=1e-9)
            assert found.aucs[row, place] == pytest.approx(test.statistic / len(a) / len(b), abs=1e-12)
            assert found.differences[row, place] == pytest.approx(a.mean() - b.mean(), abs=1e-9)
            pooled = np.sqrt((a.var(ddof=1) * (len(a) - 1) + b.var(ddof=1) * (len(b) - 1)) / (len(a) + len(b) - 2))
            assert found.effects[row, place] == pytest.approx((a.mean() - b.mean()) / pooled, abs=1e-9)
            fold = np.log2((np.expm1(a.mean()) + 1e-9) / (np.expm1(b.mean()) + 1e-9))
            assert found.logfoldchanges[row, place] == pytest.approx(fold, abs=1e-9)
        assert found.pvals_adj[row] == pytest.approx(scipy.stats.false_discovery_control(found.pvals[row]), rel=1e-9)
    assert dunlin.rank_features(X, groups, n_features=2).names.shape == (3, 2)
    assert np.isnan(dunlin.rank_features(X, groups).logfoldchanges).all()


def test_names_by_features():
    X, groups = values(400)
    X[groups == 2, 7] += 3
    found = dunlin.group_names(groups, features=X, words=[f"g{c}" for c in range(12)])
    by_label = found.of_labels(groups)
    assert by_label[2].startswith("g7 high")
    best = found.features(found.names.index(by_label[2]))[0]
    assert best["column"] == "g7" and best["auc"] > 0.9 and best["adjusted"] < 0.01
    assert dunlin.group_names(groups, features=scipy.sparse.csr_matrix(X), words=[f"g{c}" for c in range(12)]).names == found.names
    with pytest.raises(dunlin.InputError, match="row 3"):
        bad = X.copy()
        bad[3, 1] = np.nan
        dunlin.group_names(groups, features=bad)


def test_the_same_columns_are_no_evidence():
    X = np.random.default_rng(0).normal(size=(200, 2)) + np.repeat([[0, 0], [20, 0]], 100, axis=0)
    clusters = dunlin.clusters(X)
    with pytest.warns(dunlin.InputWarning, match="no evidence"):
        dunlin.group_names(clusters, features=X)
    assert sorted(name.split(",")[0] for name in clusters.names) == ["x1 high", "x1 low"]


def test_rank_features_of_anndata_as_scanpy():
    anndata, scanpy = pytest.importorskip("anndata"), pytest.importorskip("scanpy")
    X, groups = values(200)
    adata = anndata.AnnData(scipy.sparse.csr_matrix(X))
    adata.var_names = [f"gene{c}" for c in range(12)]
    adata.obs["kind"] = [("a", "b", "c")[g] for g in groups]
    adata.obs["kind"] = adata.obs["kind"].astype("category")
    adata.uns["log1p"] = {"base": None}
    dunlin.rank_features(adata, "kind")
    ours = adata.uns["rank_genes_groups"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scanpy.tl.rank_genes_groups(adata, "kind", method="wilcoxon", tie_correct=True, key_added="theirs", use_raw=False)
    theirs = adata.uns["theirs"]
    assert set(ours["params"]) == set(theirs["params"])
    assert ours["names"].dtype.names == theirs["names"].dtype.names
    for group in "abc":
        frame = scanpy.get.rank_genes_groups_df(adata, group, key="rank_genes_groups").set_index("names")
        wanted = scanpy.get.rank_genes_groups_df(adata, group, key="theirs").set_index("names").loc[frame.index]
        assert len(frame) == 12
        for name in ("scores", "pvals", "logfoldchanges"):
            assert frame[name].to_numpy() == pytest.approx(wanted[name].to_numpy(), rel=2e-4, abs=1e-6), name
    assert dunlin.rank_features(adata, "kind", key_added="mine").groups == ["a", "b", "c"]
    assert "mine" in adata.uns
    with pytest.raises(dunlin.InputError, match="has one group"):
        dunlin.rank_features(X, np.zeros(200, int))


def test_a_stop_gives_none():
    with pytest.raises(KeyboardInterrupt):

        def interrupt(*_):
            raise KeyboardInterrupt

        dunlin.group_names(FINE, texts=TEXTS, callbacks=interrupt)
