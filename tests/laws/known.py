# SPDX-License-Identifier: Apache-2.0
"""Breaches that are known and not mended: (law, entry, reason). Each fails strictly, so that a mended one must leave."""

KNOWN = []
