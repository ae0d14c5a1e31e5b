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

struct Placed {
    Map map;
    Ending ending;
    Seconds seconds;
};

/// Device memory that their copy takes, with a weight for each pair or without.
std::uint64_t bytes_on_gpu(const Dissimilarities& items, bool weighted);
/// What a method holds beside them: partners of springs, and by whom they are found; dissimilarities to landmarks.
std::uint64_t bytes_of_method(const Options& options, Index n);
/// Whether there is a GPU with that much to spare, and so many bytes more.
bool fits_on_gpu(const Dissimilarities& items, bool weighted, std::uint64_t more, const Run& run);

/// All methods (place_on.hpp), metric, nobody fixed.
Placed place_on_cuda(const Task& task);

/// stress_rows (stress_rows.hpp) on a GPU.
std::vector<StressSums> stress_rows_on_cuda(const Dissimilarities& items, const Map& map, std::span<const Index> rows,
                                            const Run& run);

}  // namespace dunlin::mds
