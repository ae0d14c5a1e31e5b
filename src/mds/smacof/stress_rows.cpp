// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/stress_rows.hpp"

namespace dunlin::mds {

std::vector<StressSums> stress_rows(device::Cpu& cpu, const Source& source, const float* y, int dim,
                                    std::span<const Index> rows) {
    std::vector<StressSums> sums(rows.size());
    for_each_tile(cpu, source, y, dim, nullptr, rows,
                  [&](std::size_t row, const stress::PairRow& pairs) { sums[row] += stress::stress_sums(pairs); });
    return sums;
}

}  // namespace dunlin::mds
