// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "picture/formats.hpp"

namespace dunlin::picture {

/// What a page shows: facts in JSON, and frames (picture/frames.hpp).
struct PageContent {
    std::string facts;
    std::vector<std::string> frames;
    std::vector<Index> rows;  ///< rows[p]: the point at place p of the frames
};

/// embedded: for a file, which must hold all: frames are deflated, and there are frames of row numbers (up to 2 million
/// points) and ids. Else the server answers for them.
PageContent page_content(device::Cpu& cpu, const Drawing& drawing, bool embedded);

}  // namespace dunlin::picture
