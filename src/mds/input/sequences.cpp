// SPDX-License-Identifier: Apache-2.0
#include "sequences/pair_distances.hpp"

#include <dunlin/check.hpp>
#include <dunlin/mds.hpp>

#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "mds/input/on_demand_rows.hpp"

namespace dunlin::mds {

namespace {

constexpr std::size_t rows_at_once = 64;

OnDemandRows::Fill fill_by_sequences(std::shared_ptr<const sequences::ItemDistances> pairs, Device device,
                                     const Run& run) {
    return [pairs = std::move(pairs), device, run](device::Cpu& cpu, std::span<const Index> items,
                                                   std::span<float* const> rows) {
        if (device == Device::cuda) {
            sequences::fill_rows_on_gpu(cpu, *pairs, items, rows, run);
        } else {
            sequences::fill_rows(cpu, *pairs, items, rows);
        }
    };
}

/// What the rows of later calls need of a run. Its stop and its progress are those of the calls.
Run for_rows(const Run& run) {
    Run kept;
    kept.gpus = run.gpus;
    kept.memory = run.memory;
    return kept;
}

}  // namespace

template <class Items>
Dissimilarities Dissimilarities::of_sequences(const Items& items, sequences::Options options, const Run& run) {
    options::check(options);
    std::shared_ptr<const sequences::ItemDistances> pairs = sequences::pair_distances(items, options);
    const Run own = device::on_one_gpu(run);
    const Device device = sequences::choose_device(*pairs, own);
    Dissimilarities all;
    if (sequences::computes_all(*pairs, options, device, own)) {
        device::reset_cuda_peak_memory();
        all = of_matrix(sequences::all_pairs(*pairs, device, own), run);
    } else {
        all.size_ = items.size();
        all.on_demand_ =
            std::make_shared<OnDemandRows>(all.size_, rows_at_once, fill_by_sequences(pairs, device, for_rows(own)));
    }
    if (device == Device::cuda) all.gpu_ = own.gpu();
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
