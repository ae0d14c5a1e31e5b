#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bundle.sh BUILD FOLDER: the programs of a build with the shared libraries they need, as a folder that can be moved to
# another machine. The C library and NVIDIA's driver are that machine's own.
set -eu

build=$1
bundle=$2

# shared_libraries FILE...: those to go along
shared_libraries() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
        grep -Ev '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so|/libdunlin(_cuda)?\.so'
}

# copy_program FILE FOLDER: stripped, and told where its libraries are; the old kind of rpath holds for theirs too
copy_program() {
    strip -o "$2/$(basename "$1")" "$1"
    patchelf --force-rpath --set-rpath "\$ORIGIN/../lib:\$ORIGIN" "$2/$(basename "$1")"
    chmod +x "$2/$(basename "$1")"
}

rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib"
for program in "$build"/dunlin "$build"/test_* "$build"/bench_*; do
    if [ -f "$program" ] && [ -x "$program" ]; then copy_program "$program" "$bundle/bin"; fi
done
# A backend of an older build is not this one's
if ! grep -q '^DUNLIN_CUDA:BOOL=ON' "$build/CMakeCache.txt"; then backend=; else backend=$build/libdunlin_cuda.so; fi
for library in "$build/libdunlin.so.0" $backend; do copy_program "$library" "$bundle/lib"; done
for library in $(shared_libraries "$bundle"/bin/* "$bundle"/lib/*); do cp -L "$library" "$bundle/lib"; done
cp -r "$(dirname "$0")/../examples" "$bundle/examples"

tar --create --directory "$(dirname "$bundle")" "$(basename "$bundle")" | xz --threads=1 -5 >"$bundle.tar.xz"
size() { du --apparent-size --summarize --block-size=1M "$1" | cut -f 1; }
echo "bundle: $bundle.tar.xz, $(size "$bundle.tar.xz") MiB, $(size "$bundle") unpacked; unpack it anywhere and run bin/dunlin"
