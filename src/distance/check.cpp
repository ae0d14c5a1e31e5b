// SPDX-License-Identifier: Apache-2.0
#include "distance/check.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

namespace dunlin::distance {

void require_distance(neighbors::Metric metric, std::string_view what) {
    if (metric != neighbors::Metric::inner_product) return;
    throw Error(Fault::bad_input,
                fmt::format("metric inner-product says how alike points are, not how far apart, and "
                            "{} needs distances; use cosine, or euclidean",
                            what),
                {.option = "metric"});
}

}  // namespace dunlin::distance
