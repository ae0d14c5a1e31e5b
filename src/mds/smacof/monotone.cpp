// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/monotone.hpp"

#include <vector>

#include "progress/cancel.hpp"

namespace dunlin::mds {

void make_monotone(std::span<double> values, std::span<const double> weights) {
    struct Pool {
        double sum, weight;
        std::size_t end;
        [[nodiscard]] double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (k % 65536 == 0) progress::cancellation_point();
        const double w = weights.empty() ? 1.0 : weights[k];
        Pool pool{w * values[k], w, k + 1};
        for (; !pools.empty() && pools.back().mean() >= pool.mean(); pools.pop_back()) {
            pool.sum += pools.back().sum;
            pool.weight += pools.back().weight;
        }
        pools.push_back(pool);
    }
    std::size_t begin = 0;
    for (std::size_t p = 0; p < pools.size(); ++p) {
        const Pool& pool = pools[p];
        if (p % 65536 == 0) progress::cancellation_point();
        for (; begin < pool.end; ++begin) values[begin] = pool.mean();
    }
}

}  // namespace dunlin::mds
