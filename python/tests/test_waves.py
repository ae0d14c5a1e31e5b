# SPDX-License-Identifier: Apache-2.0
"""waves(): domains, results, errors; the numbers are tested in C++."""

import base64
import json
import re
import zlib

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


def facts_of(page):
    return json.loads(page.split(b'<script id="facts" type="application/json">')[1].split(b"</script>")[0])


def values_of(page):
    """The steps of all frames, from the page."""
    frames = [base64.b64decode(part.split(b"</script>")[0]) for part in page.split(b'<script type="text/x-frame">')[1:]]
    return np.frombuffer(b"".join(zlib.decompress(frame[64:]) for frame in frames), np.uint8)


@pytest.mark.parametrize("shape", [(1,), (2,), (50,), (1, 1), (6, 9), (700, 400)])
def test_a_page_plays_a_line_or_a_grid(tmp_path, shape):
    states = [np.random.default_rng(i).normal(size=shape) for i in range(3)]
    film = [(f"at {i}", state) for i, state in enumerate(states)]
    page = dunlin.draw(None, film=film, format="html", spacing=0.5, title="a wave").data
    facts, low, high = facts_of(page), np.min(states), np.max(states)
    assert (facts["rows"], facts["columns"]) == (1, *shape)[-2:]
    assert facts["captions"] == ["at 0", "at 1", "at 2"] and facts["title"] == "a wave"
    assert facts["x"]["end"] == pytest.approx(0.5 * (shape[-1] - 1))
    steps = values_of(page)
    wanted = np.minimum((np.ravel(states) - low) / (high - low) * 240, 239)
    assert len(steps) == 3 * np.prod(shape)
    assert np.abs(steps - wanted).max() <= 1
    assert not re.search(rb"(src|href)=|https?:", page.split(b"<script")[0])
    dunlin.draw(None, tmp_path / "film.html", film=film, spacing=0.5, title="a wave")
    assert (tmp_path / "film.html").read_bytes() == page


def test_missing_values_of_a_film_are_gray():
    page = dunlin.draw(None, film=[("a", [1.0, np.nan, np.inf]), ("b", [np.nan] * 3)], format="html").data
    assert list(values_of(page)[1:]) == [240] * 5


def test_films_that_cannot_be_played():
    line = [("a", [1.0, 2.0])]
    for bad in ({"film": line, "format": "png"}, {"format": "html"}, {"film": line, "format": "html", "values": [1.0, 2.0]}):
        with pytest.raises(dunlin.OptionError):
            dunlin.draw(None, **bad)
    for film in ([], [("a", [])], [("a", [1.0]), ("b", [1.0, 2.0])], [("a", np.zeros((2, 2, 2)))]):
        with pytest.raises(dunlin.InputError, match="film"):
            dunlin.draw(None, film=film, format="html")


@pytest.mark.parametrize("scheme", ["crank-nicolson", "adi"])
def test_solvers_agree(scheme):
    usual = dunlin.waves(300, scheme=scheme, stimulate=100, until=20, spacing=0.5)
    for solver in ("thomas", "cyclic-reduction", "partition"):
        other = dunlin.waves(300, scheme=scheme, solver=solver, stimulate=100, until=20, spacing=0.5)
        assert np.abs(other.v - usual.v).max() <= 1e-12 * np.abs(usual.v).max()
    with pytest.raises(dunlin.InputError, match="solver"):
        dunlin.waves(300, scheme="heun", solver="thomas", stimulate=100, until=20)


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
