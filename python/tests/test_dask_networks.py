# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask where links are cut and healed, and over TLS."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import dunlin

pytest.importorskip("distributed", reason="the package distributed is not installed")

import delayed_core  # noqa: E402
import distributed  # noqa: E402
from dask_processes import Processes, environment, wait_for  # noqa: E402
from dunlin._shards import schedule  # noqa: E402
from dask_cases import ALONE, At, count, expect_same, KMeans, OPTIONS, SLOW  # noqa: E402
from dask_cases import patience, points  # noqa: E402, F401  fixtures


# Links that are cut


def in_namespace(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True).returncode == 0


@pytest.fixture
def two_networks(tmp_path):
    """A worker's network namespace, and the link to it."""
    name = f"dunlin{os.getpid()}"
    here, there = f"dh{os.getpid()}"[:15], f"dt{os.getpid()}"[:15]
    made = (
        in_namespace("netns", "add", name)
        and in_namespace("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        and in_namespace("addr", "add", "10.97.13.1/24", "dev", here)
        and in_namespace("link", "set", here, "up")
        and in_namespace("-n", name, "addr", "add", "10.97.13.2/24", "dev", there)
        and in_namespace("-n", name, "link", "set", there, "up")
        and in_namespace("-n", name, "link", "set", "lo", "up")
    )
    try:
        if not made:
            pytest.skip("network namespaces cannot be made: this needs root and the package iproute2")
        yield name, here
    finally:
        in_namespace("link", "del", here), in_namespace("netns", "del", name)


@pytest.mark.skipif(not SLOW, reason="DUNLIN_SLOW is not set: TCP decides when it tries again, after up to minutes")
@pytest.mark.parametrize("each, delay, seconds, iterations", [(1, 0.01, 3, 120), (2, 0.05, 30, 300)])
def test_links_that_are_cut_and_healed(points, tmp_path, two_networks, monkeypatch, each, delay, seconds, iterations):
    """``each``: workers on each side of the link."""
    X, path = points
    name, link = two_networks
    processes = Processes(tmp_path, host="10.97.13.1")
    try:
        for k in range(each):
            processes.add(f"near-{k}")
            processes.add(f"far-{k}", prefix=["ip", "netns", "exec", name])
        with distributed.Client(processes.address, set_as_default=False) as client:
            wait_for(lambda: len(client.ncores()) == 2 * each)
            client.run(delayed_core.delay, delay)
            monkeypatch.setattr(schedule, "MIN_WAIT", 2.0)
            heal = threading.Timer(seconds, in_namespace, ["link", "set", link, "up"])
            At(
                monkeypatch,
                [
                    ("answered", 6, lambda: in_namespace("link", "set", link, "down")),
                    ("quarantined", 1, heal.start),
                ],
            )
            model = KMeans(client=client, **{**OPTIONS, "max_iter": iterations}).fit(path)
    finally:
        processes.close()
    expect_same(model, dunlin.kmeans(X, **{**ALONE, "max_iter": iterations}))
    assert count(model, "quarantined") + count(model, "lost") >= each


# TLS


@pytest.fixture
def certificate(tmp_path):
    """(certificate, key) of an authority that is its own only member."""
    certificate, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    try:
        made = subprocess.run([*words, "-out", certificate, "-keyout", key], capture_output=True).returncode == 0
    except FileNotFoundError:
        made = False
    if not made:
        pytest.skip("openssl is not installed")
    return certificate, key


def test_a_cluster_with_tls(points, tmp_path, certificate):
    X, path = points
    cert, key = certificate
    files = ["--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key]
    (tmp_path / "cluster").mkdir()
    processes = Processes(tmp_path / "cluster", more=files, scheduler=["--protocol", "tls"])
    try:
        assert processes.address.startswith("tls://")
        processes.add("a"), processes.add("b")
        security = distributed.Security(
            tls_ca_file=cert, tls_client_cert=cert, tls_client_key=key, require_encryption=True
        )
        with distributed.Client(processes.address, security=security, set_as_default=False) as client:
            wait_for(lambda: len(client.ncores()) == 2)
            expect_same(KMeans(client=client, **OPTIONS).fit(path), dunlin.kmeans(X, **ALONE))
        words = [sys.executable, "-m", "dunlin", "kmeans", path, "--scheduler", processes.address, "--clusters", "5"]
        words += ["--seed", "3", "--iterations", "25", "--stop", "never", "-o", "found.npy", "--quiet"]
        done = subprocess.run([*words, *files], env=environment(), cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done
        assert np.load(tmp_path / "found.npy").tobytes() == dunlin.kmeans(X, **ALONE).labels.tobytes()
        refused = subprocess.run(words, env=environment(), cwd=tmp_path, capture_output=True, text=True)
        assert refused.returncode == 2 and "give --tls-ca-file, --tls-cert and --tls-key" in refused.stderr, refused
        assert refused.stderr.startswith("dunlin: ") and refused.stderr.count("\n") == 1, refused
    finally:
        processes.close()
