#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bundle.sh BUILD FOLDER: the programs of a build with the shared libraries they need, as a folder that can be moved to
# another machine, which provides the C library and NVIDIA's driver.
set -eu

build=$1
bundle=$2

# shared_libraries FILE...: shared libraries to include
shared_libraries() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
        grep -Ev '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so|/libdunlin(_cuda)?\.so'
}

# copy_program FILE FOLDER: strips it and sets its DT_RPATH, which also applies to the libraries' dependencies
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
# Excludes the backend of an older build
if ! grep -q '^DUNLIN_CUDA:BOOL=ON' "$build/CMakeCache.txt"; then backend=; else backend=$build/libdunlin_cuda.so; fi
for library in "$build/libdunlin.so.0" $backend; do copy_program "$library" "$bundle/lib"; done
for library in $(shared_libraries "$bundle"/bin/* "$bundle"/lib/*); do cp -L "$library" "$bundle/lib"; done
cp -r "$(dirname "$0")/../examples" "$bundle/examples"

tar --create --directory "$(dirname "$bundle")" "$(basename "$bundle")" | xz --threads=1 -5 >"$bundle.tar.xz"
size() { du --apparent-size --summarize --block-size=1M "$1" | cut -f 1; }
echo "bundle: $bundle.tar.xz, $(size "$bundle.tar.xz") MiB, $(size "$bundle") unpacked; unpack it anywhere and run bin/dunlin"
