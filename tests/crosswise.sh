#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/crosswise.sh OLD NEW [--device cpu|cuda] [WORD...]: two dunlin commands resume each other's checkpoints. Each method that writes
# checkpoints is killed after a third of its iterations and interrupted (Ctrl-C) after two thirds, by one command; the other goes on, and
# must end with the bytes of a whole run. A line a method (those with a WORD in their name); exit code 1 if one differs.
exec python3 "$(dirname "$0")/crosswise.py" "$@"
