# SPDX-License-Identifier: Apache-2.0
"""waves(): domains, results, errors; the numbers are tested in C++."""

import numpy as np
import pytest

import dunlin


def test_a_pulse_on_a_line_travels():
    result = dunlin.waves(300, stimulate=0, until=300, spacing=0.5)
    assert result.v.shape == result.activation.shape == (300,)
    assert (np.diff(result.activation[5:]) > 0).all()
    assert result.speed == pytest.approx(0.6235, abs=0.01)
    assert result.step <= 0.9 * result.step_limit
    assert result.stopped == "converged"


def test_the_same_bytes_for_any_number_of_threads():
    shape = (40, 50)
    one = dunlin.waves(shape, stimulate=(20, 25), until=30, n_jobs=1)
    two = dunlin.waves(shape, stimulate=(20, 25), until=30, n_jobs=2, tile=9, depth=3)
    assert one.v.shape == shape
    assert one.v.tobytes() == two.v.tobytes()
    assert one.activation.tobytes() == two.activation.tobytes()
    assert one.activation[20, 25] == 0
    assert one.activation[20, 30] > one.activation[20, 27] > 0


def test_a_grid_has_its_axes_in_numpy_order():
    start = np.zeros((3, 7))
    start[:, 0] = 1
    result = dunlin.waves((3, 7), start_v=start, until=1, model="diffusion")
    assert (np.ptp(result.v, axis=0) < 1e-12).all()
    assert (np.diff(result.v[0]) < 0).all()
    assert result.w is None


def test_a_graph_of_networkx_with_its_names():
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(["a", "b", "c"])
    result = dunlin.waves(graph, stimulate="c", stimulus_time=20, until=60)
    assert result.activation[2] == 0
    assert result.activation[0] > result.activation[1] > 0
    with pytest.raises(dunlin.InputError, match="'d'"):
        dunlin.waves(graph, stimulate="d")


def test_the_matrix_of_activation_times():
    edges = (3, [(0, 1), (1, 2)])
    times = dunlin.waves(edges, stimulate="each", stimulus_time=20)
    assert times.shape == (3, 3)
    assert (times == times.T).all() and (np.diag(times) == 0).all()
    assert times[0, 2] > times[0, 1] > 0
    with pytest.raises(dunlin.InputError, match="never activates"):
        dunlin.waves((3, [(0, 1)]), stimulate="each", stimulus_time=20)


def test_snapshots_and_held_nodes():
    result = dunlin.waves(50, hold={49: 1.0}, snapshots=[0, 5, 10], until=10)
    assert [round(time, 3) for time, _, _ in result.snapshots] == pytest.approx([0, 5, 10], abs=result.step)
    assert all(v[49] == 1 for _, v, _ in result.snapshots)
    assert result.snapshots[0][2].shape == (50,)


def test_a_page_plays_the_states(tmp_path):
    edges = (6, [(i, i + 1) for i in range(5)])
    result = dunlin.waves(edges, stimulate=0, snapshots=[0, 5, 10], until=10)
    film = [(f"at {time:.0f}", v) for time, v, _ in result.snapshots]
    places = np.column_stack([np.arange(6.0), np.zeros(6)])
    page = dunlin.draw(places, graph=edges, values=result.activation, film=film, format="html").data
    assert b'"captions":["at 0","at 5","at 10"]' in page
    dunlin.draw(places, tmp_path / "wave.html", values=result.activation, film=film)
    assert b'"captions":["at 0"' in (tmp_path / "wave.html").read_bytes()
    for bad in ({"format": "png", "values": result.v}, {"format": "html"}):
        with pytest.raises(dunlin.OptionError, match="film is played by a page"):
            dunlin.draw(places, film=film, **bad)
    with pytest.raises(dunlin.InputError, match="film"):
        dunlin.draw(places, values=result.v, film=[("short", [1.0, 2.0])], format="html")


def test_every_scheme_of_a_line_gives_the_pulse():
    start = np.exp(-((np.arange(201) * 0.5 - 50) ** 2) / 10)
    given = {"start_v": start, "spacing": 0.5, "until": 20}
    truth = dunlin.waves(201, scheme="heun", **given)
    for scheme in ("euler", "rkc", "crank-nicolson", "adi", "adaptive"):
        result = dunlin.waves(201, scheme=scheme, **given)
        assert np.abs(result.v - truth.v).max() < 0.05, scheme
        assert (result.newton > 0) == (scheme == "crank-nicolson")


def test_errors_name_what_is_wrong():
    with pytest.raises(dunlin.InputError, match="step is 9") as error:
        dunlin.waves(10, step=9)
    assert error.value.option == "step"
    with pytest.raises(dunlin.InputError, match="node 1"):
        dunlin.waves(3, start_v=[0, np.nan, 0])
    with pytest.raises(dunlin.InputError, match="start_v has 2 values"):
        dunlin.waves(3, start_v=[0, 1])
    with pytest.raises(dunlin.InputError, match="outside|not a node|vertices"):
        dunlin.waves((3, 3), stimulate=(3, 0))
    with pytest.raises(dunlin.OptionError, match="did you mean"):
        dunlin.waves(3, stimulat=0)
