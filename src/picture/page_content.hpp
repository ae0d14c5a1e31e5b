// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/page.hpp>

#include "picture/formats.hpp"

namespace dunlin::picture {

/// embedded: for a file: frames are deflated, row numbers are in it for up to 2 million points, and all ids. Else as
/// the public function says.
PageContent page_content(device::Cpu& cpu, const Drawing& drawing, bool embedded, const PageExtras& extras = {},
                         const Run& run = {});

}  // namespace dunlin::picture
