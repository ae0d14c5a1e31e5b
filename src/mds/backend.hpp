// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

#include "mds/smacof/smacof.hpp"
#include "stress/terms.hpp"

/// What runs on one kind of device or the other. Options are resolved and what is given is checked.
namespace dunlin::mds {

struct Task {
    const Dissimilarities& items;
    const Options& options;
    const Given& given;
    const Run& run;
    bool bounded = false;  ///< whether the map must not be worse than classical scaling
};

/// Dissimilarities that are fed, of which a method asks for some rows.
struct Fed {
    device::Cpu& cpu;  ///< on which they are computed
    const Source& source;
    const Feed& feed;
    const Options& options;
    std::optional<double> tolerance;  ///< as the caller gave it
    const Run& run;
};

struct Placed {
    Map map;
    Ending ending;
    Seconds seconds;
    Starts starts = {};
};

/// Device memory that their copy takes, with a weight for each pair or without.
std::uint64_t bytes_on_gpu(const Dissimilarities& items, bool weighted);
/// What a method holds beside them: partners of springs, and by whom they are found; dissimilarities to landmarks;
/// disparities; what new points look at.
std::uint64_t bytes_of_method(const Options& options, Index n, const Given& given);
/// What a method holds that looks at rows of landmarks alone, on either device.
std::uint64_t bytes_of_rows(const Options& options, Index n);
/// Whether there is a GPU with so much to spare.
bool fits_on_gpu(std::uint64_t bytes, const Run& run);

/// place_on (place_on.hpp) on a GPU.
Placed place_on_cuda(const Task& task);

/// place_some (fed_some.hpp) on a GPU.
Placed place_some_on_cuda(const Fed& fed);

/// stress1_after (nonmetric.hpp) on a GPU.
double transformed_stress1_on_cuda(const Dissimilarities& items, const Map& map, Transform transform,
                                   const Matrix* weights, const Run& run);

/// stress_rows (stress_rows.hpp) on a GPU.
std::vector<stress::StressSums> stress_rows_on_cuda(const Dissimilarities& items, const Map& map,
                                                    std::span<const Index> rows, const Run& run);

/// libdunlin_cuda's own functions, which those above call (backend/table.hpp).
namespace backend {
decltype(mds::place_on_cuda) place_on_cuda;
decltype(mds::place_some_on_cuda) place_some_on_cuda;
decltype(mds::transformed_stress1_on_cuda) transformed_stress1_on_cuda;
decltype(mds::stress_rows_on_cuda) stress_rows_on_cuda;
}  // namespace backend

}  // namespace dunlin::mds
