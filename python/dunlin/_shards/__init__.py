# SPDX-License-Identifier: Apache-2.0
"""Chunks of rows, who answers for them, and the run of an iteration over them. dunlin.dask is the engine that uses it."""
