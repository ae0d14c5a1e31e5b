# SPDX-License-Identifier: Apache-2.0
"""documents(), folders of texts and tables with them."""

import numpy as np
import pytest

import dunlin

TEXTS = [
    "The old mill stands by the river; the river is slow.",
    "A slow boat on the river, an old boat.",
    "Élan vital: the ÉLAN of an old man",
    "Mill stones grind slow, they grind fine.",
    "x y z",
]


def test_rows_are_those_of_scikit_learn():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    peer = text.TfidfVectorizer(min_df=2)
    expected = peer.fit_transform(TEXTS).toarray()
    found = dunlin.documents(TEXTS)
    order = [found.columns.index(word) for word in peer.get_feature_names_out()]
    assert len(order) == len(found.columns)
    assert np.allclose(np.asarray(found)[:, order], expected, atol=1e-6)


def test_functions_take_them_and_names_go_along():
    pandas = pytest.importorskip("pandas")
    points = dunlin.documents(pandas.Series(TEXTS, index=list("abcde")))
    assert list(dunlin.kmeans(points, 2).ids) == list("abcde")
    assert dunlin.neighbors(points, 1).indices[0, 0] == 1


def test_folders_and_columns(tmp_path):
    for number, text in enumerate(TEXTS):
        folder = tmp_path / "all" / ("odd" if number % 2 else "even")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(text)
    points = dunlin.read(tmp_path / "all")
    assert points.labels.tolist() == ["even"] * 3 + ["odd"] * 2 and points.ids[0] == "even/0.txt"
    table = tmp_path / "t.csv"
    table.write_text("id,text,kind\n" + "".join(f'r{i},"{text}",k{i % 2}\n' for i, text in enumerate(TEXTS)))
    of_table = dunlin.read(table, text="text", labels="kind")
    assert np.array_equal(np.asarray(of_table), np.asarray(dunlin.documents(TEXTS)))
    assert of_table.labels.tolist() == ["k0", "k1", "k0", "k1", "k0"] and list(of_table.ids) == [f"r{i}" for i in range(5)]


def test_wrong_texts():
    for wrong, kind in (("one text", dunlin.OptionError), (["a", None], dunlin.OptionError), ([], dunlin.InputError), (["a b", "c d", "e f"], dunlin.FileError)):
        with pytest.raises(kind):
            dunlin.documents(wrong)
