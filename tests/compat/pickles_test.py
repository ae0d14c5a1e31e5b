# SPDX-License-Identifier: Apache-2.0
"""Pickles of earlier releases load, hold what they held, and their estimators answer (README.md)."""

import json
import pathlib
import pickle
import sys
import warnings

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from recorded import CHANGED, HERE, RELEASES, processor, unpack  # noqa: E402

pytest.importorskip("sklearn")


@pytest.fixture(scope="module", params=RELEASES)
def release(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pickles")
    unpack(HERE / request.param / "pickles.tar.xz", folder)
    made = json.loads((folder / "pickles.json").read_text())
    if made["numpy"].split(".")[0] > np.__version__.split(".")[0]:
        pytest.skip(f"pickles of numpy {made['numpy']} do not load with numpy {np.__version__}")
    return folder, made, RELEASES[request.param], CHANGED[request.param]


def test_pickles_load_hold_and_answer(release):
    from pickled import all_of

    folder, made, aim, changed = release
    recorded = np.load(folder / "values.npz")
    faults, unequal = [], []
    for name, what in made["objects"].items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # another version of scikit-learn
            found = pickle.loads((folder / f"{name}.pickle").read_bytes())
            values = all_of(name, found)
        if type(found).__name__ != what["class"]:
            faults.append(f"{name} is a {type(found).__name__}, not a {what['class']}")
        prefix = f"{what['number']}."
        wanted = {key.removeprefix(prefix): recorded[key] for key in recorded.files if key.startswith(prefix)}
        for key in wanted:
            if key not in values:
                faults.append(f"{name} has no {key}")
            elif key.endswith("()"):
                if values[key].shape != wanted[key].shape:
                    faults.append(f"{name}: {key} has the shape {values[key].shape}, not {wanted[key].shape}")
                elif (name, key) in changed:
                    if not np.allclose(values[key], wanted[key], atol=1e-3):
                        faults.append(f"{name}: {key} is further from what it was than rounding")
                elif not np.array_equal(values[key], wanted[key], equal_nan=values[key].dtype.kind == "f"):
                    unequal.append(f"{name}.{key}")
            elif not np.array_equal(values[key], wanted[key], equal_nan=np.asarray(values[key]).dtype.kind == "f"):
                faults.append(f"{name}: {key} is not as it was")
    assert not faults, "\n".join(faults)
    if made["processor"] != processor() or aim != "bytes":
        pytest.skip(f"all load and answer; {len(unequal)} answers differ, as they may on another processor than {made['processor']}, or by another version")
    assert not unequal, "other answers: " + ", ".join(unequal)
