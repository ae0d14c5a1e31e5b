// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace dunlin::device {

/// Folder of the file of libdunlin. Empty if the system's loader does not know it. It also has files that the library
/// loads: the CUDA backend and, in the Python wheel, a font.
std::filesystem::path own_folder();

}  // namespace dunlin::device
