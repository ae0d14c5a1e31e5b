# SPDX-License-Identifier: Apache-2.0
"""Exceptions and warnings of the package."""


class Error(Exception):
    """Base class of all errors of this package.

    Attributes
    ----------
    option : str or None
        Name of the parameter at fault.
    file : str or None
        Path of the file at fault.
    line : int or None
        Line of the file, from 1.
    row, column : int or None
        Place in the data (point, vertex, edge), from 0.
    """

    def __init__(self, message="", *, option=None, file=None, line=None, row=None, column=None):
        super().__init__(message)
        self.option, self.file, self.line, self.row, self.column = option, file, line, row, column

    def __reduce__(self):
        return _restored, (type(self), self.args, self.__dict__)


def _restored(cls, args, state):
    error = cls(*args)
    error.__dict__.update(state)
    return error


class InputError(Error, ValueError):
    """A parameter or the data have a value that cannot be used."""


class UnsupportedError(InputError, NotImplementedError):
    """What is asked for has a meaning in the program whose class or function this is like, but is not in the package."""


class OptionError(Error, TypeError):
    """A parameter has the wrong type, or there is no parameter of this name."""


class FileError(Error, OSError):
    """A file cannot be opened, read, parsed or used."""


class NoDeviceError(Error, RuntimeError):
    """The device asked for is not available."""


class OutOfMemoryError(Error, MemoryError):
    """More memory is needed than there is, or than ``memory`` allows."""


class DeviceError(Error, RuntimeError):
    """A GPU reported an error during the work."""


class InputWarning(UserWarning):
    """What was given was taken in one of several ways, or in part; the sentence says how."""


class PerformanceWarning(UserWarning):
    """The work is done in a slower way, or on a copy."""


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written, or the newest one could not be read; the work goes on."""
