# SPDX-License-Identifier: Apache-2.0
"""Habits of Python: results, patches, adapters."""
