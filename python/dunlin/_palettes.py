# SPDX-License-Identifier: Apache-2.0
"""palette= of pictures: a name of the library's list, or colors of one's own."""

import re
from collections.abc import Mapping

import numpy as np

from ._errors import InputError, OptionError
from ._kinds import text_of


def own_colors(chosen):
    """Takes colors out of the options of a picture: (label, '#1a2b3c'), without a label the next color."""
    palette = chosen.get("palette")
    if palette is None or isinstance(palette, str):
        return []
    del chosen["palette"]
    if isinstance(palette, Mapping) or hasattr(palette, "items"):
        return [(text_of(label), hexadecimal(color)) for label, color in palette.items()]
    if not hasattr(palette, "__iter__"):
        raise OptionError(f"palette is {palette!r}; it must be a name, a list of colors or a dict of them", option="palette")
    colors = [("", hexadecimal(color)) for color in palette]
    if not colors:
        raise InputError("palette is empty; give a color or more", option="palette")
    return colors


def hexadecimal(color):
    """'#1a2b3c' of such a text, or of three numbers from 0 to 1; opaque."""
    if isinstance(color, str):
        if re.fullmatch("#[0-9a-fA-F]{6}([fF]{2})?", color):
            return color
    elif hasattr(color, "__len__") and len(color) in (3, 4):
        parts = np.asarray(color)
        within = parts.dtype.kind in "fiu" and np.isfinite(parts).all() and parts.min() >= 0 and parts.max() <= 1
        if within and (len(parts) == 3 or parts[3] == 1):
            return "#" + "".join(f"{round(255 * float(part)):02x}" for part in parts[:3])
    raise InputError(f"palette has the color {color!r}; give '#1a2b3c' or three numbers from 0 to 1", option="palette")
