#pragma once

#include <dunlin/run.hpp>

namespace dunlin::device {

/// Settles where a public call runs: `automatic` becomes cpu or cuda. Throws Error{no_device} if CUDA is asked for
/// and cannot be had.
Device choose(const Run& run);

}  // namespace dunlin::device
