# SPDX-License-Identifier: Apache-2.0
"""Profile of Hypothesis, known breaches. DUNLIN_LAWS=N multiplies the examples (`./dev laws`); DUNLIN_LAWS_FIRST=1 shows
first failures, without a search for smaller ones. DUNLIN_LAWS_DEVICE=gpu runs them on a GPU, which must be there; else none
is used."""

import os
import pathlib
import sys

import pytest
from hypothesis import HealthCheck, Phase, settings

if os.environ.get("DUNLIN_LAWS_DEVICE") != "gpu":
    os.environ["CUDA_VISIBLE_DEVICES"] = ""

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

settings.register_profile(
    "laws",
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=False,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("laws")


def pytest_configure(config):
    import sklearn.neighbors  # noqa: F401  changes the environment when it is imported

    import calls  # noqa: F401
    import calls_maps  # noqa: F401
    import dunlin

    if os.environ.get("DUNLIN_LAWS_DEVICE") == "gpu" and not dunlin.gpus():
        raise pytest.UsageError("DUNLIN_LAWS_DEVICE is gpu, and there is none")

    config.addinivalue_line("filterwarnings", "ignore::dunlin.InputWarning")
    config.addinivalue_line("filterwarnings", "ignore::dunlin.PerformanceWarning")


def pytest_collection_modifyitems(items):
    """Breaches that are known and not mended: they must fail, so that a mended one is noticed."""
    from known import KNOWN

    reasons = {(test, case): reason for test, cases, reason in KNOWN for case in cases}
    for item in items:
        name, _, case = item.name.partition("[")
        reason = reasons.get((name, case.removesuffix("]")))
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def pytest_runtest_setup(item):
    import law

    law.known_is_running = bool(os.environ.get("DUNLIN_LAWS_FIRST") or any(item.iter_markers("xfail")))
