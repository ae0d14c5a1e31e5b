# SPDX-License-Identifier: Apache-2.0
"""Rows, columns and vertices are matched by name."""
