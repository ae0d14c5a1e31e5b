# SPDX-License-Identifier: Apache-2.0
"""surface() and hulls(): arrays, types, errors; the geometry is tested in C++."""

from collections import Counter

import numpy as np
import pytest

import dunlin


def ball(n=17):
    x, y, z = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j, -1 : 1 : n * 1j]
    return 0.7 - np.sqrt(x**2 + y**2 + z**2)


def is_closed(faces):
    edges = Counter((t[i], t[(i + 1) % 3]) for t in faces.tolist() for i in range(3))
    return max(edges.values()) == 1 and all((b, a) in edges for a, b in edges)


def test_a_ball_is_closed_and_outward():
    found = dunlin.surface(ball(), spacing=0.125, origin=(-1, -1, -1))
    assert found.vertices.dtype == found.normals.dtype == np.float32 and found.faces.dtype == np.int32
    assert found.euler_characteristic == 2 and is_closed(found.faces)
    assert found.volume == pytest.approx(4 / 3 * np.pi * 0.343, rel=0.05)
    assert np.allclose(np.linalg.norm(found.vertices, axis=1), 0.7, atol=0.01)
    assert ((found.vertices / 0.7 * found.normals).sum(axis=1) > 0.95).all()
    assert found.cap_area == 0 and found.stopped == "converged"


def test_types_and_orders_give_the_same_mesh():
    field = ball().astype(np.float32)
    first = dunlin.surface(field)
    for other in (field.astype(np.float64), np.asfortranarray(field), field[::-1][::-1]):
        assert dunlin.surface(other).vertices.tobytes() == first.vertices.tobytes()
    whole = np.rint(8 * ball())
    for kind in (np.int8, np.int16, np.int64, np.float16):
        assert dunlin.surface(whole.astype(kind), 1).faces.tobytes() == dunlin.surface(whole, 1).faces.tobytes()
    assert dunlin.surface(ball() > 0, 0.5).euler_characteristic == 2


def test_axes_are_x_y_z():
    x = np.mgrid[0:5, 0:3, 0:4][0]
    found = dunlin.surface(2.5 - x, spacing=(1, 2, 3), open=True)
    assert np.allclose(found.vertices[:, 0], 2.5)
    assert found.vertices.max(axis=0).tolist() == [2.5, 4, 9]
    assert np.allclose(found.normals, [1, 0, 0])
    assert found.volume is None
    assert dunlin.surface(2.5 - x, spacing=(1, 2, 3)).volume == pytest.approx(2.5 * 4 * 9)


def test_the_same_bytes_for_any_number_of_threads():
    one, two = (dunlin.surface(ball(40), n_jobs=n) for n in (1, 2))
    assert one.vertices.tobytes() == two.vertices.tobytes() and one.faces.tobytes() == two.faces.tobytes()


def test_what_is_no_field_is_refused():
    with pytest.raises(dunlin.InputError, match="three axes"):
        dunlin.surface(np.zeros((3, 3)))
    with pytest.raises(dunlin.InputError, match="at least 2 nodes"):
        dunlin.surface(np.zeros((3, 1, 3)))
    with pytest.raises(dunlin.OptionError, match="must be numbers"):
        dunlin.surface(np.zeros((3, 3, 3), complex))
    with pytest.raises(dunlin.InputError, match=r"node \(1, 2, 0\)"):
        field = np.zeros((3, 3, 3))
        field[1, 2, 0] = np.nan
        dunlin.surface(field)
    with pytest.raises(dunlin.InputError, match="spacing"):
        dunlin.surface(ball(), spacing=(1, 2))
    with pytest.raises(dunlin.OptionError, match="radius"):
        dunlin.surface(ball(), radius=2)
    assert len(dunlin.surface(ball(), 1).faces) == 0


def test_hulls_of_labels():
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(size=(200, 3)), rng.normal(size=(100, 3)) + 9]).astype(np.float32)
    found = dunlin.hulls(points, ["b"] * 200 + ["a"] * 100, cells=40)
    assert [(hull["name"], hull["points"]) for hull in found.hulls] == [("b", 200), ("a", 100)]
    assert all(hull["inside"] == pytest.approx(0.9, abs=0.011) for hull in found.hulls)
    assert sum(part[2] for part in found.parts) == len(found.vertices)
    assert is_closed(found.faces)
    numbers = dunlin.hulls(points, [7] * 200 + [3] * 100, cells=40)
    assert [hull["name"] for hull in numbers.hulls] == ["3", "7"]
    alone = dunlin.hulls(points, radius=1, level=0.5, cells=40)
    assert len(alone.hulls) == 1 and alone.hulls[0]["level"] == 0.5
    assert len(dunlin.hulls(points, [7] * 200 + [3] * 100, hulls="all", cells=40).hulls) == 1


def test_hulls_of_what_is_no_map_are_refused():
    with pytest.raises(dunlin.InputError, match="dim"):
        dunlin.hulls(np.zeros((5, 2), np.float32))
    with pytest.raises(dunlin.InputError, match="labels"):
        dunlin.hulls(np.zeros((5, 3), np.float32), [1, 2])
    with pytest.raises(dunlin.InputError, match="share"):
        dunlin.hulls(np.zeros((5, 3), np.float32), share=0)


def test_files(tmp_path):
    found = dunlin.surface(ball())
    for name in ("m.ply", "m.glb", "m.stl"):
        found.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 12 * len(found.faces)
    with pytest.raises(dunlin.InputError, match="glb"):
        found.save(tmp_path / "m.obj")


def test_a_callback_stops():
    def stop(*_):
        return True

    found = dunlin.surface(ball(60), callbacks=stop)
    assert found.stopped == "cancelled" and len(found.vertices) == 0


def test_seeds_lead_to_the_surface_and_nowhere_else():
    x, y, z = np.mgrid[-1:1:25j, -1.2:1:31j, -1:1:21j]
    field = 0.5 - np.sqrt((x - 0.2) ** 2 + y**2 + (z + 0.1) ** 2)
    whole = dunlin.surface(field)
    near = dunlin.surface(field, seeds=[[20, 16, 9]])
    assert (near.vertices == whole.vertices).all() and (near.faces == whole.faces).all()
    assert 0 < near.visited < whole.visited / 2
    assert len(dunlin.surface(np.zeros((3, 4, 5)), 1, seeds=[[1, 1, 1]]).faces) == 0
    for seeds, why in (([[0, 0, 99]], "outside the field"), ([[0.5, 1, 1]], "whole numbers"), ([1, 2, 3], "three a node")):
        with pytest.raises(dunlin.InputError, match=why):
            dunlin.surface(field, seeds=seeds)
