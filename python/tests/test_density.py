# SPDX-License-Identifier: Apache-2.0
"""density() and pictures of landscapes: arrays, types, errors; the numbers are tested in C++."""

import pickle

import numpy as np
import pytest

import dunlin


def clouds(n=600, dim=2, seed=3):
    points = np.random.default_rng(seed).normal(size=(n, dim))
    points[n // 3 :, 0] += 9
    return points


def direct(points, h, at):
    square = ((points[:, None, :] - at[None]) ** 2).sum(axis=2)
    return np.exp(-square / (2 * h * h)).sum(axis=0) / (2 * np.pi * h * h) ** (points.shape[1] / 2)


@pytest.mark.parametrize("dim", [2, 3])
def test_axes_of_the_field_are_those_of_the_map(dim):
    points = clouds(dim=dim)
    found = dunlin.density(points, nodes=64)
    assert found.field.dtype == np.float32 and found.field.ndim == dim
    assert found.field.shape == tuple(len(axis) for axis in found.axes)
    assert found.field.shape[0] == 64 > found.field.shape[1]
    assert float(found.field.sum(dtype=np.float64)) * found.spacing**dim == pytest.approx(600, rel=1e-6)
    some = np.random.default_rng(1).integers(0, found.field.shape, (200, dim))
    at = np.stack([found.axes[a][some[:, a]] for a in range(dim)], axis=1)
    h = found.options["bandwidth"]
    assert np.allclose(found.field[tuple(some.T)], direct(points, h, at), atol=1e-4 * found.field.max())
    assert found.mean is None and found.mean_bands == [] and found.stopped == "converged"


def test_bands_hold_their_percentages():
    points = clouds()
    found = dunlin.density(points, bands=[20, 50.5, 80])
    assert [band["percentage"] for band in found.bands] == [20, 50.5, 80]
    assert [band["points"] for band in found.bands] == [120, 303, 480]
    lines = found.contours(percentage=50.5)
    assert [line.shape[1] for line in lines] == [2] * len(lines)
    after = [np.roll(line, -1, axis=0) for line in lines]
    areas = [(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2 for a, b in zip(lines, after)]
    assert sum(areas) > 0 and len(lines) >= 2
    assert dunlin.density(points, bands="20,50.5,80").bands == found.bands
    level = found.bands[1]["level"]
    assert all((a == b).all() for a, b in zip(lines, found.contours(level)))


def test_peaks_are_ranked_by_prominence():
    found = dunlin.density(clouds(3000), bandwidth=0.7)
    peaks = found.peaks(0.1 * float(found.field.max()))
    assert np.allclose(peaks["positions"], [[9, 0], [0, 0]], atol=0.4)
    assert (np.diff(peaks["prominences"]) <= 0).all() and peaks["prominences"][0] == peaks["heights"][0]
    assert len(found.peaks()["heights"]) >= 2


def test_mean_of_values():
    points = clouds()
    values = np.where(points[:, 0] > 4.5, 5.0, 1.0)
    values[::10] = np.nan
    found = dunlin.density(points, values=values, nodes=128)
    assert found.missing == 60
    inside = found.mean[~np.isnan(found.mean)]
    assert inside.min() >= 1 and inside.max() <= 5
    assert found.mean_bands[0]["level"] == pytest.approx(5, abs=1e-3)
    assert found.contours(3.0, of="mean")
    with pytest.raises(dunlin.InputError, match="values has the shape"):
        dunlin.density(points, values=values[1:])


def test_the_same_bytes_and_types():
    points = clouds().astype(np.float32)
    first = dunlin.density(points, seed=1, n_jobs=1)
    for other in (points.astype(np.float64), np.asfortranarray(points), points.tolist()):
        assert dunlin.density(other, n_jobs=2).field.tobytes() == first.field.tobytes()
    again = pickle.loads(pickle.dumps(first))
    assert (again.field == first.field).all() and len(again.contours(percentage=50)) == len(first.contours(percentage=50))
    embedding = dunlin.tsne(points, max_iter=20, early_exaggeration_iter=10)
    assert dunlin.density(embedding).mass == pytest.approx(600, rel=1e-6)


def test_few_and_wrong_inputs():
    assert dunlin.density(np.empty((0, 2))).field is None
    assert dunlin.density([[1.0, 2.0]]).options["bandwidth"] == 1
    points = clouds()
    broken = points.copy()
    broken[7, 1] = np.nan
    with pytest.raises(dunlin.InputError, match="coordinate 2 of point 7 is nan"):
        dunlin.density(broken)
    with pytest.raises(dunlin.InputError, match="dimensions"):
        dunlin.density(points[:, :1])
    with pytest.raises(dunlin.InputError, match="bandwidth is 1e-06"):
        dunlin.density(points, bandwidth=1e-6)
    with pytest.raises(dunlin.InputError, match="bands is"):
        dunlin.density(points, bands=[50, 10])
    with pytest.raises(dunlin.OptionError, match="bandwith"):
        dunlin.density(points, bandwith=1)
    found = dunlin.density(points)
    with pytest.raises(dunlin.InputError, match="percentage is 51"):
        found.contours(percentage=51)
    with pytest.raises(dunlin.InputError, match="a level or a percentage"):
        found.contours()
    with pytest.raises(dunlin.InputError, match="3 dimensions; contours"):
        dunlin.density(clouds(dim=3), nodes=64).contours(1.0)


def test_a_callback_stops():
    found = dunlin.density(clouds(), callbacks=lambda *_: True)
    assert found.stopped == "cancelled" and found.field is None


def test_landscapes_are_drawn():
    points = clouds()
    labels = np.where(points[:, 0] > 4.5, "right", "left")
    picture = dunlin.draw(points, style="landscape", labels=labels, format="svg", bandwidth=0.5, water=90)
    text = picture.data.decode()
    assert ">right<" in text and ">to 90%<" in text and ">bandwidth 0.5<" in text
    assert dunlin.draw(points, style="landscape").data[:4] == b"\x89PNG"
    text = dunlin.draw(points, style="landscape", values=points[:, 1], format="svg").data.decode()
    assert ">lower value<" in text
    assert b"<circle" in dunlin.draw(points, values=points[:, 1], format="svg").data
    with pytest.raises(dunlin.Error, match="water"):
        dunlin.draw(points, water=90)
    page = dunlin.draw(points, style="landscape", format="html", ids=[f"id {i}" for i in range(len(points))])
    assert b'"landscape":{' in page.data
    assert b'"landscape":null' in dunlin.draw(points, format="html").data
    with pytest.raises(dunlin.OptionError, match="labels and values"):
        dunlin.draw(points, labels=labels, values=points[:, 0])
    with pytest.raises(dunlin.OptionError, match="no edges"):
        dunlin.draw(points, style="landscape", graph=(600, np.array([[0, 1]])))


def test_values_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(4)
    map, values = rng.normal(size=(300, 2)), rng.random(300)
    near, far = dunlin.density(map, values=values), dunlin.density(map, values=values + 1.7e9)
    there = np.isfinite(near.mean)
    assert np.array_equal(there, np.isfinite(far.mean))
    assert np.allclose(far.mean[there] - 1.7e9, near.mean[there], atol=1e-5)
    assert [band["points"] for band in far.mean_bands] == [band["points"] for band in near.mean_bands]
    a, b = (found.contours(percentage=50, of="mean") for found in (near, far))
    assert len(a) == len(b) and all(np.allclose(x, y, atol=1e-3) for x, y in zip(a, b))
