# SPDX-License-Identifier: Apache-2.0
"""A controller of threadpoolctl, so that threadpool_limits() also limits the library's threads."""

from . import _core


def register():
    try:
        import threadpoolctl
    except ImportError:
        return

    class Controller(threadpoolctl.LibController):
        user_api = internal_api = "dunlin"
        filename_prefixes = ("libdunlin",)

        def get_version(self):
            return _core.version

        def get_num_threads(self):
            return _core.usable_threads(0)

        def set_num_threads(self, num_threads):
            """A limit of as many threads as there would be without it is none, so that restoring the first number
            leaves explicit n_jobs as they were."""
            _core.set_thread_limit(0)
            _core.set_thread_limit(0 if num_threads >= _core.usable_threads(0) else num_threads)

    if hasattr(threadpoolctl, "register"):  # since 3.3
        threadpoolctl.register(Controller)
