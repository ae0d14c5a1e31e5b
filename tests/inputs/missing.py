# SPDX-License-Identifier: Apache-2.0
"""Missing labels and values."""
