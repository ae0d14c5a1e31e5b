// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/table.hpp"

namespace dunlin::backend {

/// The table of libdunlin_cuda, or null. The first call loads the library: the file named by the environment variable
/// DUNLIN_CUDA_LIBRARY, else libdunlin_cuda.so in libdunlin's folder, else the one that the system's loader finds. Does
/// not touch a GPU.
const Table* load();

/// The table if load() has loaded it, else null.
const Table* loaded();

/// Why load() returns null, as a clause of a sentence.
const std::string& why_not_loaded();

}  // namespace dunlin::backend
