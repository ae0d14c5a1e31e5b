# SPDX-License-Identifier: Apache-2.0
"""The backend "dunlin" of NetworkX. Of NetworkX's layouts only forceatlas2_layout can be dispatched to backends."""


class Backend:
    @staticmethod
    def convert_from_nx(graph, *args, **kwargs):
        return graph

    @staticmethod
    def convert_to_nx(obj, *args, **kwargs):
        return obj

    @staticmethod
    def forceatlas2_layout(*args, **kwargs):
        from .networkx import forceatlas2_layout

        return forceatlas2_layout(*args, **kwargs)

    @staticmethod
    def can_run(name, args, kwargs):
        return name == "forceatlas2_layout"


backend = Backend
