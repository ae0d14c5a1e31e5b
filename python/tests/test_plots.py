# SPDX-License-Identifier: Apache-2.0
"""result.plot() and plot_shepard(): what they put into axes of matplotlib."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import dunlin

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402

DISTANCES = np.array([[0, 3, 4, 7], [3, 0, 5, 6], [4, 5, 0, 8], [7, 6, 8, 0]], float)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def map():
    rng = np.random.default_rng(5)
    return dunlin.tsne(rng.normal(size=(90, 4)) + 5 * np.repeat([0, 1, 2], 30)[:, None], max_iter=60, perplexity=8)


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def shown_names(ax):
    return [text.get_text() for text in ax.texts]


def points_of(ax):
    return next(each for each in ax.collections if len(each.get_offsets()))


def test_a_plot_has_the_points_equal_axes_and_no_ticks(map):
    ax = map.plot()
    assert np.allclose(points_of(ax).get_offsets(), map.embedding) and ax.get_legend() is None
    assert ax.get_aspect() == 1 and len(ax.get_xticks()) == len(ax.get_yticks()) == 0
    given = pyplot.subplots()[1]
    assert map.plot(given, s=3, alpha=0.5) is given and points_of(given).get_sizes().tolist() == [3]


def test_labels_have_the_colors_of_pictures_and_a_legend_with_whole_names(map):
    labels = np.array(["a$b$", "_hidden", "a name of many words that is not cut", None], object)[np.arange(90) % 4]
    ax = map.plot(labels=labels)
    assert legend_of(ax) == ["a$b$", "_hidden", "a name of many words that is not cut", "no label"]
    assert not any(text.get_parse_math() for text in ax.get_legend().get_texts())
    colors = [to_hex(color) for color in points_of(ax).get_facecolors()[:4]]
    assert colors == ["#0072b2", "#d55e00", "#009e73", "#b4b4b4"]
    assert ax.get_legend_handles_labels()[1][:1] == ["a$b$"]  # so that a user's legend has them
    assert map.plot(labels=labels, legend=False).get_legend() is None
    assert legend_of(map.plot(labels=np.arange(90)))[-1] == "other (71 labels)"


def test_legends_of_categories_and_of_numbers_beside_missing_ones(map):
    pandas = pytest.importorskip("pandas")
    sizes = pandas.Categorical(["mid", "low", "high"] * 30, ["low", "mid", "high", "never"], ordered=True)
    assert legend_of(map.plot(labels=sizes)) == ["low", "mid", "high"]
    kinds = pandas.Categorical(["b", None, "a"] * 30, ["z", "a", "b"])
    assert legend_of(map.plot(labels=kinds)) == ["b", "a", "no label"]
    named = dunlin.mds(pandas.DataFrame(map.embedding[:3], list("pqr")))
    assert legend_of(named.plot(labels=pandas.Series(sizes[:3], list("rqp")), names="none")) == ["low", "mid", "high"]
    assert legend_of(map.plot(labels=np.resize([1, np.nan, 2], 90))) == ["1", "2", "no label"]
    assert legend_of(map.plot(labels=np.resize([1, 2.5], 90))) == ["1.0", "2.5"]


def test_a_palette_takes_the_place_of_the_colors(map):
    labels = np.repeat([2, 0, 1], 30)
    ax = map.plot(labels=labels, palette={0: "red", 1: "#00ff00", 2: (0, 0, 1)})
    assert to_hex(points_of(ax).get_facecolors()[0]) == "#0000ff" and legend_of(ax) == ["0", "1", "2"]
    for palette in ({0: "red"}, ["red"], ["no color", "red", "blue"], "red"):
        with pytest.raises(dunlin.Error, match="palette"):
            map.plot(labels=labels, palette=palette)


def test_values_have_viridis_and_a_colorbar(map):
    pandas = pytest.importorskip("pandas")
    values = pandas.Series(np.where(np.arange(90) % 3, np.arange(90.0), np.nan), name="gene A")
    ax = map.plot(values=values)
    points = points_of(ax)
    assert points.get_cmap().name == "viridis" and points.get_clim() == (1, 89)
    assert ax.figure.axes[1].get_ylabel() == "gene A"
    assert to_hex(points.get_cmap().get_bad()) == "#b4b4b4"
    assert points_of(map.plot(values=values, cmap="magma", vmax=5)).get_clim() == (1, 5)
    map.plot(values=np.full(90, np.nan))
    map.plot(values=np.full(90, np.inf))
    assert len(map.plot(values=values, legend=False).figure.axes) == 1


def test_ids_are_names_beside_few_points():
    pandas = pytest.importorskip("pandas")
    names = ["Köln", "Łódź", "two\nlines", "a$b$"]
    scaled = dunlin.mds(dissimilarities=pandas.DataFrame(DISTANCES, names, names))
    ax = scaled.plot()
    assert shown_names(ax) == ["Köln", "Łódź", "two lines", "a$b$"]
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert pickle.loads(pickle.dumps(ax.figure)).axes
    assert shown_names(scaled.plot(names="none")) == []
    assert shown_names(scaled.plot(names=["Łódź"])) == ["Łódź"]
    assert shown_names(scaled.plot(ids=["a", "", "b", "c"])) == ["a", "b", "c"]
    with pytest.raises(dunlin.InputError, match="no id of the map"):
        scaled.plot(names=["Bonn"])
    with pytest.raises(dunlin.InputError, match="names is 'some'"):
        scaled.plot(names="some")


def test_names_that_are_missing_or_many_are_not_shown(map):
    pandas = pytest.importorskip("pandas")
    points = np.random.default_rng(0).normal(size=(20, 3))
    index = [None, np.nan, *(f"k{i}" for i in range(18))]
    assert len(shown_names(dunlin.mds(pandas.DataFrame(points, index)).plot())) == 18
    assert shown_names(dunlin.mds(pandas.DataFrame(points)).plot()) == []
    ids = [f"p{i}" for i in range(90)]
    assert shown_names(map.plot(ids=ids)) == [] and len(shown_names(map.plot(ids=ids, names="all"))) == 90


def test_a_layout_has_its_edges_and_the_names_of_its_nodes():
    networkx = pytest.importorskip("networkx")
    drawn = dunlin.layout(networkx.path_graph(["Ada", "Bo", "Cy", "Di"]))
    ax = drawn.plot(labels={"Di": "x", "Ada": "y", "Bo": "x", "Cy": "x"})
    lines = next(each for each in ax.collections if hasattr(each, "get_segments")).get_segments()
    assert np.allclose(lines[0], [drawn["Ada"], drawn["Bo"]]) and len(lines) == 3
    assert shown_names(ax) == ["Ada", "Bo", "Cy", "Di"] and legend_of(ax) == ["y", "x"]
    assert shown_names(dunlin.layout((3, [(0, 1), (1, 2)])).plot()) == []


def test_maps_of_one_and_three_dimensions():
    points = np.random.default_rng(0).normal(size=(30, 5))
    line = dunlin.mds(points, n_components=1).plot()
    assert not points_of(line).get_offsets()[:, 1].any()
    space = dunlin.mds(points, n_components=3)
    assert space.plot(labels=np.arange(30) % 2, ids=[str(i) for i in range(30)]).name == "3d"
    with pytest.raises(dunlin.InputError, match="projection='3d'"):
        space.plot(pyplot.subplots()[1])
    with pytest.raises(dunlin.InputError, match="without projection"):
        dunlin.mds(points).plot(pyplot.figure().add_subplot(projection="3d"))


def test_no_point_and_one():
    assert len(dunlin.layout((0, [])).plot().collections) == 0
    one = dunlin.mds(np.zeros((1, 3)))
    assert shown_names(one.plot(ids=["alone"])) == ["alone"]
    one.plot_shepard()


def test_clusters_color_a_map(map):
    clusters = dunlin.kmeans(map.embedding, 3)
    assert legend_of(clusters.plot(map)) == legend_of(map.plot(labels=clusters)) == ["0", "1", "2"]
    with pytest.raises(dunlin.OptionError, match="those of the clusters"):
        clusters.plot(map, labels=[0] * 90)
    with pytest.raises(dunlin.InputError, match="5 columns"):
        clusters.plot(np.zeros((90, 5)))


@pytest.mark.parametrize(
    "options, said",
    [
        ({"ax": "map.png"}, "draw\\(\\) writes files"),
        ({"ax": np.array([None])}, "give one Axes"),
        ({"labels": [1] * 90, "values": [1] * 90}, "one color"),
        ({"labels": [1] * 90, "color": "red"}, "both given"),
        ({"palette": ["red"]}, "palette is of labels"),
        ({"colour": "red"}, "colour"),
        ({"names": "all"}, "no names"),
    ],
)
def test_what_cannot_be_plotted_is_said(map, options, said):
    with pytest.raises(dunlin.Error, match=said):
        map.plot(**options)


def test_without_matplotlib_the_error_names_it():
    code = """
import sys
sys.modules["matplotlib"] = None
import dunlin, numpy
try:
    dunlin.mds(numpy.eye(4)).plot()
except ImportError as error:
    print(error)
"""
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)})
    assert "plot() needs the package matplotlib: pip install matplotlib" in shown.stdout


def test_large_plots_are_an_image_within_a_vector_file():
    ax = dunlin._plots.plot(np.random.default_rng(0).normal(size=(50001, 2)))
    assert points_of(ax).get_rasterized()


@pytest.mark.parametrize("kind", ["ratio", "interval", "interval-bounded", "ordinal"])
def test_shepard_diagram(kind):
    scaled = dunlin.mds(dissimilarities=DISTANCES**2, transform=kind)
    ax = scaled.plot_shepard()
    pairs = np.asarray(scaled.shepard(), float)
    assert np.allclose(sorted(points_of(ax).get_offsets()[:, 1]), sorted(pairs[:, 1]))
    assert ax.get_xlim()[0] == ax.get_ylim()[0] == 0
    x, y = ax.lines[0].get_data()
    assert (np.diff(x) >= 0).all() and (np.diff(y) >= 0).all() and (np.asarray(y) >= -1e-12).all()
    assert "stress-1" in ax.get_title() and "6 pairs" in ax.get_title()


def test_stress_of_the_line_is_kruskals():
    rng = np.random.default_rng(3)
    scaled = dunlin.mds(rng.normal(size=(40, 6)))
    ax = scaled.plot_shepard()
    assert f"stress-1 {scaled.stress()['scaled_stress1'][0]:.4g}," in ax.get_title()


def test_fitted_disparities_are_those_of_peers():
    isotonic = pytest.importorskip("sklearn.isotonic").isotonic_regression
    D = np.random.default_rng(1).integers(1, 9, (12, 12)).astype(float)
    D = np.triu(D, 1) + np.triu(D, 1).T
    for kind in ("ratio", "interval", "ordinal"):
        diagram = dunlin.mds(dissimilarities=D, transform=kind, n_init=1).shepard()
        x, y = np.asarray(diagram, float).T
        order = np.lexsort((y, x))  # ties may be broken: Kruskal's primary approach
        expected = {
            "ratio": lambda: (x * (x @ y) / (x @ x))[order],
            "interval": lambda: np.polyval(np.polyfit(x, y, 1), x)[order],
            "ordinal": lambda: isotonic(y[order]),
        }[kind]()
        np.testing.assert_allclose(np.asarray(diagram.disparity)[order], expected, atol=1e-5)
        assert diagram.stress1 == pytest.approx(np.sqrt(((y[order] - expected) ** 2).sum() / (y @ y)), abs=1e-5)
