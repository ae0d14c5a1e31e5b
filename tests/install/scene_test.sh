#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example scene: it compiles on the public headers, writes a valid .glb and a page, and Chromium draws the page.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 >/dev/null; then
    echo "skipped: python3 is not there"
    exit 77
fi
c++ -std=c++20 -O1 -Wall -Wextra -Wpedantic -Wconversion -Werror -I "$DUNLIN_SOURCE/include" "$DUNLIN_SOURCE/examples/scene/main.cpp" \
    -L "$DUNLIN_BUILD" -ldunlin "-Wl,-rpath,$DUNLIN_BUILD" -o scene || {
    fail 'the example does not compile'
    finish
}
for rule in uniform fractional; do
    ./scene "$digits" $rule 4 >out || fail "scene $rule: $(cat out)"
    contains out 'wrote scene.html'
    python3 "$here/meshes.py" scene.glb:any || fail "scene.glb of $rule"
    cp scene.glb $rule.glb
done
./scene "$digits" fractional 4 >out && same scene.glb fractional.glb
cmp -s uniform.glb fractional.glb && fail 'both rules give one terrain'
./scene "$digits" steep >out 2>err && fail 'an unknown rule was taken'
for part in 'band 0' 'band 7' water wood leaves smoke 'butterflies 2'; do contains scene.html "\"$part\""; done

browser=
for program in chromium-headless-shell chromium; do
    [ -n "$browser" ] || browser=$(command -v $program) || browser=
done
if [ -z "$browser" ]; then
    echo "without a picture: chromium-headless-shell is not there; ./dev browser packages installs it"
    finish
fi
timeout 120 "$browser" --headless --no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader \
    --window-size=800,500 --virtual-time-budget=3000 --screenshot=scene.png "file://$PWD/scene.html" >browser 2>&1
[ -s scene.png ] || {
    fail "no screenshot: $(tail -n 5 browser)"
    finish
}
# Sky, grass, sand, water and smoke are where they belong: shares of the pixels
python3 - <<'END' || fail 'the picture lacks a part of the scene'
import struct, sys, zlib

data = open("scene.png", "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
channels = {2: 3, 6: 4}[kind]
at, packed = 8, b""
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
    rows.append(line)
    before = line
pixels = [tuple(row[i : i + 3]) for row in rows for i in range(0, stride, channels)]
share = lambda test: sum(map(test, pixels)) / len(pixels)
found = {
    "sky": share(lambda p: abs(p[0] - 186) < 4 and abs(p[1] - 212) < 4 and abs(p[2] - 232) < 4),
    "grass": share(lambda p: p[1] > p[0] + 8 and p[1] > p[2] + 15),
    "water": share(lambda p: p[2] > p[0] + 30 and p[2] < 160),
    "smoke": share(lambda p: min(p) > 225),
}
print(found)
sys.exit(not (found["sky"] > 0.2 and found["grass"] > 0.03 and found["water"] > 0.03 and found["smoke"] > 0.001))
END
finish
