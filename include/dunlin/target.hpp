// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <dunlin/export.hpp>

namespace dunlin::io {

/// The file that a path leads to through symbolic links, as an absolute path, also if it is not there yet: what
/// writing replaces, and the same for all spellings of a file.
DUNLIN_API std::filesystem::path target_of(const std::filesystem::path& path);

}  // namespace dunlin::io
