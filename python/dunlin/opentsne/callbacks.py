# SPDX-License-Identifier: Apache-2.0
"""Callbacks with openTSNE's names: ``callback(iteration, error, embedding)``; a true value ends the run."""

import time


class Callback:
    """Base class."""

    def optimization_about_to_start(self):
        """Called before a run."""

    def __call__(self, iteration, error, embedding):
        raise NotImplementedError


class ErrorLogger(Callback):
    """Prints the KL divergence and the time of the iterations since the last call."""

    def __init__(self):
        self.iter_count, self.last_log_time = 0, None

    def optimization_about_to_start(self):
        self.last_log_time, self.iter_count = time.time(), 0

    def __call__(self, iteration, error, embedding):
        now = time.time()
        took = now - (self.last_log_time or now)
        print(
            f"Iteration {iteration: 4d}, KL divergence {error: 6.4f}, {iteration - self.iter_count} iterations in "
            f"{took:.4f} sec"
        )
        self.last_log_time, self.iter_count = now, iteration
