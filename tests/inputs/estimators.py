# SPDX-License-Identifier: Apache-2.0
"""Methods that estimators inherit from scikit-learn work after fit(), with the metric and the weights that fit() took."""

import copy
import pickle

from harness import by_python, near, points


@by_python("python-cosine-score")
def weights_of_a_score_count_rows():
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.cluster import KMeans

    import dunlin

    for dtype in ("float64", "float32"):
        X = points(dtype=dtype)
        X[7] = 0
        weights = np.arange(60) % 3
        twice = np.repeat(X, weights, axis=0)
        for metric in ("euclidean", "cosine"):
            model = dunlin.KMeans(3, metric=metric, random_state=0, n_init=1, device="cpu").fit(X)
            plain = model.score(X)
            for rows in (X, csr_matrix(X), X.tolist()):
                near(model.score(rows), plain, 1e-4)
                for ones in (np.ones(60), [1] * 60, 1.0):
                    near(model.score(rows, sample_weight=ones), plain, 1e-4)
                near(model.score(rows, sample_weight=weights), model.score(twice), 1e-4)
            near(-model.inertia_, plain, 1e-4)
            near(-model.inertia_, -(model.transform(X).min(axis=1).astype(np.float64) ** 2).sum(), 1e-3)
            away = np.arange(60) != 7  # a row of zeros is as far from each center of length 1
            assert (model.transform(X).argmin(axis=1) == model.predict(X))[away].all()
            assert np.allclose(model.fit_transform(X), model.transform(X), atol=1e-5)
        same = KMeans(3, init=model.cluster_centers_, n_init=1, max_iter=1).fit(X)
        same.cluster_centers_ = np.ascontiguousarray(model.cluster_centers_)
        euclidean = copy.deepcopy(model).set_params(metric="euclidean")
        near(euclidean.score(X, sample_weight=weights), same.score(X, sample_weight=weights), 1e-3)


def _estimators():
    import dunlin

    few = {"random_state": 0, "device": "cpu"}
    maps = {"tsne": dunlin.TSNE(max_iter=250, **few), "umap": dunlin.UMAP(n_epochs=20, **few)}
    maps |= {"pacmap": dunlin.PaCMAP(num_iters=(9, 9, 9), **few)}
    maps |= {"mds": dunlin.MDS(init="random", **few), "classical": dunlin.ClassicalMDS(device="cpu")}
    maps |= {"network": dunlin.ParametricTSNE(hidden_layer_sizes=(8,), pretrain_epochs=1, max_iter=1, **few)}
    neighbors = {mode: dunlin.KNeighborsTransformer(mode=mode, n_neighbors=3) for mode in ("distance", "connectivity")}
    clusters = {metric: dunlin.KMeans(3, metric=metric, **few) for metric in ("euclidean", "cosine")}
    medoids = {f"medoids {metric}": dunlin.KMedoids(3, metric=metric, **few) for metric in ("euclidean", "cosine")}
    kinds = ("full", "tied", "diag", "spherical")
    mixtures = {kind: dunlin.GaussianMixture(2, covariance_type=kind, random_state=0) for kind in kinds}
    return maps | neighbors | clusters | medoids | mixtures


def _calls(X):
    """Arguments of each method by its name."""
    of_rows = "fit fit_transform fit_predict transform predict predict_proba score score_samples bic aic kneighbors"
    calls = {name: [(X,)] for name in (of_rows + " kneighbors_graph").split()}
    calls["kneighbors"] += [()]
    calls["kneighbors_graph"] += [()]
    calls |= {name: [()] for name in "get_params set_params get_feature_names_out get_metadata_routing sample".split()}
    calls["set_output"] = [()]
    calls["update"] = [(X,)]
    calls["inverse_transform"] = [(X[:, :2],)]
    calls["sample"] += [(7,)]
    calls["save"] = [("model.npz",)]
    calls["load"] = [("model.npz",)]
    return calls


@by_python("python-cosine-score")
def every_method_of_every_estimator_works_after_fit():
    import numpy as np

    import dunlin

    for dtype in ("float64", "float32"):
        X, calls = points(dtype=dtype), _calls(points(dtype=dtype))
        for name, estimator in _estimators().items():
            estimator.fit(X)
            copied = pickle.loads(pickle.dumps(estimator))
            methods = [each for each in dir(estimator) if not each.startswith("_") and callable(getattr(estimator, each))]
            methods.sort(key=lambda each: each.startswith("fit"))
            methods.sort(key=lambda each: each == "load")
            for method in methods:
                if method.startswith("set_") and method.endswith("_request") or method == "callbacks":
                    continue
                for arguments in calls[method]:
                    for model in (estimator, copied):
                        try:
                            found = getattr(model, method)(*arguments)
                        except Exception as error:
                            raise AssertionError(f"{name}.{method}{arguments}") from error
                        if isinstance(found, np.ndarray) and found.dtype.kind == "f":
                            assert np.isfinite(found).all(), (name, method)
            if hasattr(estimator, "get_feature_names_out") and hasattr(estimator, "transform"):
                assert len(estimator.get_feature_names_out()) == estimator.transform(X).shape[1], name
    weights = np.arange(60) % 3
    for method in ("fit", "fit_predict", "fit_transform", "score"):
        model = dunlin.KMeans(3, metric="cosine", random_state=0, device="cpu").fit(X)
        getattr(model, method)(X, sample_weight=weights)
