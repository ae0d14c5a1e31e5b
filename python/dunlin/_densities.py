# SPDX-License-Identifier: Apache-2.0
"""Densities of Gaussians in NumPy, for predictions of rows."""

import numpy as np

from . import _intake
from ._errors import InputError
from ._run import Run


def log_densities(X, weights, means, covariances):
    """log(weight * density) of each row under each component; covariances: diagonals, or whole matrices."""
    X = _intake._numbers(X, Run({}), "X").astype(np.float64)
    if X.shape[1] != len(means[0]):
        raise InputError(f"X has {X.shape[1]} columns; it must have {len(means[0])}, as what was fitted", option="X")
    with np.errstate(divide="ignore"):  # a component without weight
        return np.log(weights) + log_gaussians(X, means, covariances)


def log_gaussians(X, means, covariances):
    """The log density of each row under each Gaussian, of differences of float64: scikit-learn's formula takes squares apart,
    and a narrow component loses its digits."""
    logs = np.empty((len(X), len(means)))
    for k, (mean, covariance) in enumerate(zip(means, covariances)):
        apart, covariance = X.astype(np.float64) - mean, np.asarray(covariance, np.float64)
        if covariance.ndim == 1:
            white, volume = apart / np.sqrt(covariance), 0.5 * np.log(covariance).sum()
        else:
            factor = np.linalg.cholesky(covariance)
            white, volume = np.linalg.solve(factor, apart.T).T, np.log(np.diagonal(factor)).sum()
        logs[:, k] = -0.5 * (X.shape[1] * np.log(2 * np.pi) + (white**2).sum(axis=1)) - volume
    return logs
