# SPDX-License-Identifier: Apache-2.0
"""A command whose words name temporary files, and the paths that the user gave in what it prints.

A process of its own relays the outputs: it has no part in the signals that end this one or the command.
"""

import errno
import os
import select
import subprocess
import warnings

_SILENCE = 1.0  # seconds without output after the end of the command: what it started may keep its outputs open


def run(command, renamed):
    """The exit code of the command. renamed: [(bytes that it prints, bytes instead)]."""
    ends, given = [], {}
    for number in (1, 2):
        file = _file_of(number)
        if file in given:  # one terminal or pipe: lines stay in their order
            given[number] = given[file]
        elif file is not None:
            read, write = _channel(os.isatty(number))
            ends.append((read, number))
            given[number] = given[file] = write
    tell, done = _start_relay(ends, renamed)
    child = subprocess.Popen(command, stdout=given.get(1), stderr=given.get(2))
    for write in set(given.values()):
        os.close(write)
    code = _without_interrupts(child.wait)
    try:
        os.write(tell, b"!")
    except BrokenPipeError:  # the relay has written all
        pass
    _without_interrupts(lambda: os.read(done, 1))
    return code


def _without_interrupts(wait):
    while True:
        try:
            return wait()
        except KeyboardInterrupt:  # which the command has got, too
            continue


def _file_of(number):
    try:
        found = os.fstat(number)
    except OSError:  # closed
        return None
    return found.st_dev, found.st_ino


def _channel(is_terminal):
    """(read, write) of a pipe, or of a terminal that changes no byte: the command shows progress as on the user's."""
    if not is_terminal:
        return os.pipe()
    import pty
    import termios

    read, write = pty.openpty()
    attributes = termios.tcgetattr(write)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(write, termios.TCSANOW, attributes)
    return read, write


def _start_relay(ends, renamed):
    """(where to write that the command has ended, where to read the end when all it printed is written)."""
    ended, tell = os.pipe()
    done, say = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, whose locks the relay does not need
        is_here = os.fork() > 0
    if is_here:
        for file in (ended, say, *(read for read, _ in ends)):
            os.close(file)
        return tell, done
    try:
        os.setsid()
        _close_all_but({ended, say, *(read for read, _ in ends), *(number for _, number in ends)})
        _relay(ends, renamed, ended, say)
    finally:
        os._exit(0)


def _close_all_but(keep):
    for name in os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else map(str, range(256)):
        if int(name) not in keep:
            try:
                os.close(int(name))
            except OSError:
                pass


def _relay(ends, renamed, ended, say):
    streams = {read: _Stream(number, renamed) for read, number in ends}
    others, waits = [ended], False
    while streams:
        ready = select.select([*others, *streams], [], [], _SILENCE if waits else None)[0]
        if not ready:
            os.close(say)
            waits = False
        for file in ready:
            data = _read(file)
            if file == ended:
                others, waits = [], bool(data)  # no data: the first process was killed, and the command goes on
            elif not streams[file].take(data):
                os.close(file)
                del streams[file]


def _read(file):
    try:
        return os.read(file, 1 << 16)
    except OSError as error:
        if error.errno == errno.EIO:  # the end of a terminal
            return b""
        raise


class _Stream:
    """What one output of the command becomes."""

    def __init__(self, number, renamed):
        self.number, self.renamed, self.held = number, renamed, b""

    def take(self, data):
        """Whether there may be more that anybody reads."""
        text = self.held + data
        for old, new in self.renamed:
            text = text.replace(old, new)
        begun = max((_begun(text, old) for old, _ in self.renamed), default=0) if data else 0
        text, self.held = text[: len(text) - begun], text[len(text) - begun :]
        try:
            while text:
                text = text[os.write(self.number, text) :]
        except BrokenPipeError:
            return False
        except OSError:  # a terminal that is gone: the command goes on
            pass
        return bool(data)


def _begun(text, word):
    """How many bytes at the end of the text may be the first of the word."""
    return next((count for count in range(min(len(word) - 1, len(text)), 0, -1) if text.endswith(word[:count])), 0)
