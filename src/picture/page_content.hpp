// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <dunlin/page.hpp>

#include "picture/formats.hpp"

namespace dunlin::picture {

/// A random one of every k points from the first on: the last one may be missing, so that all are equally probable.
std::vector<Index> random_rows(Index n, Index one_in);

/// A continuous legend as JSON: its name, colors from low to high, ticks with their places from 0 to 1, and the color
/// of missing values, if there are some.
nlohmann::json facts_of(const ColorScale& scale, bool has_none);
/// Ticks of a range, with their places from 0 (low) to 1.
nlohmann::json ticks_from(double low, double high);

/// embedded: for a file: frames are deflated, row numbers are in it for up to 2 million points, and all ids. Else as
/// the public function says.
PageContent page_content(device::Cpu& cpu, const Drawing& drawing, bool embedded, const PageExtras& extras = {},
                         const Run& run = {});

}  // namespace dunlin::picture
