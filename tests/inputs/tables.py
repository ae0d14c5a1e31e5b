# SPDX-License-Identifier: Apache-2.0
"""Tables: columns, headers, texts."""
