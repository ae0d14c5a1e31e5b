// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace dunlin::device {

/// Folder of libdunlin's file; empty if the system's loader does not know it. What belongs to the library and is no
/// part of it lies there: the CUDA backend, and in the Python wheel a font.
std::filesystem::path own_folder();

}  // namespace dunlin::device
