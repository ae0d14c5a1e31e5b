// SPDX-License-Identifier: Apache-2.0
#include <dunlin/sequences.hpp>

#include <fmt/format.h>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "sequences/pair_distances.hpp"

namespace dunlin::sequences {

namespace {

template <class Items>
double between_any(const Items& items, Index i, Index j, Options options) {
    options::check(options);
    const Index n = items.size();
    if (i < 0 || j < 0 || i >= n || j >= n)
        throw Error(Fault::bad_input, fmt::format("items {} and {} are asked for, and there are {}", i, j, n));
    const auto pairs = pair_distances(items, options);
    float distance = 0;
    pairs->tile(*pairs->workspace(), {&i, 1}, {&j, 1}, &distance);
    return static_cast<double>(distance);
}

template <class Items>
Matrix distances_any(const Items& items, Options options, const Run& run) {
    options::check(options);
    device::check(run, device::several_gpus);
    const auto pairs = pair_distances(items, options);
    const Run own = device::on_one_gpu(run);
    return all_pairs(*pairs, choose_device(*pairs, own), own);
}

}  // namespace

double between(const Strings& items, Index i, Index j, const Options& options) {
    return between_any(items, i, j, options);
}
double between(const Tracks& items, Index i, Index j, const Options& options) {
    return between_any(items, i, j, options);
}

Matrix distances(const Strings& items, const Options& options, const Run& run) {
    return distances_any(items, options, run);
}
Matrix distances(const Tracks& items, const Options& options, const Run& run) {
    return distances_any(items, options, run);
}

}  // namespace dunlin::sequences
