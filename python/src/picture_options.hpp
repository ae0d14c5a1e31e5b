// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include <dunlin/picture.hpp>

#include "options.hpp"

namespace dunlin::python {

/// Options of a picture, and colors of one's own: (label, "#1a2b3c"), without a label the next color.
inline picture::Options picture_options_from(const nb::dict& options,
                                             const std::vector<std::pair<std::string, std::string>>& colors) {
    auto chosen = options_from<picture::Options>(options);
    for (const auto& [label, color] : colors) chosen.colors.push_back({label, color});
    return chosen;
}

}  // namespace dunlin::python
