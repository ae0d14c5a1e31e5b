# SPDX-License-Identifier: Apache-2.0
"""Chunks of rows, their assignment to workers, and the run of an iteration over them. dunlin.dask is the engine that uses it."""
