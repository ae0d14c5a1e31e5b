# SPDX-License-Identifier: Apache-2.0
"""Tracks: times, ids, coordinates."""
