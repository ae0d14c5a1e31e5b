# SPDX-License-Identifier: Apache-2.0
"""The checkpoint and the events of a run."""

import errno
import json
import os
import struct
import time

from .._errors import FileError, InputError
from .._output import replacing
from .records import Superseded

MAGIC = b"dunlin checkpoint 1\n"


def write_checkpoint(path, header, state):
    """The old checkpoint stays until the new one is complete and on the disk."""
    text = json.dumps(header).encode()
    with replacing(path) as file:
        file.write(MAGIC + struct.pack("<Q", len(text)) + text + state)


def read_checkpoint(path, only_header=False):
    """(header, state), or None where there is no file."""
    try:
        with open(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise FileError(f"{path} is no checkpoint of a cluster; give another path", file=path, option="checkpoint")
            (length,) = struct.unpack("<Q", file.read(8))
            if length > os.fstat(file.fileno()).st_size - file.tell():
                raise ValueError("it is truncated")
            header = json.loads(file.read(length))
            _require_header(header)
            return header, None if only_header else file.read()
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, struct.error) as error:
        words = "its header is damaged" if isinstance(error, (RecursionError, struct.error)) else error
        raise damaged(path, words) from None


def damaged(path, why):
    return FileError(f"the checkpoint {path} is damaged ({why}); remove it to begin anew", file=path, option="checkpoint")


def _require_header(header):
    """What a run reads from a header is there, and of its kind; the rest is compared with the run's own."""
    fits = (
        isinstance(header, dict)
        and isinstance(header.get("run"), str)
        and type(header.get("epoch")) is int
        and 0 < header["epoch"] < 2**31
        and isinstance(header.get("hashes"), list)
        and all(each is None or isinstance(each, (str, int)) for each in header["hashes"])
    )
    if not fits:
        raise ValueError("its header does not fit")


class Checkpoint:
    """The file of one run. A driver that takes the run over has a higher epoch; the older one finds that out here too."""

    def __init__(self, path, log, warn):
        self.path = None if path is None else os.fspath(path)
        self.log, self.warn = log, warn
        self.header, self.warned, self.mine = {}, False, None

    def begin(self, header):
        """The state to resume from, or None; sets ``header["epoch"]`` to one more than that of the last driver."""
        self.header = dict(header, epoch=1)
        found = None if self.path is None else read_checkpoint(self.path)
        if found is None:
            return None
        old, state = found
        for name, value in header.items():
            if name not in ("run", "hashes") and old.get(name) != value:
                raise InputError(
                    f"{self.path} is the checkpoint of another run: its {name} is {old.get(name)} and not {value}; remove it "
                    "or give another path",
                    option="checkpoint",
                )
        if len(old["hashes"]) != len(header["hashes"]):
            raise damaged(self.path, "it has another number of chunks")
        self.header["run"], self.header["hashes"] = old["run"], old["hashes"]
        self.header["epoch"] = old["epoch"] + 1
        self.log("resumed from checkpoint", epoch=self.header["epoch"])
        self.save(state)  # from now on the older driver is refused
        return state or None

    def save(self, state):
        """Called after each iteration; a full disk is a warning."""
        if self.path is None:
            return
        self._refuse_newer()
        try:
            write_checkpoint(self.path, self.header, state)
            self.mine = os.stat(self.path).st_ino
        except OSError as error:
            self.log("checkpoint failed", reason=str(error))
            if not self.warned:
                what = "the disk is full" if error.errno == errno.ENOSPC else str(error)
                self.warn(f"the checkpoint {self.path} cannot be written: {what}; the run goes on without it")
                self.warned = True

    def _refuse_newer(self):
        try:
            if self.mine is None or os.stat(self.path).st_ino == self.mine:
                return
            found = read_checkpoint(self.path, only_header=True)
        except (OSError, FileError):
            return
        if found is not None and found[0]["run"] == self.header["run"] and found[0]["epoch"] > self.header["epoch"]:
            raise Superseded(f"another driver has taken the run over (epoch {found[0]['epoch']}): {self.path}")

    def remove(self):
        """After the result: nothing is left to resume."""
        if self.path is not None and self.mine is not None:
            try:
                os.unlink(self.path)
            except OSError:
                pass


class Log:
    """The events of a run, with seconds since its beginning."""

    def __init__(self):
        self.begun, self.events = time.time(), []

    def __call__(self, event, **facts):
        self.events.append({"seconds": time.time() - self.begun, "event": event, **facts})

    def count(self, event):
        return sum(each["event"] == event for each in self.events)
