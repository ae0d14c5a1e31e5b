# SPDX-License-Identifier: Apache-2.0
"""Annotated matrices (.h5ad) and writers of them."""
