#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Surfaces of fields and hulls of maps, as files that another reader checks.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 >/dev/null; then
    echo "skipped: python3 is not there"
    exit 77
fi

# Arrays of three axes x, y, z: a ball of radius 0.7 in [-1, 1]^3, in all types and orders
python3 - <<'END'
import math, struct

n = 25
values = [0.7 - math.dist((0, 0, 0), (2 * i / (n - 1) - 1, 2 * j / (n - 1) - 1, 2 * k / (n - 1) - 1))
          for i in range(n) for j in range(n) for k in range(n)]
turned = [values[(i * n + j) * n + k] for k in range(n) for j in range(n) for i in range(n)]

def save(name, descr, code, numbers, shape=(n, n, n), fortran=False):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    text = (text + " " * (117 - len(text)) + "\n").encode()
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + struct.pack("<%d%s" % (len(numbers), code), *numbers))

floats = list(struct.unpack("<%df" % len(values), struct.pack("<%df" % len(values), *values)))
save("ball.npy", "<f4", "f", values)
save("double.npy", "<f8", "d", floats)
save("fortran.npy", "<f4", "f", turned, fortran=True)
save("whole.npy", "<i4", "i", [round(8 * v) for v in values])
save("bad.npy", "<f8", "d", values[:-2] + [math.nan, 0.0])
save("thin.npy", "<f4", "f", values[: 5 * 7], (5, 1, 7))
save("flat.npy", "<f4", "f", values[: 5 * 4], (5, 4))
save("four.npy", "<f4", "f", values[:16], (2, 2, 2, 2))
END

exits 0 surface ball.npy --level 0 --spacing 0.08333333333333333 --origin -1,-1,-1 -o ball.ply -o ball.glb -o ball.stl \
    --report report.json
contains out 'Euler characteristic 2'
[ "$(json report.json method)" = marching-tetrahedra ] || fail 'method in the report'
[ "$(json report.json quality euler_characteristic)" = 2 ] || fail 'Euler characteristic in the report'
[ "$(json report.json stopped)" = converged ] || fail 'stopped in the report'
for threads in 1 2; do
    exits 0 surface ball.npy --spacing 0.08333333333333333 --origin -1 --threads $threads -o again.ply --quiet
    is_empty out
    same ball.ply again.ply
done
for name in double fortran; do
    exits 0 surface $name.npy --spacing 0.08333333333333333 --origin -1 -o again.ply
    same ball.ply again.ply
done
exits 0 surface whole.npy --level 2 -o whole.ply
contains out 'Euler characteristic 2'
exits 0 surface ball.npy --level -0.5 -o capped.ply
exits 0 surface ball.npy --level -0.5 --open -o open.ply
exits 0 surface ball.npy --level 1 -o empty.ply -o empty.glb -o empty.stl
exits 0 surface ball.npy --level -9 -o whole-grid.ply --report report.json
[ "$(json report.json quality volume)" = 13824.0 ] || fail "volume of the grid: $(json report.json quality volume)"

# Hulls of a map with labels
clusters points.csv 300
exits 0 surface points.csv -o hulls.glb -o hulls.ply --cells 40 --report report.json
contains out 'near: 150 points, 90'
[ "$(json report.json method)" = metaballs ] || fail 'method in the report'
[ "$(json report.json quality hulls 1 name)" = far ] || fail "second hull: $(json report.json quality hulls 1 name)"
contains hulls.ply 'property uchar blue'
exits 0 surface points.csv -o all.ply --hulls all --radius 2 --level 0.7
printf 'x,y,z\n1,2,3\n' >one.csv
exits 0 surface one.csv -o one.ply
contains out '1 points, 100.0% inside'
printf 'x,y,z\n1,2,3\n1,2,3\n1,2,3\n' >equal.csv
exits 0 surface equal.csv -o equal.ply

python3 "$here/meshes.py" ball.ply:closed capped.ply:closed open.ply:open whole.ply:closed empty.ply:empty \
    whole-grid.ply:closed hulls.ply:closed all.ply:closed one.ply:closed equal.ply:closed \
    ball.glb:closed empty.glb:empty hulls.glb:closed ball.stl:closed empty.stl:empty || fail 'meshes'

# Refused
exits 3 surface bad.npy -o no.ply
contains err 'node (24, 24, 23) is nan'
contains err bad.npy
exits 3 surface thin.npy -o no.ply
contains err 'at least 2 nodes'
exits 3 surface four.npy -o no.ply
contains err 'three axes'
exits 2 surface flat.npy -o no.ply
contains err "dim 3"
exits 3 surface none.npy -o no.ply
exits 2 surface ball.npy -o no.obj
contains err .glb
exits 2 surface ball.npy --level nan -o no.ply
exits 2 surface ball.npy --spacing 1,2 -o no.ply
contains err --spacing
exits 2 surface ball.npy --spacing 1,0,1 -o no.ply
contains err 'along y is 0'
exits 2 surface ball.npy --radius 1 -o no.ply
contains err 'is for maps'
exits 2 surface points.csv --open -o no.ply
contains err 'is for fields'
exits 2 surface points.csv --level 0.5 --share 80 -o no.ply
contains err share
exits 2 surface ball.npy -o ball.npy
exits 2 surface
printf 'x,y\n1,2\n' >two.csv
exits 2 surface two.csv -o no.ply
contains err 'dim 3'
[ ! -e no.ply ] || fail 'a file was written after an error'

finish
