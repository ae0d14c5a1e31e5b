# SPDX-License-Identifier: Apache-2.0
"""The widget of dunlin.view() and dunlin.watch(). Imports anywidget; _view.py says what is missing without it."""

import base64
import functools
import uuid

import anywidget
import numpy as np
import traitlets

from ._pages import Session, files, html_of

PICTURE = {"width": 720, "height": 480}  # of a notebook that is read without widgets


class View(anywidget.AnyWidget):
    """A map in a notebook. ``selected``: row numbers of the points that are selected in the page, ascending; it can be
    observed, as a trait."""

    _page = traitlets.Unicode().tag(sync=True)
    _key = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    selected = traitlets.Instance(np.ndarray, args=(0, np.int32), read_only=True)

    def __init__(self, shown, *, map=None, height=480, rate=8e6, picture=None):
        self._session = Session(shown, self._send_out, functools.partial(self.set_trait, "selected"), rate)
        self._picture = picture
        if map is not None:
            self._session.show(map, push=False)
        self._esm = files()["widget"]
        super().__init__(_page=html_of(), _key=uuid.uuid4().hex, height=height)
        self.on_msg(lambda _, message, buffers: self._session.take(message, buffers))

    def _send_out(self, message, buffers):
        if self.comm is not None:
            self.send(message, buffers=buffers)

    def __repr__(self):
        map = self._session.map
        return "View(no map yet)" if map is None else f"View({len(map)} points, {len(self.selected)} selected)"

    def _repr_mimebundle_(self, **given):
        """With a picture for readers of the notebook who have no widgets."""
        bundle = super()._repr_mimebundle_(**given)
        if bundle is None or self._picture is None:
            return bundle
        data, metadata = bundle
        return data | {"image/png": base64.b64encode(self._picture()).decode()}, metadata
