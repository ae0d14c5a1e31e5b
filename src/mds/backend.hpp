#pragma once

#include <dunlin/mds.hpp>

#include "mds/kernels.hpp"
#include "mds/smacof.hpp"

/// What runs on one kind of device or the other. Options are resolved and what is given is checked.
namespace dunlin::mds {

struct Task {
    const Dissimilarities& items;
    const Options& options;
    const Given& given;
    const Run& run;
};

struct Minimised {
    Map map;
    Ending ending;
    Seconds seconds;
};

/// Device memory that their copy takes, with a weight for each pair or without.
std::uint64_t bytes_on_gpu(const Dissimilarities& items, bool weighted);
/// Whether there is a GPU with that much to spare.
bool fits_on_gpu(const Dissimilarities& items, bool weighted, const Run& run);

Minimised minimise_on_cuda(const Task& task);

/// stress_rows (stress_rows.hpp) on a GPU.
std::vector<StressSums> stress_rows_on_cuda(const Dissimilarities& items, const Map& map, std::span<const Index> rows,
                                            const Run& run);

}  // namespace dunlin::mds
