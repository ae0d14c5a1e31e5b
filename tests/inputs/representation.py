# SPDX-License-Identifier: Apache-2.0
"""Distances, given neighbors, the representation of a map."""
