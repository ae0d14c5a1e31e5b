// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/pacmap.hpp>
#include <dunlin/scores.hpp>

#include "descent/result.hpp"
#include "device/resident.hpp"
#include "pacmap/pairs.hpp"

/// The functions that differ by kind of device. Options are resolved, and the other inputs are checked.
namespace dunlin::pacmap {

using descent::Descent;

inline void set_cost(Result& result, scores::Score loss) { result.loss = loss.value, result.loss_se = loss.se; }

/// Descent from `start`, which has as many points as both graphs. given.fixed stay. The cost is the loss.
Descent descend_on_cpu(Pairs<Graph> pairs, const Map& start, const Given& given, const Options& options,
                       const Run& run);
Descent descend_on_cuda(const Pairs<Graph>& pairs, const Map& start, const Given& given, const Options& options,
                        const Run& run);

/// All stages on a GPU, from points. options.search becomes the search method that ran. The caller sets the fields of
/// the result that are common to all devices.
Result embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run);

/// Implementations in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(pacmap::descend_on_cuda) descend_on_cuda;
decltype(pacmap::embed_on_cuda) embed_on_cuda;
}  // namespace backend

}  // namespace dunlin::pacmap
