# SPDX-License-Identifier: Apache-2.0
"""py-pde: equations as text, compiled through Numba in the first run. Its ends without flux are half a node beyond the last nodes."""

import functools

import numba
import pde
from workloads import A, DT, DX, EPSILON, GAMMA, main

print("threads", numba.get_num_threads())


# begin waves
@functools.cache
def stepper_of(n):
    equations = pde.PDE(
        {"v": f"laplace(v) + v * (1 - v) * (v - {A}) - w", "w": f"{EPSILON} * (v - {GAMMA} * w)"}, bc={"derivative": 0}
    )
    grid = pde.CartesianGrid([[0, n * DX]], n)
    state = pde.FieldCollection([pde.ScalarField(grid), pde.ScalarField(grid)])
    return state, pde.EulerSolver(equations, backend="numba").make_stepper(state, DT)


def waves(v, w, steps):
    state, stepper = stepper_of(len(v))
    state[0].data, state[1].data = v, w
    stepper(state, 0, steps * DT)
    return state[0].data, state[1].data
# end waves


main(waves=waves)
