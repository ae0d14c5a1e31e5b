# SPDX-License-Identifier: Apache-2.0
"""Arguments that are out of the range of what the library holds: one error of the package each, with its parameter."""

import numpy as np
import pytest

import dunlin

LONE = "a\ud800"
X = np.arange(60, dtype=np.float32).reshape(30, 2) % 7


@pytest.mark.parametrize("device", ["cuda:99999999999999", "cuda:4294967296", "cuda:\u00b2", "cuda:" + "9" * 5000, "cuda:" + LONE, LONE])
def test_device(device):
    with pytest.raises(dunlin.InputError, match="device is"):
        dunlin.tsne(X, device=device)


@pytest.mark.parametrize("n", [2**31, 2**62, 2**70, -1])
@pytest.mark.parametrize("function", [dunlin.mds, dunlin.kmedoids])
def test_number_of_items(function, n):
    with pytest.raises(dunlin.InputError, match="n is"):
        function(distance=lambda i, j: np.abs(i - j), n=n)


@pytest.mark.parametrize("number", [1e300, 1e39])
@pytest.mark.parametrize("option", ["perplexity", "learning_rate", "early_exaggeration"])
def test_numbers_beyond_float32(option, number):
    with pytest.raises(dunlin.InputError) as caught:
        dunlin.tsne(X, **{option: number})
    assert caught.value.option == option
    assert "3.4028235e+38" in str(caught.value) and repr(number) in str(caught.value)


@pytest.mark.parametrize("option", ["metric", "init", "affinities", "preset"])
def test_lone_surrogates_in_options(option):
    with pytest.raises(dunlin.InputError) as caught:
        dunlin.tsne(X, **{option: LONE})
    assert caught.value.option == option


def test_lone_surrogates_in_texts(tmp_path):
    calls = {
        "title": lambda: dunlin.draw(X, title=LONE),
        "labels": lambda: dunlin.draw(X, labels=[LONE] * len(X)),
        "ids": lambda: dunlin.write(tmp_path / "a.csv", X, ids=[LONE] * len(X)),
        "texts": lambda: dunlin.documents([LONE, "b"]),
        "path": lambda: dunlin.read(LONE + ".csv"),
        "checkpoint": lambda: dunlin.tsne(X, checkpoint=LONE),
    }
    calls["path "] = lambda: dunlin.write(LONE + ".csv", X)
    calls["path  "] = lambda: dunlin.draw(X, path=LONE + ".png")
    calls["path   "] = lambda: dunlin.draw(X).save(LONE + ".png")
    for option, call in calls.items():
        with pytest.raises(dunlin.InputError) as caught:
            call()
        assert caught.value.option == option.strip(), option
