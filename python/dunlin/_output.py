# SPDX-License-Identifier: Apache-2.0
"""The one way in which this package writes a file; the library's writers have theirs, which does the same."""

import contextlib
import os
import secrets
import stat

from ._kinds import path_of


@contextlib.contextmanager
def replacing(path):
    """A new binary file beside ``path``, of a random name, that takes its place at once when the block ends.

    If the block raises, the new file is removed and that of ``path`` is what it was. Links at ``path`` are followed, and the
    permissions of a file that is replaced are kept. What is no regular file, such as a pipe, is written as it is.
    """
    target = os.path.realpath(path_of(path))
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            yield file
        return
    folder, name = os.path.split(target)
    fresh = os.path.join(folder, f".{name[:50]}.{secrets.token_hex(8)}")
    with open(fresh, "xb") as file:
        try:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(target).st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
            file.close()
            os.replace(fresh, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(fresh)
            raise
