# SPDX-License-Identifier: Apache-2.0
"""Law 5, missing: all spellings of a missing value mean the same, and rows without a label change no score of labels."""

import warnings

import dunlin
import numpy as np
import pandas
from hypothesis import strategies as st

from entry import ENTRIES
from generate import cases
from law import answers_or_refusal, assert_same, case_of, examples, obeying

# As objects of Python. The first is the reference
OF_LABELS = {
    "None": lambda labels, gone: pandas.array([None if g else str(x) for x, g in zip(labels, gone)], dtype=object).to_numpy(),
    "NaN": lambda labels, gone: _objects(labels, gone, float("nan")),
    "pandas.NA": lambda labels, gone: _objects(labels, gone, pandas.NA),
    "NaT": lambda labels, gone: _objects(labels, gone, pandas.NaT),
    "list": lambda labels, gone: [None if g else str(x) for x, g in zip(labels, gone)],
    "Series": lambda labels, gone: pandas.Series(_objects(labels, gone, None)),
    "string dtype": lambda labels, gone: pandas.Series(_objects(labels, gone, None), dtype="string"),
    "category": lambda labels, gone: pandas.Series(_objects(labels, gone, None), dtype="category"),
    "Categorical": lambda labels, gone: pandas.Categorical(_objects(labels, gone, None)),
    "masked": lambda labels, gone: np.ma.array(np.asarray(labels).astype(str), mask=gone),
}
OF_NUMBERS = {
    "NaN": lambda values, gone: np.where(gone, np.nan, values),
    "masked": lambda values, gone: np.ma.array(values, mask=gone),
    "masked with numbers below": lambda values, gone: np.ma.array(np.where(gone, 7.0, values), mask=gone),
    "None": lambda values, gone: np.array([None if g else float(x) for x, g in zip(values.ravel(), gone.ravel())], object).reshape(values.shape),
}


def _objects(labels, gone, missing):
    found = np.empty(len(labels), object)
    found[:] = [missing if g else str(x) for x, g in zip(labels, gone)]
    return found


@obeying("missing", lambda entry: "labels" in entry.takes)
@examples(8)
def test_spellings(entry, data):
    case = case_of(data, entry, "missing")
    gone = np.random.default_rng(data.draw(st.integers(0, 9), "gone")).random(case.recipe["n"]) < 0.3
    spelled = data.draw(st.sampled_from(sorted(OF_LABELS)), "as")
    expected, found = (answers_or_refusal(entry, case.but(labels=OF_LABELS[how](case.labels, gone))) for how in ("None", spelled))
    assert_same(entry, "missing", expected, found, what=f"missing labels as {spelled}")


@obeying("missing", lambda entry: entry.name.startswith("mds") and entry.takes == ("D",) and entry.name.split()[1] in ("smacof", "dunlin") or "values" in entry.takes or "fixed" in entry.takes)
@examples(4)
def test_spellings_of_numbers(entry, data):
    case = case_of(data, entry, "missing")
    name = next(each for each in ("fixed", "values", "D") if each in entry.takes)
    gone = np.isnan(case.fixed) if name == "fixed" else np.random.default_rng(data.draw(st.integers(0, 9), "gone")).random(case[name].shape) < 0.2
    if name == "D":
        gone = (np.tril(gone, -1) | np.tril(gone, -1).T) & ~np.eye(len(gone), k=1, dtype=bool) & ~np.eye(len(gone), k=-1, dtype=bool)
    value = np.where(gone, 1.0, case[name])
    spelled = data.draw(st.sampled_from(sorted(OF_NUMBERS)), "as")
    expected, found = (answers_or_refusal(entry, case.but(**{name: OF_NUMBERS[how](value, gone)})) for how in ("NaN", spelled))
    assert_same(entry, "missing", expected, found, what=f"missing {name} as {spelled}")


SCORES = next(entry for entry in ENTRIES if entry.name == "score labels")


@examples(8)
def test_unlabelled_rows_change_no_score(data):
    """Scores of labels are of the labelled rows: those of the labelled rows alone are those of all."""
    case = case_of(data, SCORES, "missing")
    n = case.recipe["n"]
    gone = np.arange(n) >= n - 8
    labels = np.array([None if g else str(x) for x, g in zip(case.labels, gone)], object)
    some = case.but(**{name: case[name][~gone] for name in ("X", "Y")}, labels=labels[~gone])
    expected, found = answers_or_refusal(SCORES, some), answers_or_refusal(SCORES, case.but(labels=labels))
    of_labels = {name: role for name, role in SCORES.gives.items()}
    assert_same(SCORES, "missing", expected, found, of_labels, what="with 8 rows that have no label")


@examples(4)
def test_groups_without_a_known_pair_are_said(data):
    """Items of two groups with no known dissimilarity between them have no places to each other: an error or a warning."""
    case = data.draw(cases(("D",), 8, 20, (2, 4), points=("normal",)), "case")
    method = data.draw(st.sampled_from(["dunlin", "smacof", "stochastic", "glimmer"]), "method")
    D = case.D.copy()
    apart = np.arange(len(D)) < len(D) // 2
    D[np.not_equal.outer(apart, apart)] = np.nan
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            dunlin.mds(dissimilarities=D, method=method)
        except dunlin.Error:
            return
    assert any("group" in str(each.message) for each in said), "two groups without a known pair, and nothing said"
