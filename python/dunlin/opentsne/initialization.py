# SPDX-License-Identifier: Apache-2.0
"""Start maps with openTSNE's names."""

import numpy as np
from sklearn.utils import check_random_state

from .. import _intake
from .._run import Run


def rescale(x, inplace=False, target_std=1e-4):
    """x scaled so that its first column has this standard deviation."""
    x = x if inplace else np.array(x, copy=True)
    spread = np.std(x[:, 0])
    if spread > 0:
        x /= spread / target_std
    return x


def jitter(x, inplace=False, scale=0.01, random_state=None):
    """x plus normal noise of ``scale`` times the standard deviation of its first column."""
    x = x if inplace else np.array(x, copy=True)
    x += check_random_state(random_state).normal(0, scale * max(np.std(x[:, 0]), 1e-12), x.shape)
    return x


def random(n_samples, n_components=2, random_state=None, verbose=False):
    """Normal numbers of standard deviation 1e-4; ``n_samples`` may be the points."""
    n = n_samples if isinstance(n_samples, (int, np.integer)) else len(n_samples)
    return check_random_state(random_state).normal(0, 1e-4, (int(n), n_components))


def pca(X, n_components=2, svd_solver="auto", random_state=None, verbose=False, add_jitter=False):
    """Principal components, scaled to a standard deviation of 1e-4."""
    values = _intake.points(X, Run({})).values.astype(np.float64)
    values = values - values.mean(0)
    if values.shape[1] <= values.shape[0]:
        _, vectors = np.linalg.eigh(values.T @ values)
        found = values @ vectors[:, ::-1][:, :n_components]
    else:
        heights, vectors = np.linalg.eigh(values @ values.T)
        found = vectors[:, ::-1][:, :n_components] * np.sqrt(np.maximum(heights[::-1][:n_components], 0))
    signs = np.sign(found[np.argmax(np.abs(found), axis=0), np.arange(found.shape[1])])
    found = found * np.where(signs == 0, 1, signs)
    if found.shape[1] < n_components:
        found = np.column_stack([found, np.zeros((len(found), n_components - found.shape[1]))])
    found = rescale(found)
    return jitter(found, random_state=random_state) if add_jitter else found


def spectral(A, n_components=2, tol=1e-4, max_iter=None, random_state=None, verbose=False, add_jitter=False):
    """Leading non-trivial eigenvectors of the random walk on a graph of affinities (by SciPy)."""
    from scipy.sparse import diags
    from scipy.sparse.linalg import eigsh

    n = A.shape[0]
    start = check_random_state(random_state).uniform(-1, 1, n)
    degrees = np.sqrt(np.asarray(A.sum(0)).reshape(-1))
    inverse = diags(1 / np.maximum(degrees, 1e-300))
    _, vectors = eigsh(inverse @ A @ inverse, k=n_components + 1, tol=tol, maxiter=max_iter, which="LM", v0=start)
    found = rescale((vectors / degrees[:, None])[:, ::-1][:, 1:])
    return jitter(found, random_state=random_state) if add_jitter else found


def median(embedding, neighbors, distances=None):
    """For each row of ``neighbors``, the median of their places."""
    return np.median(np.asarray(embedding)[np.asarray(neighbors)], axis=1)


def weighted_mean(X, embedding, neighbors, distances):
    """For each row of ``neighbors``, the mean of their places, weighed by exp(-distance)."""
    weights = np.exp(-np.asarray(distances))
    weights = weights / weights.sum(1, keepdims=True)
    return (np.asarray(embedding)[np.asarray(neighbors)] * weights[..., None]).sum(1)
