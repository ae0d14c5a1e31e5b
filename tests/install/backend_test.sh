#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The CUDA backend is a separate file: libdunlin works without it, reports why no GPU is available, and loads it only if a
# GPU could be used.
. "$(dirname "$0")/lib.sh"

readelf --dynamic "$DUNLIN_BUILD/libdunlin.so" | grep NEEDED >needed
grep -i cuda needed >cuda
is_empty cuda

# A missing file, a library that is no backend, a backend of another build: exit code 4 and a message with the file
clusters points.csv 60
refused() { # FILE SENTENCE
    DUNLIN_CUDA_LIBRARY=$1
    export DUNLIN_CUDA_LIBRARY
    exits 4 tsne points.csv --device cuda --perplexity 5
    contains err "$2"
    contains err "$1"
    exits 0 info
    contains out "cuda: "
    contains out "$2"
    exits 0 tsne points.csv --perplexity 5 --iterations 5
}
refused "$work/none.so" 'the CUDA backend cannot be loaded'
echo 'int nothing;' >empty.cpp
c++ -shared -fPIC empty.cpp -o empty.so
refused "$work/empty.so" 'is not a CUDA backend of Dunlin'
cat >other.cpp <<'END'
extern "C" const void* dunlin_cuda_table() {
    static const char* const table[] = {"0.0.1-other"};
    return table;
}
END
c++ -shared -fPIC other.cpp -o other.so
refused "$work/other.so" 'is of another version (0.0.1-other) than libdunlin'

# Without one beside libdunlin
unset DUNLIN_CUDA_LIBRARY
if [ ! -e "$DUNLIN_BUILD/libdunlin_cuda.so" ]; then
    exits 4 kmeans points.csv --clusters 2 --device cuda
    contains err 'the CUDA backend is not installed'
    contains err './dev cuda builds it'
fi

# Few points, and --device cpu, use the CPU and load nothing. More points may use a GPU.
clusters many.csv 2500
looked_for() { # ARGUMENTS...: whether the backend was loaded
    LD_DEBUG=files,libs "$DUNLIN_COMMAND" "$@" 2>&1 >out </dev/null | grep -q libdunlin_cuda
}
looked_for tsne points.csv --perplexity 5 --iterations 5 && fail 'few points: the CUDA backend was looked for'
looked_for kmeans many.csv --clusters 2 --device cpu && fail '--device cpu: the CUDA backend was looked for'
looked_for tsne many.csv --iterations 1 || fail 'many points: the CUDA backend was not looked for'

finish
