// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "io/fail.hpp"

namespace dunlin::io {

/// Throws Error{bad_file} for a path with a NUL byte, at which the operating system would cut it. Paths from Python may
/// have one.
inline void require_whole(const std::filesystem::path& path) {
    if (path.native().find('\0') != std::string::npos)
        bad_file("'{}' is no path: it has a NUL byte; leave that out", shown(path.native(), 200));
}

}  // namespace dunlin::io
