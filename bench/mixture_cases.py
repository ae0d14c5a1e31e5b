#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds of an iteration of expectation maximization over components x columns, beside scikit-learn and torch.

    bench/mixture_cases.py DUNLIN [--device cuda] [--forms full,diagonal] [--peers torch,scikit-learn] [--runs N]
        [--rows N] [--components 2,10] [--quick]

--rows is in place of 1,000,000 (200,000 of the largest cases).

needs numpy, and scikit-learn and torch for the peers. All begin with the mixture that the command has after 0 iterations
and do the same number; the log likelihood of a row at the end is printed for each. Times are differences between a long
and a short run, so that reading, the start and copies to the GPU are left out; each is the least of --runs (1). Iterations of
a millisecond or so get a longer run. Rows are CSV.
"""

import argparse
import json
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

SHORT = 1  # iterations of the short run
NAMES = {"full": "full", "diagonal": "diag", "spherical": "spherical", "tied": "tied"}

parser = argparse.ArgumentParser()
parser.add_argument("dunlin")
parser.add_argument("--device", default="cuda")
parser.add_argument("--forms", default="full,diagonal,spherical,tied")
parser.add_argument("--peers", default="torch,scikit-learn")
parser.add_argument("--runs", type=int, default=1)
parser.add_argument("--rows", type=int)
parser.add_argument("--components", default="2,10,100,1000")
parser.add_argument("--quick", action="store_true")
given = parser.parse_args()
folder = Path(tempfile.mkdtemp())
peers = [name for name in given.peers.split(",") if name]


def long_of(form, n, d, k):
    """Iterations of the long run, `most` below."""
    return 6 if n * k * (d * d if form == "full" else d) > 2e9 else 31


def points_of(n, d, k):
    rng = np.random.default_rng(n + 7 * d + k)
    centers = 2 * rng.standard_normal((k, d))
    return (centers[rng.integers(k, size=n)] + rng.standard_normal((n, d))).astype(np.float32)


def row(system, form, n, d, k, seconds, likelihood):
    print(f"{system},{form},{n},{d},{k},{seconds:.6g},{likelihood:.9g}", flush=True)


def dunlin(form, k, iterations):
    """The report, means and variances of a run."""
    files = [folder / name for name in ("points.npy", "labels.csv", "means.npy", "variances.npy", "report.json")]
    command = [given.dunlin, "mixture", files[0], "--components", k, "--covariance", form, "--iterations", iterations]
    command += ["--tolerance", 0, "--device", given.device, "--quiet", "-o", files[1], "--means", files[2]]
    command += ["--variances", files[3], "--report", files[4]]
    subprocess.run([str(word) for word in command], check=True)
    return json.loads(files[4].read_text()), np.load(files[2]), np.load(files[3])


def start_of(form, k, d):
    report, means, variances = dunlin(form, k, 0)
    shapes = {"full": (k, d, d), "diagonal": (k, d), "spherical": (k,), "tied": (d, d)}
    return np.array(report["shares"]), means.astype(float), variances.astype(float).reshape(shapes[form])


def by_torch(X, form, start, floor, real, most):
    """Plain EM, as one writes it: a product for each component, or for all if covariances are diagonal."""
    import torch

    device = "cuda" if given.device == "cuda" else "cpu"
    x = torch.as_tensor(X, device=device, dtype=real)
    n, d = x.shape
    shares, means, covariances = (torch.as_tensor(a, device=device, dtype=real) for a in start)
    chunk = max(1, min(n, int(2e8 // max(d, len(shares)))))
    eye = torch.eye(d, device=device, dtype=real)

    def densities(rows):
        if form in ("diagonal", "spherical"):
            precision = 1 / (covariances if form == "diagonal" else covariances[:, None].expand(-1, d))
            square = rows**2 @ precision.T - 2 * rows @ (means * precision).T + (means**2 * precision).sum(1)
            return torch.log(shares) + 0.5 * torch.log(precision).sum(1) - 0.5 * square
        if form == "tied":
            factor = torch.linalg.inv(torch.linalg.cholesky(covariances))
            square = torch.cdist(rows @ factor.T, means @ factor.T) ** 2
            return torch.log(shares) + torch.log(torch.diagonal(factor)).sum() - 0.5 * square
        factors = torch.linalg.inv(torch.linalg.cholesky(covariances))
        out = torch.empty((len(rows), len(shares)), device=device, dtype=real)
        for j in range(len(shares)):
            out[:, j] = ((rows - means[j]) @ factors[j].T).square().sum(1)
        return torch.log(shares) + torch.log(torch.diagonal(factors, dim1=1, dim2=2)).sum(1) - 0.5 * out

    def step(moments):
        nonlocal shares, means, covariances
        likelihood, weight, first, second = 0.0, 0, 0, 0
        for rows in x.split(chunk):
            log = densities(rows)
            total = torch.logsumexp(log, 1)
            likelihood += float(total.double().sum())
            if not moments:
                continue
            r = torch.exp(log - total[:, None])
            weight, first = weight + r.sum(0), first + r.T @ rows
            if form in ("diagonal", "spherical"):
                second = second + r.T @ rows**2
            elif form == "tied":
                second = second + rows.T @ rows
            else:
                second = second + torch.stack([(rows * r[:, j : j + 1]).T @ rows for j in range(len(shares))])
        if moments:
            means = first / weight[:, None]
            shares = weight / n
            if form == "tied":
                covariances = second / n - means.T @ (means * shares[:, None]) + floor * eye
            elif form == "full":
                covariances = second / weight[:, None, None] - means[:, :, None] * means[:, None, :] + floor * eye
            else:
                covariances = second / weight[:, None] - means**2 + floor
                covariances = covariances.mean(1) if form == "spherical" else covariances
        return likelihood / n - 0.5 * d * np.log(2 * np.pi)

    def run(iterations):
        nonlocal shares, means, covariances
        shares, means, covariances = (torch.as_tensor(a, device=device, dtype=real) for a in start)
        begin = time.perf_counter()
        for _ in range(iterations):
            step(True)
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - begin

    run(SHORT)
    long, short = (min(run(iterations) for _ in range(given.runs)) for iterations in (most, SHORT))
    run(most)
    return (long - short) / (most - SHORT), step(False)


def by_scikit_learn(X, form, start, floor, most):
    from sklearn.mixture import GaussianMixture

    shares, means, covariances = start
    precisions = 1 / covariances if form in ("diagonal", "spherical") else np.linalg.inv(covariances)

    def run(iterations):
        model = GaussianMixture(len(shares), covariance_type=NAMES[form], tol=0, reg_covar=floor, max_iter=iterations)
        model.set_params(weights_init=shares / shares.sum(), means_init=means, precisions_init=precisions)
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X)
        return time.perf_counter() - begin, model

    short, _ = run(SHORT)
    long, model = run(most)
    return (long - short) / (most - SHORT), float(model.score(X))


def case(form, n, d, k):
    X = points_of(n, d, k)
    np.save(folder / "points.npy", X)
    start = start_of(form, k, d)
    most = long_of(form, n, d, k)
    times = []
    for iterations in (SHORT, most):
        reports = [dunlin(form, k, iterations)[0] for _ in range(given.runs)]
        times.append(min(report["seconds"]["optimize"] for report in reports))
    row("dunlin", form, n, d, k, (times[1] - times[0]) / (most - SHORT), reports[-1]["quality"]["log_likelihood"])
    floor = 1e-6 * float(np.var(X, axis=0, dtype=np.float64).mean())
    if "torch" in peers:
        import torch

        for real in (torch.float32, torch.float64):
            name = f"torch {str(real)[6:]}"
            try:
                row(name, form, n, d, k, *by_torch(X, form, start, floor, real, most))
            except RuntimeError as error:  # memory, or a factor of a matrix that is not positive definite in float32
                print(f"# {name}: {str(error).splitlines()[0]}", flush=True)
    work = n * k * (d * d if form == "full" else d)
    if "scikit-learn" in peers and work <= 3e10:
        row("scikit-learn", form, n, d, k, *by_scikit_learn(X, form, start, floor, most))


print("system,form,n,d,k,seconds_per_iteration,log_likelihood")
for form in given.forms.split(","):
    for d in (2, 10, 100):
        for k in map(int, given.components.split(",")):
            n = given.rows or (1_000_000 if k * d * d <= 1e6 else 200_000)
            case(form, 2000 if given.quick else n, d, min(k, 50) if given.quick else k)
