# SPDX-License-Identifier: Apache-2.0
"""Formats of graphs, read and written."""
