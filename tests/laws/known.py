# SPDX-License-Identifier: Apache-2.0
"""Breaches that are known and not mended: (test, cases, reason). Each case must fail, so that a mended one has to leave."""

KNOWN = [
    # Statistics
    ("test_strengths_have_an_effect", ("stress",), "strengths are not read, which a line says"),
]
