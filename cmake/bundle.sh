#!/bin/sh
# bundle.sh BUILD FOLDER: the programs of a build with the shared libraries they need, as a folder that can be moved to
# another machine. The C library and CUDA are that machine's own.
set -eu

build=$1
bundle=$2
cuda_there=/usr/local/cuda/lib64

# shared_libraries PROGRAM...: those to go along
shared_libraries() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
        grep -Ev '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so|/libdunlin\.so|/libcudart\.so'
}

# copy_program FILE FOLDER: stripped, and told where its libraries are; the old kind of rpath holds for theirs too
copy_program() {
    strip -o "$2/$(basename "$1")" "$1"
    patchelf --force-rpath --set-rpath "\$ORIGIN/../lib:\$ORIGIN:$cuda_there" "$2/$(basename "$1")"
    chmod +x "$2/$(basename "$1")"
}

rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib"
for program in "$build"/dunlin "$build"/test_* "$build"/bench_*; do
    if [ -f "$program" ] && [ -x "$program" ]; then copy_program "$program" "$bundle/bin"; fi
done
copy_program "$build/libdunlin.so.0" "$bundle/lib"
for library in $(shared_libraries "$bundle"/bin/* "$build/libdunlin.so.0"); do cp -L "$library" "$bundle/lib"; done
cp -r "$(dirname "$0")/../examples" "$bundle/examples"

# Each program holds the same GPU code: a dictionary that reaches back to the one before keeps it once
tar --create --directory "$(dirname "$bundle")" "$(basename "$bundle")" | xz --threads=1 --lzma2=preset=5,dict=96MiB >"$bundle.tar.xz"
echo "bundle: $bundle.tar.xz, $(du --apparent-size --block-size=1K "$bundle.tar.xz" | cut -f 1) KiB; unpack it anywhere and run bin/dunlin"
