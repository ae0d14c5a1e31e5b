#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/compat/write.sh DUNLIN PYTHON FOLDER: what a release writes, into FOLDER, which is to be kept; README.md says more. DUNLIN is its
# command; PYTHON finds its package, scikit-learn, and the same libdunlin.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dunlin=$(realpath "${1:?which dunlin?}")
python=${2:?which Python?}
mkdir -p "${3:?which folder?}"
folder=$(realpath "$3")
export PYTHONDONTWRITEBYTECODE=1
python3 "$here/write_files.py" "$dunlin" "$folder"
"$python" "$here/pickled.py" "$folder"
ls -l "$folder"
