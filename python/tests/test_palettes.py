# SPDX-License-Identifier: Apache-2.0
import re

import numpy as np
import pytest

import dunlin

MAP = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]])


def svg(**options):
    return dunlin.draw(MAP, format="svg", **options).data.decode()


def test_palettes_have_names_or_are_lists_or_dicts():
    assert "#e69f00" in svg(labels=["a", "b", "c"], palette="okabe-ito")
    listed = svg(labels=["a", "b", "c"], palette=["#010203", (1, 0, 0), (0.0, 0.0, 1.0, 1.0)])
    assert all(color in listed for color in ("#010203", "#ff0000", "#0000ff"))
    named = svg(labels=[1, 2, 2], palette={1: "#010203"})
    assert "#010203" in named and "#d55e00" in named
    assert "#440154" in svg(values=[1, 2, 3]) and "#00224e" in svg(values=[1, 2, 3], palette="cividis")
    assert "#000000" in svg(values=[1, 2, 3], palette=["#000000", "#ffffff"])


@pytest.mark.parametrize(
    "options, words",
    [
        ({"labels": [1, 2, 3], "palette": ["red"]}, "'red'"),
        ({"labels": [1, 2, 3], "palette": []}, "empty"),
        ({"labels": [1, 2, 3], "palette": [(0, 0, 300)]}, "three numbers"),
        ({"labels": [1, 2, 3], "palette": 7}, "a name, a list"),
        ({"values": [1, 2, 3], "palette": "tol-bright"}, "of labels"),
        ({"values": [1, 2, 3], "palette": {1: "#010203"}}, "of labels"),
        ({"labels": [1, 2, 3], "center": 0.0}, "numbers"),
        ({"values": [1, 2, 3], "range": "5"}, "LOW,HIGH"),
        ({"values": [-1, -2, 0], "scale": "log"}, "above 0"),
    ],
)
def test_wrong_colors_are_refused(options, words):
    with pytest.raises(dunlin.Error, match=words):
        svg(**options)


def test_scales():
    for options in ({"range": "p1,p99"}, {"scale": "rank"}, {"scale": "log"}, {"center": 2.0, "palette": "rdbu"}):
        assert "<circle" in svg(values=[1.0, 2.0, np.nan], **options)


def test_new_points_are_above_their_map():
    picture = dunlin.draw(MAP[:2], placed_in=MAP, format="svg").data.decode()
    assert picture.count("stroke-width") >= 2 and ">new</text>" in picture and "#d9dde2" in picture
    with pytest.raises(dunlin.Error, match="placed_in"):
        dunlin.draw(MAP, placed_in=MAP, style="landscape")


def test_several_colorings_are_panels_at_the_same_places():
    colorings = {"kind": ["a", "b", "a"], "score": [0.5, np.nan, 1.0], "labels": "labels"}
    picture = svg(color=colorings, labels=["x", "y", "y"], panels_per_row=2)
    assert picture.count("translate(") == 3 and 'width="2400" height="2400"' in picture
    assert all(f">{text}<" in picture for text in ("kind", "score", "labels", "a", "none", "x"))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"leiden": pandas.Categorical(["1", "2", "1"]), "gene": [1, 2, 3], "is_b": [True, False, True]})
    drawn = svg(color=frame)
    assert all(f">{text}<" in drawn for text in ("leiden", "gene", "is_b", "True"))
    assert ">gene<" in svg(color=[frame["gene"], frame["leiden"]])
    assert dunlin.draw(MAP, color=[frame["gene"], frame["leiden"]], format="html").data
    assert ">2 edges<" in dunlin.draw(MAP, graph=(3, np.array([[0, 1], [1, 2]])), color=["degree", "community"], format="svg").data.decode()


@pytest.mark.parametrize(
    "options, words",
    [
        ({"color": []}, "no colorings"),
        ({"color": ["red"]}, "'red'"),
        ({"color": ["degree"]}, "no graph"),
        ({"color": [[1, 2]]}, "shape|values"),
        ({"color": [[1, 2, 3]], "values": [1, 2, 3]}, "several colorings"),
    ],
)
def test_wrong_panels_are_refused(options, words):
    with pytest.raises(dunlin.Error, match=words):
        svg(**options)


def test_dark_paper():
    assert "#14171c" in svg(dark=True) and "#14171c" not in svg()
    assert b'"dark":true' in dunlin.draw(MAP, format="html", dark=True).data
    film = dunlin.draw(None, film=[("0", np.arange(3.0))], format="html", dark=True)
    assert b'"dark":true' in film.data


@pytest.mark.parametrize("far", [1e8, -3e6])
def test_new_points_far_from_zero_lie_where_they_lie_near_it(tmp_path, far):
    Y = np.random.default_rng(0).normal(size=(50, 2))
    drawn = []
    for origin in (0, far):
        dunlin.draw(Y[:5] + 0.01 + origin, tmp_path / "placed.svg", placed_in=Y + origin)
        drawn.append([float(number) for number in re.findall(r'c[xy]="([\d.]+)"', (tmp_path / "placed.svg").read_text())])
    assert len(drawn[0]) > 10 and np.abs(np.subtract(*drawn)).max() < 0.05
