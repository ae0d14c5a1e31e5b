// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

#include "mds/input/pair_reads.hpp"

namespace dunlin::mds {

/// place() of on-demand dissimilarities. dunlin, landmark and pivot request the rows of some items; other methods, and
/// dunlin with at least as many landmarks as items, request all rows. The budget limits the number of landmarks. If the
/// run is cancelled during the requests, the map is that of the known rows.
Result place_on_demand(const Dissimilarities& items, const Options& options, const Run& run, const Given& given);

/// The device that it takes. options: resolved.
Device device_on_demand(const Dissimilarities& items, const Options& options, const Run& run);

/// place() of <dunlin/mds.hpp> as a part of another call, whose session (checkpoint/session.hpp) its loops belong to.
/// reads: counts what a CPU reads of a matrix; null: not counted.
Result place_part(const Dissimilarities& items, const Options& options, const Run& run, const Given& given = {},
                  PairReads* reads = nullptr);

/// place() of a graph with several components: each component separately, then packed (arrange::pack).
Result place_components(const Dissimilarities& items, const Options& options, const Run& run, const Given& given);

}  // namespace dunlin::mds
