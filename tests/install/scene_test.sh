#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example scene: it builds on an installed Dunlin; the same seed gives the same bytes for any number of threads; the
# .glb is valid, the page fetches nothing, and Chromium draws it.
. "$(dirname "$0")/lib.sh"

for program in python3 ninja; do
    command -v $program >/dev/null && continue
    echo "skipped: $program is not there"
    exit 77
done
cmake --install "$DUNLIN_BUILD" --prefix "$work/prefix" >log 2>&1 || fail "install: $(tail -n 5 log)"
CXXFLAGS='-O1 -Wall -Wextra -Wpedantic -Wconversion -Werror' cmake -S "$DUNLIN_SOURCE/examples/scene" -B build -G Ninja \
    -D CMAKE_PREFIX_PATH="$work/prefix" >log 2>&1 || fail "configure: $(tail -n 20 log)"
cmake --build build >log 2>&1 || {
    fail "build: $(tail -n 20 log)"
    finish
}
export LD_LIBRARY_PATH="$work/prefix/lib"
for threads in 1 3 4; do
    mkdir -p $threads
    (cd $threads && ../build/scene 4 shore $threads small >out 2>&1) || fail "scene: $(cat $threads/out)"
    for file in scene.png scene.glb scene.html; do same 1/$file $threads/$file; done
done
contains 1/out 'cells visited'
is_png 1/scene.png
(cd 3 && ../build/scene 5 cabin 0 small >out 2>&1) || fail "another seed: $(cat 3/out)"
for file in scene.png scene.glb scene.html; do cmp -s 1/$file 3/$file && fail "seeds 4 and 5 give one $file"; done
./build/scene 4 cellar 1 small >out 2>err && fail 'an unknown view was taken'
contains err 'there is no view cellar'
mv 1/scene.* .
python3 "$here/meshes.py" scene.glb:any || fail 'scene.glb'
python3 - <<'END' || fail 'parts of scene.glb, or what the page fetches'
import json, re, struct

data = open("scene.glb", "rb").read()
gltf = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
names = [mesh["name"] for mesh in gltf["meshes"]]
for name in ("terrain band 0", "terrain band 7", "cottonwood 0 leaves", "cabin shingles", "water surface", "smoke smoke"):
    assert name in names, (name, names)
assert sum(name.endswith("field") for name in names) > 1, "butterflies of several kinds"
page = open("scene.html").read()
fetching = r"https?:|//[a-z]+\.|\bsrc\s*=|\bhref\s*=|@import|\bfetch\(|XMLHttp|WebSocket|\burl\("
assert not re.search(fetching, re.sub(r'block = "[^"]*"', "", page)), re.search(fetching, page)
END

browser=
for program in chromium-headless-shell chromium; do
    [ -n "$browser" ] || browser=$(command -v $program) || browser=
done
if [ -z "$browser" ]; then
    echo "without a picture: chromium-headless-shell is not there; ./dev browser packages installs it"
    finish
fi
EGL_PLATFORM=surfaceless timeout 300 "$browser" --headless --no-sandbox --use-gl=angle --use-angle=gl-egl --ignore-gpu-blocklist \
    --enable-gpu --disable-gpu-watchdog --window-size=320,180 --hide-scrollbars --timeout=60000 --enable-logging=stderr \
    --screenshot=page.png "file://$PWD/scene.html#shore" >browser 2>&1
grep -E 'CONSOLE.*(rror|WARN)' browser && fail 'errors in the page'
[ -s page.png ] || {
    fail "no screenshot: $(tail -n 5 browser)"
    finish
}
# The page and the still, which other programs draw, show the same scene: means of squares of 20 pixels
python3 - <<'END' || fail 'the page and the still differ'
import struct, sys, zlib


def read(name):
    data = open(name, "rb").read()
    width, height, _, kind = struct.unpack(">IIBB", data[16:26])
    channels, at, packed = {2: 3, 6: 4}[kind], 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + size] if name == b"IDAT" else b""
        at += 12 + size
    raw, stride, before, rows = zlib.decompress(packed), width * channels, bytearray(width * channels), []
    for y in range(height):
        filter, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - channels] if i >= channels else 0
            b, c = before[i], before[i - channels] if i >= channels else 0
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, near)[filter]) % 256
        rows.append([line[i : i + 3] for i in range(0, stride, channels)])
        before = line
    assert (width, height) == (320, 180)
    return rows


def means(rows):
    square = lambda x, y, c: sum(rows[20 * y + j][20 * x + i][c] for i in range(20) for j in range(20)) / 400
    return [square(x, y, c) for y in range(9) for x in range(16) for c in range(3)]


still, page = means(read("scene.png")), means(read("page.png"))
apart = [abs(a - b) for a, b in zip(still, page)]
print("mean difference", sum(apart) / len(apart), "largest", max(apart), "range", max(page) - min(page))
sys.exit(not (sum(apart) / len(apart) < 20 and max(page) - min(page) > 90))
END
finish
