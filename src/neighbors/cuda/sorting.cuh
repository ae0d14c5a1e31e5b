// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// Sorts values[0 .. count), ascending, in shared memory; count is a power of two. All threads of the block must call
/// it. A bitonic sort: its comparisons do not depend on the values.
template <class T>
__device__ void sort_block(T* values, int count) {
    for (int run = 2; run <= count; run *= 2) {
        for (int step = run / 2; step > 0; step /= 2) {
            for (int pair = static_cast<int>(threadIdx.x); pair < count / 2; pair += static_cast<int>(blockDim.x)) {
                const int low = 2 * pair - (pair & (step - 1)), high = low + step;
                const bool ascending = (low & run) == 0;
                const T a = values[low], b = values[high];
                if ((b < a) == ascending) {
                    values[low] = b;
                    values[high] = a;
                }
            }
            __syncthreads();
        }
    }
}

/// The least power of two that is at least `count`.
__device__ inline int power_of_two(int count) { return count <= 1 ? 1 : 1 << (32 - __clz(count - 1)); }

}  // namespace dunlin::neighbors
