// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/page.hpp>

#include "picture/formats.hpp"

namespace dunlin::picture {

/// A random one of every k points from the first on: the last one may be missing, so that all are equally probable.
std::vector<Index> random_rows(Index n, Index one_in);

/// embedded: for a file: frames are deflated, row numbers are in it for up to 2 million points, and all ids. Else as
/// the public function says.
PageContent page_content(device::Cpu& cpu, const Drawing& drawing, bool embedded, const PageExtras& extras = {},
                         const Run& run = {});

}  // namespace dunlin::picture
