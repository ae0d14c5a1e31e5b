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

void require_dense(neighbors::Metric metric) {
    if (!row_of(metric).is_by_terms) return;
    throw Error(Fault::bad_input,
                fmt::format("metric {} needs dense rows, and these are sparse; make them dense, or use cosine, "
                            "euclidean or manhattan",
                            name_of(metric)),
                {.option = "metric"});
}

void require_kernels(neighbors::Metric metric, std::string_view what) {
    if (!row_of(metric).is_by_terms) return;
    throw Error(Fault::bad_input,
                fmt::format("metric {} is one of those that {} do not have; use euclidean, manhattan, cosine or "
                            "correlation",
                            name_of(metric), what),
                {.option = "metric"});
}

}  // namespace dunlin::distance
