// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/sparse.hpp>

#include "checkpoint/key.hpp"
#include "device/resident.hpp"

/// Hashes of points in any form.
namespace dunlin::checkpoint {

/// Dense points; resident ones are copied from run.gpu().
inline void add_points(Key& key, const device::InputPoints& points, const Run& run) {
    if (!points.is_resident()) return key.add_input("points", points.host());
    std::vector<float> copy(static_cast<std::size_t>(points.host().size()));
    device::copy_from_gpu(copy.data(), {points.resident(), points.rows(), points.cols(), run.gpu(), points.stream()});
    key.add_input("points", copy);
}
inline void add_points(Key& key, const SparseView& points, const Run&) {
    key.add_input("points' rows", points.offsets);
    key.add_input("points' columns", points.columns);
    key.add_input("points", points.values);
}

}  // namespace dunlin::checkpoint
