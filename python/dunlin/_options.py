# SPDX-License-Identifier: Apache-2.0
"""Options by the library's own lists: names, defaults, signatures, docstrings and checks of names.

An option is declared once, in the list ``fields`` of its C++ struct. A ``Group`` is such a list with the names that
Python uses (``dim`` is ``n_components``); options that it does not name keep theirs, with underscores.
"""

import inspect
import re

import numpy as np

from . import _core
from ._errors import Error, OptionError

_LISTS = _core.lists_of_options()

# What other programs call an option
_ALIASES = {
    "n_iter": "max_iter",
    "iterations": "max_iter",
    "niter": "max_iter",
    "n_iterations": "max_iter",
    "random_state": "seed",
    "random_seed": "seed",
    "dim": "n_components",
    "ndim": "n_components",
    "no_dims": "n_components",
    "initialization": "init",
    "start": "init",
    "threads": "n_jobs",
    "n_threads": "n_jobs",
    "num_threads": "n_jobs",
    "theta": "angle",
    "negative_gradient_method": "method",
    "repulsion": "method",
    "exaggeration": "early_exaggeration",
    "k": "n_neighbors",
    "k_neighbors": "n_neighbors",
    "num_neighbors": "n_neighbors",
    "clusters": "n_clusters",
    "tolerance": "tol",
    "eps": "tol",
    "verbose": "callbacks",
    "callback": "callbacks",
    "final_momentum": "momentum",
    "seed": "random_state",
    "max_iter": "iterations",
    "n_components": "dim",
    "fixed": "pinned",
    "covariance": "covariance_type",
    "perplexities": "perplexity",
    "knn_graph": "knn",
    "precomputed_knn": "knn",
    "scaling_ratio": "scaling",
    "c": "labels",
    "colour": "labels",
    "hue": "labels",
    "y": "labels",
    "s": "point_size",
    "size": "point_size",
    "figsize": "width",
}


class Group:
    """A list of options of the library, some under other names in Python."""

    def __init__(self, name, renamed=None, without=(), types=None):
        """types: what options may be in Python beyond their type in the list."""
        self.name, self.types = name, types or {}
        renamed = renamed or {}
        self.rows = {}
        for core, help, values, fallback, readers, value, kind, words in _LISTS[name]:
            if core not in without:
                self.rows[renamed.get(core, core)] = (core, help, values, fallback, readers, value, kind, words)
        unknown = (set(renamed) | set(without)) - {row[0] for row in _LISTS[name]}
        if unknown:
            raise AssertionError(f"{name} has no option {unknown}")
        self.renamed = renamed

    def names(self):
        return list(self.rows)

    def take(self, given):
        """Removes this group's options from ``given`` and returns them under the library's names."""
        return {row[0]: given.pop(name) for name, row in self.rows.items() if name in given}

    def parameters(self):
        parameters = []
        for name, (_, _, _, _, _, value, kind, _) in self.rows.items():
            parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value))
        return parameters

    def described(self):
        lines = []
        for name, (_, help, values, fallback, readers, value, kind, words) in self.rows.items():
            python = {"int": "int", "float": "float", "bool": "bool", "str": "str"}[kind.rstrip("?")]
            python = self.types.get(name, python)
            if words:
                python = "{" + ", ".join(f"'{word}'" for word in words) + "}"
                python += f", {self.types[name]}" if name in self.types else ""
            note = help[:1].upper() + help[1:] + "."
            if values and not words:
                note += f" {values[:1].upper() + values[1:]}."
            default = f"default {value!r}" if value is not None else "optional"
            if value is None and fallback:
                note += self.translated(f" Default: {fallback}.")
            if readers:
                note += self.translated(f" Only with {readers}.")
            lines.append(f"{name} : {python}, {default}\n    {note}")
        return lines

    def translated(self, text):
        """A sentence of the library in this group's names."""
        for core, name in self.renamed.items():
            text = re.sub(rf"(?<![\w'-]){re.escape(core.replace('_', '-'))}(?![\w'-])", name, text)
        return text


class translating:
    """Context: errors of the library name options as Python does."""

    def __init__(self, *groups):
        self.groups = groups

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if not isinstance(error, Error):
            return False
        if error.row is not None:
            error.args = (_from_zero(error.args[0], error.row, error.column),)
        if not error.option:
            return False
        for group in self.groups:
            for name, row in group.rows.items():
                if row[0] != error.option:
                    continue
                message = error.args[0]
                if "it is read only with" in message:
                    message = group.translated(message)
                else:
                    dashed = row[0].replace("_", "-")
                    message = re.sub(rf"(?<![\w'-]){re.escape(dashed)}(?![\w'-])", name, message)
                error.args = (message,)
                error.option = name
                return False
        return False


def _from_zero(message, row, column):
    """Some of the library's sentences count rows from 1, as files do; here rows are counted from 0."""
    if f"row {row + 1} has" not in message:
        return message
    message = message.replace(f"row {row + 1} has", f"row {row} (counted from 0) has")
    return message if column is None else message.replace(f"column {column + 1}", f"column {column}")


def flag(value, name):
    """The value of an argument that is True or False; a word such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name} is {value!r}; it must be True or False", option=name)
    return bool(value)


def refuse_unknown(function, given, known):
    """Raises OptionError for what is left in ``given``, with the name that is probably meant."""
    for name in given:
        import difflib  # only for an error: its import takes milliseconds

        known = list(known)
        meant = _ALIASES.get(name)
        if meant not in known:
            close = difflib.get_close_matches(name, known, 1, 0.6)
            meant = close[0] if close else None
        hint = f"; did you mean {meant}?" if meant else ""
        raise OptionError(f"{function}() has no parameter {name!r}{hint}", option=name)


def with_options(*groups, own=""):
    """Decorator: gives a function of **options the signature and the docstring of its groups.

    ``own``: numpydoc lines of the parameters that are not in a list. They precede the others.
    """

    def decorate(function):
        plain = inspect.signature(function)
        parameters = [p for p in plain.parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = {p.name for p in parameters}
        lines = [re.sub(r"\n\n+", "\n", inspect.cleandoc(own))] if own else []
        for group in groups:
            added = [p for p in group.parameters() if p.name not in names]
            parameters += added
            own_names = set(plain.parameters)
            wanted = {p.name for p in added} | (own_names & set(group.rows))
            lines += [line for name, line in zip(group.rows, group.described()) if name in wanted]
            names |= {p.name for p in added}
        function.__signature__ = plain.replace(parameters=parameters)
        summary, _, rest = inspect.cleandoc(function.__doc__).partition("\n\nReturns\n")
        listed = "\n".join(lines)
        tail = f"\n\nReturns\n{rest}" if rest else ""
        function.__doc__ = f"{summary}\n\nParameters\n----------\n{listed}{tail}\n"
        return function

    return decorate
