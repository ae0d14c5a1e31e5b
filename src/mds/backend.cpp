// SPDX-License-Identifier: Apache-2.0
#include "mds/backend.hpp"

#include <algorithm>

#include "device/gpus.hpp"
#include "mds/smacof/disparities.hpp"
#include "mds/smacof/fixed.hpp"

namespace dunlin::mds {

std::uint64_t bytes_on_gpu(const Dissimilarities& items, bool weighted) {
    const auto rows = static_cast<std::uint64_t>(items.size()),
               cols = static_cast<std::uint64_t>(items.values().cols());
    // Two copies while rows are padded to a multiple of 4, or while the column that marks zero rows is added
    const bool unit_rows =
        items.metric() == neighbors::Metric::cosine || items.metric() == neighbors::Metric::correlation;
    const std::uint64_t copies = cols % 4 == 0 && !unit_rows ? 1 : 2;
    const std::uint64_t weights = weighted ? (rows % 4 == 0 ? 1 : 2) * (rows + 4) : 0;
    return rows * ((copies * (cols + 4) + weights) * sizeof(float) + 256);
}

std::uint64_t bytes_of_method(const Options& o, Index n, const Given& given) {
    const auto slots = static_cast<std::uint64_t>(o.near.value_or(0) + o.random.value_or(0));
    const bool symmetric = o.method == Method::stochastic || o.method == Method::hybrid;
    const std::uint64_t of_slot =
        sizeof(Index) + sizeof(float) + (symmetric ? 2 * (sizeof(Index) + sizeof(Offset)) : 0);
    const auto rows = static_cast<std::uint64_t>(n), landmarks = static_cast<std::uint64_t>(o.landmarks.value_or(0));
    const std::uint64_t fits = o.starts.value_or(1) > 1 ? 5 : 1;  // concurrent fits of disparities, one per start
    const std::uint64_t disparities =
        o.transform == Transform::ratio ? 0 : fits * Disparities<device::Cpu>::bytes_for(n);
    const std::uint64_t sampled_terms = given.fixed == nullptr ? 0 : rows * pairs_per_step * sizeof(SampledTerm);
    return rows * slots * of_slot + (rows + landmarks) * landmarks * sizeof(float) + disparities + sampled_terms;
}

std::uint64_t bytes_of_rows(const Options& o, Index n) {
    const auto items = static_cast<std::uint64_t>(n), landmarks = static_cast<std::uint64_t>(*o.landmarks);
    return sizeof(float) * landmarks * (2 * items + 3 * landmarks) +
           items * (static_cast<std::uint64_t>(o.dim) * 64 + 64);
}

bool fits_on_gpu(std::uint64_t bytes, const Run& run) {
    if (run.gpu() >= device::cuda_devices()) return false;
    const std::uint64_t there = device::cuda_free_memory(run.gpu());
    return bytes <= (run.memory > 0 ? std::min(there, run.memory) : there) / 10 * 9;
}

}  // namespace dunlin::mds
