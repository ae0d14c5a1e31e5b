#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# licenses.sh BUILD VENV FOLDER: writes into FOLDER the licence text of every library that the wheel holds: the file
# `copyright` of the Debian package of each file that libdunlin links (BUILD/wheel/static.txt, the shared libraries that
# the system need not have, the font), and nanobind's of VENV.
set -eu
build=$1 venv=$2 folder=$3

# Shared libraries that auditwheel adds: those that not every Linux has (manylinux)
shared() {
    LD_LIBRARY_PATH=$build/wheel ldd "$build/dunlin" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
        grep -Ev '/(libc|libm|libdl|librt|libpthread|libz|libgcc_s|libstdc\+\+|libdunlin)\.so'
}

find "$folder" -name '*.txt' -delete
for file in $(cat "$build/wheel/static.txt") $(shared) /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf; do
    owner=$(dpkg-query --search "$(realpath "$file")" 2>/dev/null || dpkg-query --search "$file") || {
        echo "licenses.sh: no Debian package has $file" >&2
        exit 1
    }
    package=${owner%%:*}
    cp "/usr/share/doc/$package/copyright" "$folder/$package.txt"
done
for text in "$venv"/lib/python3*/site-packages/nanobind-*.dist-info/licenses/LICENSE; do
    [ -f "$text" ] || { echo "licenses.sh: nanobind's licence is not in $venv" >&2; exit 1; }
    cp "$text" "$folder/nanobind.txt"
done
