# SPDX-License-Identifier: Apache-2.0

import signal

import numpy as np
import pytest


def pytest_ignore_collect(collection_path):
    return True if collection_path.name == "upstream" else None


@pytest.fixture(scope="session")
def blobs():
    """300 points in 8 dimensions around 3 centers, float32, and their classes."""
    generator = np.random.default_rng(0)
    centers = generator.normal(size=(3, 8)) * 8
    classes = np.repeat([0, 1, 2], 100)
    return (centers[classes] + generator.normal(size=(300, 8))).astype(np.float32), classes


@pytest.fixture
def interruptible():
    """Python's handler of SIGINT: a shell starts background processes with the signal ignored."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)
