// SPDX-License-Identifier: Apache-2.0
#include "sequences/pair_distances.hpp"

#include <dunlin/check.hpp>
#include <dunlin/mds.hpp>

#include "device/cancel.hpp"
#include "device/memory.hpp"
#include "mds/input/on_demand_rows.hpp"

namespace dunlin::mds {

namespace {

constexpr std::size_t rows_at_once = 64;

/// The matrix of all pairs, or null if they are computed on demand.
template <class Items>
std::shared_ptr<const sequences::ItemDistances> prepare(const Items& items, sequences::Options options, const Run& run,
                                                        Dissimilarities& all) {
    options::check(options);
    auto pairs = sequences::pair_distances(items, options);
    if (!sequences::computes_all(*pairs, options, run)) return pairs;
    Run on_cpu = run;
    on_cpu.device = Device::cpu;
    const Matrix matrix = sequences::distances(items, options, on_cpu);
    all = Dissimilarities::of_matrix(matrix, run);
    return nullptr;
}

OnDemandRows::Fill fill_by_sequences(std::shared_ptr<const sequences::ItemDistances> pairs) {
    return [pairs = std::move(pairs)](device::Cpu& cpu, std::span<const Index> items, std::span<float* const> rows) {
        sequences::fill_rows(cpu, *pairs, items, rows);
    };
}

}  // namespace

template <class Items>
Dissimilarities Dissimilarities::of_sequences(const Items& items, const sequences::Options& options, const Run& run) {
    Dissimilarities all;
    if (auto pairs = prepare(items, options, run, all)) {
        all.size_ = items.size();
        all.on_demand_ = std::make_shared<OnDemandRows>(all.size_, rows_at_once, fill_by_sequences(std::move(pairs)));
    }
    return all;
}

Dissimilarities Dissimilarities::of_strings(const sequences::Strings& items, const sequences::Options& options,
                                            const Run& run) {
    return of_sequences(items, options, run);
}

Dissimilarities Dissimilarities::of_tracks(const sequences::Tracks& items, const sequences::Options& options,
                                           const Run& run) {
    return of_sequences(items, options, run);
}

}  // namespace dunlin::mds
