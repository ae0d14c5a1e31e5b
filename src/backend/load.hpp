// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/table.hpp"

namespace dunlin::backend {

/// libdunlin_cuda's table, or null; loads it the first time: the file that the environment variable DUNLIN_CUDA_LIBRARY
/// names, or else libdunlin_cuda.so beside libdunlin, or else where the system's loader finds it. No GPU is touched.
const Table* load();

/// The same, without loading it: null until load() has found it.
const Table* loaded();

/// Why load() returns null: the end of a sentence.
const std::string& why_not_loaded();

}  // namespace dunlin::backend
