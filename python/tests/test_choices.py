# SPDX-License-Identifier: Apache-2.0
"""The number of clusters and of components; BIC and AIC beside scikit-learn's."""

import numpy as np
import pytest
import sklearn.mixture
from sklearn import datasets
from sklearn.mixture._gaussian_mixture import _compute_precision_cholesky

import dunlin

pytestmark = pytest.mark.filterwarnings("ignore::dunlin.InputWarning")


def test_curves_fall_and_rise(blobs):
    iris = datasets.load_iris().data
    for X in (iris, blobs[0], np.repeat(blobs[0][:9], 5, axis=0)):
        inertias = [step[1] for step in dunlin.choose_k(X, 12).curve]
        assert len(inertias) == 12 and inertias == sorted(inertias, reverse=True)
        for kind in ("diag", "full", "spherical", "tied"):
            curve = dunlin.choose_mixture(X, 12, covariance_type=kind).curve
            likelihoods = [step[1] for step in curve]
            assert [step[0] for step in curve] == list(range(1, 13)) and likelihoods == sorted(likelihoods)


def test_components_are_chosen_as_by_scikit_learn():
    X = datasets.load_iris().data
    for kind in ("full", "diag", "tied", "spherical"):
        theirs = [sklearn.mixture.GaussianMixture(k, covariance_type=kind, n_init=20, random_state=0).fit(X) for k in range(1, 9)]
        best = min(theirs, key=lambda model: model.bic(X))
        found = dunlin.choose_mixture(X, 8, covariance_type=kind, n_init=5)
        if kind == "full":
            assert len(found.best.weights) == best.n_components == 2
        for step, model in zip(found.curve, theirs):
            assert step[2] == model._n_parameters()
    with pytest.raises(dunlin.OptionError, match="least and most"):
        dunlin.choose_mixture(X, 3, n_components=2)
    with pytest.raises(ValueError, match="from 4 to 3"):
        dunlin.choose_mixture(X, 3, least=4)
    with pytest.warns(dunlin.InputWarning, match="the last one tried"):
        dunlin.choose_mixture(X, 2, covariance_type="full")
    soft = dunlin.choose_mixture(X, 4, responsibilities=True).best
    assert np.array_equal(soft.responsibilities.argmax(axis=1), soft.labels)


@pytest.mark.parametrize("kind", ["full", "diag", "spherical", "tied"])
def test_criteria_are_those_of_scikit_learn(kind):
    """Of the same parameters: from one component, whose maximum is known, and from scikit-learn's classes of three."""
    X = np.asarray(datasets.load_iris().data, np.float32).astype(np.float64)
    one = dunlin.mixture(X, 1, covariance_type=kind, reg_covar=1e-6, reg_covar_unit="data")
    model = sklearn.mixture.GaussianMixture(1, covariance_type=kind).fit(X)
    assert one.bic == pytest.approx(model.bic(X), rel=1e-6)
    assert one.aic == pytest.approx(model.aic(X), rel=1e-6)
    ours = dunlin.GaussianMixture(3, covariance_type=kind, random_state=0, tol=1e-7, max_iter=2000).fit(X)
    fitted = dunlin.mixture(X, 3, covariance_type=kind, seed=0, tol=1e-7, max_iter=2000, reg_covar=1e-6, reg_covar_unit="data")
    theirs = sklearn.mixture.GaussianMixture(
        3, covariance_type=kind, tol=1e-9, max_iter=5000, means_init=ours.means_, weights_init=ours.weights_, precisions_init=ours.precisions_
    ).fit(X)
    for criterion in ("bic", "aic"):
        assert getattr(ours, criterion)(X) == pytest.approx(getattr(theirs, criterion)(X), rel=1e-4)
    theirs.weights_, theirs.means_ = fitted.weights, fitted.means.astype(np.float64)
    theirs.covariances_ = fitted.covariances.astype(np.float64)
    theirs.precisions_cholesky_ = _compute_precision_cholesky(theirs.covariances_, kind)
    assert fitted.bic == pytest.approx(theirs.bic(X), rel=1e-6)
    assert fitted.aic == pytest.approx(theirs.aic(X), rel=1e-6)
