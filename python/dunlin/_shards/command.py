# SPDX-License-Identifier: Apache-2.0
"""dunlin kmeans FILE... --scheduler ADDRESS: the flags, files and report of the command, on a Dask cluster."""

import argparse
import json
import math
import os
import resource
import sys
import time

import numpy as np

from .. import _core
from .._errors import DeviceError, Error, FileError, InputError, NoDeviceError, OutOfMemoryError
from .._files import read
from .._groups import KMEANS, READ
from .._output import replacing
from .estimator import DEVICES
from .records import ClusterLost

EXIT_CODES = ((FileError, 3), (NoDeviceError, 4), (DeviceError, 4), (OutOfMemoryError, 5), (InputError, 2))
TABLES = (".csv", ".tsv", ".npy")
# What one process does with points in its memory
ELSEWHERE = (
    "memory",
    "method",
    *(row[0].replace("_", "-") for row in READ.rows.values()),
)
CRITERIA = ("bic", "aic", "silhouette")
KINDS = {"int": int, "float": float, "str": str}


def _parser():
    parser = argparse.ArgumentParser(
        prog="dunlin kmeans",
        description="k-means clustering of points, on the workers of a Dask cluster",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="points: .npy, or raw float32 rows with --columns; their rows are joined",
    )
    add("--scheduler", required=True, metavar="ADDRESS", help="of the Dask cluster, tcp://HOST:8786")
    add(
        "-o",
        "--output",
        action="append",
        metavar="FILE",
        help="clusters: .csv .tsv .npy; .npy is written by the workers",
    )
    add("--centroids", metavar="FILE", help="output file of the centroids (default: FILE's stem .centroids.csv)")
    add("--report", metavar="FILE.json", help="write a report as JSON")
    add("--seed", type=int, default=1, help="the same seed gives the same bytes")
    add("--threads", type=int, default=0, help="CPU threads of each worker; 0: those it may use")
    add(
        "--device",
        choices=DEVICES,
        default="auto",
        help="where workers compute: auto is the GPU of those that see one, if the data are large enough to gain; cuda leaves "
        "out the others (default: auto)",
    )
    add("--quiet", action="store_true", help="print only errors")
    for core, help, _, fallback, _, value, kind, words in KMEANS.rows.values():
        if core == "method":
            continue
        note = help + (f" (default: {value if value is not None else fallback})").replace("%", "%%")
        add(f"--{core}", dest=core, type=KINDS[kind.rstrip("?")], choices=words or None, help=note)
    add("--from", dest="start_from", metavar="FILE", help="centroids to start from")
    add("--weights", metavar="FILE", help="a .npy file with one weight a row")
    add(
        "--up-to",
        type=int,
        metavar="N",
        help="try all numbers of clusters from --clusters to this, and keep the best by --criterion",
    )
    add("--criterion", choices=CRITERIA, help="with --up-to: criterion that selects the best number (default: bic)")
    add("--columns", type=int, metavar="N", help="of files of raw float32 rows")
    add("--checkpoint", metavar="FILE", help="written after each iteration; if it is there, the run goes on from it")
    add("--least-share", type=float, default=1.0, help="least fraction of the rows in reach; with fewer the run is suspended")
    add("--patience", type=float, default=60.0, help="seconds for which rows may be out of reach before the run is suspended")
    for name, what in (("ca-file", "authority"), ("cert", "certificate"), ("key", "key")):
        add(f"--tls-{name}", metavar="FILE", help=f"{what} for a cluster with TLS, as of Dask's own commands")
    return parser


def _refuse_elsewhere(words):
    for word in words:
        name = word.split("=")[0]
        if name.startswith("--") and name[2:] in ELSEWHERE:
            raise InputError(f"{name} is not for a cluster; leave it out, or leave --scheduler out")


def _tables(given):
    stem = os.path.basename(given.files[0]).split(".")[0]
    outputs, centroids = given.output or [f"{stem}.clusters.csv"], given.centroids or f"{stem}.centroids.csv"
    for flag, paths in (("--output", outputs), ("--centroids", [centroids])):
        for path in paths:
            if os.path.splitext(path)[1].lower() not in TABLES:
                raise InputError(f"{flag} is {path}; it must end in .csv, .tsv or .npy")
    return outputs, centroids


def _estimator(given, client, outputs):
    from ..dask import KMeans

    options = {
        name: getattr(given, row[0]) for name, row in KMEANS.rows.items() if getattr(given, row[0], None) is not None
    }
    options.setdefault("n_init", 1)
    init = options.get("init", "plusplus")
    if given.up_to is not None and (given.start_from is not None or given.weights is not None):
        raise InputError("--up-to excludes --from and --weights")
    if given.criterion is not None and given.up_to is None:
        raise InputError("--criterion needs --up-to")
    if given.start_from is not None:
        if given.clusters is not None or given.start is not None:
            raise InputError("--from excludes --clusters and --start")
        init = np.asarray(read(given.start_from), np.float64)
        options["n_clusters"] = len(init)
    if given.stop == "inertia":
        options.setdefault("tol", 1e-3)
    options["init"] = init
    mapped = next((path for path in outputs if path.lower().endswith(".npy")), None)
    return KMeans(
        client=client,
        random_state=given.seed,
        n_jobs=given.threads or None,
        device=given.device,
        checkpoint=given.checkpoint,
        least_share=given.least_share,
        patience=given.patience,
        labels=mapped,
        up_to=given.up_to,
        criterion=given.criterion,
        verbose=int(not given.quiet and sys.stderr.isatty()),
        **options,
    )


def _client(given):
    from distributed import Client
    from distributed.security import Security

    security = Security()  # of Dask's configuration
    if given.tls_ca_file or given.tls_cert or given.tls_key:
        security = Security(
            tls_ca_file=given.tls_ca_file,
            tls_client_cert=given.tls_cert,
            tls_client_key=given.tls_key,
            require_encryption=True,
        )
    elif given.scheduler.startswith("tls://") and security.get_connection_args("client").get("ssl_context") is None:
        raise InputError(
            f"--scheduler {given.scheduler} is a cluster with TLS; give --tls-ca-file, --tls-cert and --tls-key, or set them in "
            "Dask's configuration"
        )
    try:
        return Client(given.scheduler, security=security, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterLost(f"--scheduler {given.scheduler} cannot be reached: {error}") from None


def _write(model, outputs, centroids):
    for path in outputs:
        if model.labels is None or os.path.abspath(path) != os.path.abspath(model.labels):
            _core.write_clusters(path, np.ascontiguousarray(model.labels_, np.int32), [])
    result, shift = model.result_, model.shift_
    _core.write_points(centroids, np.ascontiguousarray(result["centers"], np.float32), shift, [])


def _backend(devices):
    return next(iter(devices)) if len(devices) == 1 else "mixed"


def _report(given, model, seconds):
    result = model.result_
    input = {"path": given.files[0], "kind": "npy" if given.columns is None else "raw"}
    input |= {"rows": model.n_samples_, "cols": model.n_features_in_}
    if len(given.files) > 1:
        input["paths"] = given.files
    options = dict(result["options"], seed=model.seed_)
    if given.start_from is not None:
        options["start"] = given.start_from
    if given.up_to is not None:
        options |= {"up-to": given.up_to, "criterion": given.criterion or CRITERIA[0]}
    counts = {}
    for event in model.events_:
        counts[event["event"]] = counts.get(event["event"], 0) + 1
    devices = {}
    for device in model.devices_.values():
        devices[device] = devices.get(device, 0) + 1
    report = {
        "dunlin": _core.version,
        "command": "kmeans",
        "method": "lloyd",
        "input": input,
        "device": {"backend": _backend(devices), "name": _backend(devices), "threads": model.threads_},
        "cluster": {
            "scheduler": given.scheduler,
            "workers": model.workers_,
            "devices": devices,
            "share": model.share_,
            "events": counts,
        },
        "options": options,
        "engines": [{"part": part, "name": name, "first_iteration": first} for part, name, first in result["engines"]],
        "seconds": {"read": 0.0, **result["seconds"], "score": 0.0, **seconds},
        "iterations": result["n_iter"],
        "stopped": result["stopped"],
        "deterministic": True,
        "quality": {"inertia": model.inertia_},
        "peak_memory_bytes": {"host": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, "device": 0},
        "counts": [int(count) for count in model.counts_],
    }
    if given.up_to is not None:
        report["curve"] = [
            {"clusters": clusters, "inertia": inertia, options["criterion"]: None if math.isnan(value) else value}
            for clusters, inertia, value in model.curve_
        ]
        if options["criterion"] != "silhouette":
            report["criterion_model"] = "spherical Gaussians of one variance"
    return report


def _run(words):
    given = _parser().parse_args(words)
    outputs, centroids = _tables(given)
    begun = time.perf_counter()
    with _client(given) as client:
        model = _estimator(given, client, outputs)
        model.fit(given.files, sample_weight=given.weights, columns=given.columns)
    fitted = time.perf_counter()
    _write(model, outputs, centroids)
    ended = time.perf_counter()
    if given.report:
        text = json.dumps(_report(given, model, {"write": ended - fitted, "total": ended - begun}), indent=2)
        with replacing(given.report) as file:
            file.write(text.encode() + b"\n")
    if not given.quiet:
        for clusters, inertia, value in model.curve_ if given.up_to is not None else ():
            text = "none: no variance" if math.isnan(value) else f"{value:.6g}"
            print(f"{clusters:6} clusters, inertia {inertia:.6g}, {given.criterion or CRITERIA[0]} {text}")
        print(
            f"{len(model.cluster_centers_)} clusters of {model.n_samples_} points, inertia {model.inertia_:.6g}, {model.stopped_} after "
            f"{model.result_['n_iter']} iterations, {model.workers_} workers, {fitted - begun:.2f} s"
        )
        for path in (*outputs, centroids):
            print(f"wrote {path}")
    return 0


def kmeans(words):
    """The exit code of the command."""
    try:
        _refuse_elsewhere(words)
        return _run(words)
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        print(
            f"dunlin: --scheduler needs the package distributed: pip install 'dunlin-maps[dask]' ({error})",
            file=sys.stderr,
        )
        return 2
    except (Error, OSError) as error:
        print(f"dunlin: {error}", file=sys.stderr)
        return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 4)
