# SPDX-License-Identifier: Apache-2.0
"""Whether workers have the Dunlin of the driver: asked first, by a function that every Python has, since what another version
cannot read would be waited for."""

import asyncio

from .. import _core
from .records import ClusterLost

ASK = "__import__('dunlin._core', fromlist=['version']).version"
WAIT = 10.0  # seconds for the answer of a worker


async def why_unfit(client, name):
    """Why a worker cannot take part; None: it can, or it has not answered, which others find out."""
    try:
        found = (await asyncio.wait_for(client._run(eval, ASK, workers=[name], on_error="return"), WAIT)).get(name)
    except Exception:  # noqa: BLE001  it is frozen or gone
        return None
    if found is None or found == _core.version:
        return None
    if isinstance(found, BaseException):
        return f"it cannot import dunlin ({type(found).__name__}: {found})"
    return f"it has dunlin {found}, and this process {_core.version}; install the same"


async def _reasons(client, names):
    return await asyncio.gather(*(why_unfit(client, name) for name in names))


def fit_workers(client):
    """The names of those that can take part. Raises if there are workers, and none can."""
    names = sorted(client.ncores())
    reasons = dict(zip(names, client.sync(_reasons, client, names)))
    fit = [name for name in names if reasons[name] is None]
    if names and not fit:
        words = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        raise ClusterLost(f"none of the {len(names)} workers can take part: {words}")
    return fit
