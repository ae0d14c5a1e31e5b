# SPDX-License-Identifier: Apache-2.0
"""Law 8, what the mathematics says: bounds, conserved sums, losses that fall, stationary points, known optima."""

import dunlin
import numpy as np
import pytest
from hypothesis import assume, strategies as st

import slow
from generate import UNTIED, cases
from law import examples

DOMAINS = {
    "graph": lambda c: c.G,
    "grid": lambda c: (8, 7),
    "line": lambda c: 56,
}


@pytest.mark.parametrize("until", [1.0, 10.0])
@pytest.mark.parametrize("domain", DOMAINS)
@examples(6)
def test_diffusion_has_a_maximum_principle_and_a_mass(domain, until, data):
    case = data.draw(cases(("G", "v", "field"), 4, 20), "case")
    start = {"graph": case.v, "grid": case.field, "line": case.field.ravel()}[domain]
    start = (start > data.draw(st.sampled_from([0.9, 0.5, 0.1]), "share of zeros")).astype(float)
    schemes = {"graph": ["auto"], "grid": ["auto", "euler", "adi"], "line": ["auto", "euler"]}[domain]
    scheme = data.draw(st.sampled_from(schemes), "scheme")
    ends = [np.where(np.isin(np.arange(n), (0, n - 1)), 0.5, 1) for n in (8, 7, 56)]  # nodes at an end have half a volume
    volumes = {"graph": 1.0, "grid": np.outer(ends[0], ends[1]), "line": ends[2]}
    v = dunlin.waves(DOMAINS[domain](case), model="diffusion", start_v=start, until=until, scheme=scheme).v
    assert start.min() - 1e-6 <= v.min() and v.max() <= start.max() + 1e-6, f"values from {v.min()} to {v.max()}"
    mass, before = (volumes[domain] * v).sum(), (volumes[domain] * start).sum()
    assert abs(mass - before) <= 1e-9 * start.size, f"mass {mass} of {before}"


@examples(4)
def test_diffusion_ends_at_the_mean(data):
    """Without a time a run of diffusion ends at rest, which is the mean, in whatever unit of time and of values; or by its
    steps, which is said."""
    power, unit = data.draw(st.integers(-20, 6), "time"), data.draw(st.integers(-20, 0), "value")
    v = dunlin.waves(32, model="diffusion", diffusion=2.0**power, start_v=np.arange(32) / 32 * 2.0**unit, steps=200000)
    spread = np.ptp(v.v) / v.v.mean()
    assert spread <= 0.05 or v.stopped != "converged", f"at rest with values {v.v.min()} to {v.v.max()} ({v.stopped})"


@examples(2)
def test_anchors_hold_the_mean_and_bound_the_distance(data):
    """The loss is KL + s/n sum |y - a|^2 and the gradient of KL sums to 0: mean(y) = mean(a). And KL(y) + s msd <= KL(a)."""
    case = data.draw(cases(("X", "anchor"), 30, 40, (3, 5), points=("clusters",)), "case")
    for strength, far in ((data.draw(st.sampled_from([1, 5, 10]), "strength"), 0), (20, 0), (10000, 0), (5, 6000)):
        anchor = case.anchor + far
        try:
            Y = dunlin.tsne(case.X, perplexity=8, anchor=anchor, anchor_strength=strength).embedding.astype(float)
        except dunlin.Error:
            continue
        distance = np.sqrt(((Y - anchor) ** 2).sum(1).mean())
        bound = 1.5 * np.sqrt(slow.kl(slow.affinities(case.X, 8, 24), anchor) / strength)
        off = np.abs(Y.mean(0) - anchor.mean(0)).max()
        where = f"strength {strength}, anchors moved by {far}"
        assert off <= 0.01 + 1e-6 * far, f"{where}: mean(y) - mean(a) = {off:.3g}"
        assert distance <= bound + 1e-6 * far, f"{where}: {distance:.3g} from the anchors, at most {bound:.3g}"


FALLS = {
    "kmeans": lambda c, i: dunlin.kmeans(c.X, 3, init=c.C, max_iter=i, stop="never").inertia,
    "kmedoids": lambda c, i: dunlin.kmedoids(c.X, 3, max_iter=i).inertia,
    "mixture": lambda c, i: -dunlin.mixture(c.X, 2, max_iter=i, tol=0).log_likelihood,
    "mixture full": lambda c, i: -dunlin.mixture(c.X, 2, max_iter=i, tol=0, covariance_type="full").log_likelihood,
    "smacof": lambda c, i: dunlin.mds(c.X, method="smacof", n_init=1, max_iter=i, init="random").stress()["normalized_stress"][0],
    "smacof weights": lambda c, i: _weighted_stress(c, i),
}


def _weighted_stress(c, i):
    Y = dunlin.mds(dissimilarities=c.D, weights=c.W, method="smacof", n_init=1, max_iter=i, init=c.start).embedding.astype(float)
    return (c.W * (slow.distances(Y) - c.D) ** 2).sum() / (c.W * c.D**2).sum()


@pytest.mark.parametrize("name", FALLS)
@examples(4)
def test_the_loss_falls(name, data):
    case = data.draw(cases(("X", "C", "D", "W", "start"), 20, 40, (2, 4), points=("normal", "clusters", "grid")), "case")
    losses = [FALLS[name](case, i) for i in (1, 2, 3, 5, 8, 20)]
    assert (np.diff(losses) <= 1e-5 * np.abs(losses).max()).all(), f"losses after 1, 2, 3, 5, 8, 20 iterations: {losses}"


OPTIMA = {
    "classical": lambda D: dunlin.mds(dissimilarities=D, method="classical").stress()["stress1"][0],
    "smacof": lambda D: dunlin.mds(dissimilarities=D, method="smacof").stress()["stress1"][0],
    "dunlin": lambda D: dunlin.mds(dissimilarities=D).stress()["stress1"][0],
    "interval": lambda D: _nonmetric(2 * D + 7 * (D > 0), "interval"),
    "interval with less": lambda D: _nonmetric(2 * D + np.median(D) * (D > 0), "interval"),
    "ordinal": lambda D: _nonmetric(D**3, "ordinal"),
}


def _nonmetric(D, transform):
    Y = dunlin.mds(dissimilarities=D, transform=transform, method="smacof").embedding.astype(float)
    pair = np.triu_indices(len(D), 1)
    d, delta = slow.distances(Y)[pair], D[pair]
    if transform == "ordinal":
        from scipy.optimize import isotonic_regression

        order = np.argsort(delta)
        fitted = isotonic_regression(d[order]).x
        return np.sqrt(((d[order] - fitted) ** 2).sum() / (d**2).sum())
    A = np.column_stack([np.ones_like(delta), delta])
    return np.sqrt(((d - A @ np.linalg.lstsq(A, d, rcond=None)[0]) ** 2).sum() / (d**2).sum())


@pytest.mark.parametrize("name", OPTIMA)
@examples(3)
def test_distances_of_the_plane_are_mapped_exactly(name, data):
    case = data.draw(cases(("X",), 10, 16, (2, 2), points=("normal",)), "case")
    stress = OPTIMA[name](slow.distances(case.X))
    assert stress <= (0.02 if name == "ordinal" else 2e-3), f"stress {stress:.3g}, and 0 is possible"


METHODS = ("multilevel", "eades", "fruchterman-reingold", "forceatlas2", "annealing", "stress")


@pytest.mark.parametrize("method", METHODS)
def test_strengths_have_an_effect(method):
    """A triangle with one edge a thousand times stronger is drawn otherwise than with equal ones."""
    edges = np.array([(0, 1), (1, 2), (0, 2)])
    weighed = dunlin.layout((3, edges, np.array([1000.0, 1, 1])), method=method).pos
    equal = dunlin.layout((3, edges, np.ones(3)), method=method).pos
    assert np.abs(weighed - equal).max() > 1e-3 * np.ptp(equal), "the same drawing as with equal strengths"


@pytest.mark.parametrize("method", METHODS)
@examples(3)
def test_fixed_vertices_stay(method, data):
    case = data.draw(cases(("G", "pos"), 4, 12, points=("normal",)), "case")
    for far in (0, 500000):
        pos = case.pos + far
        found = dunlin.layout(case.G, pos=pos, fixed=[0, 2], method=method, k=0.2).pos
        assert (found[[0, 2]] == pos[[0, 2]]).all(), f"{pos[[0, 2]]} became {found[[0, 2]]}"


@examples(4)
def test_symmetry(data):
    case = data.draw(cases(("X", "strings", "tracks", "G"), 12, 24, points=UNTIED, graphs=("random", "path")), "case")
    P = dunlin.affinities(dunlin.neighbors(case.X, 9), 3).toarray()
    assert np.abs(P - P.T).max() <= 1e-9 and abs(P.sum() - 1) <= 1e-5 and (P.diagonal() == 0).all()
    for items in (case.strings, case.tracks):
        D = dunlin.sequence_distances(items)
        assert (D == D.T).all() and (D.diagonal() == 0).all()
    assume(case.recipe["n"] <= 14)
    times = dunlin.waves(case.G, stimulate="each")
    assert (times == times.T).all()
