// SPDX-License-Identifier: Apache-2.0
#include "neighbors/search_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

namespace dunlin::neighbors {

namespace {

/// An exact search computes about rows^2 * (columns + 32) products: 1e13 take one to two minutes on two cores, 2.5e14
/// one second on a GPU.
constexpr double affordable_on_cpu = 1e13, affordable_on_gpu = 2.5e14;
constexpr Index usual_columns = 160;

bool exact_is_affordable(double rows, Index cols, Device where) {
    if (where == Device::cpu && cols <= low_dimensional_columns) return true;
    const double products = rows * rows * (std::min(cols, usual_columns) + 32);
    return products <= (where == Device::cpu ? affordable_on_cpu : affordable_on_gpu);
}

bool always_exact(Metric metric) {
    return metric == Metric::manhattan || metric == Metric::inner_product || row_of(metric).is_by_terms;
}

/// Checks that depend on the data or on two options; Options' fields define the others.
void check(const Options& options, Index cols, Device where) {
    if (options.method != Method::approximate) return;
    if (always_exact(options.metric)) {
        throw Error(Fault::bad_input,
                    fmt::format("metric {} has no approximate search; use method exact", name_of(options.metric)),
                    {.option = "metric"});
    }
    if (options.cells && where == Device::cpu && options.codes == 0) {
        throw Error(Fault::bad_input,
                    fmt::format("cells is {}, but a search on the CPU has no cells without codes; "
                                "omit it, set codes, or use a GPU",
                                *options.cells),
                    {.option = "cells"});
    }
    if (options.codes > cols) {
        throw Error(Fault::bad_input,
                    fmt::format("codes is {}; it must be from 1 to the number of columns, {}, or 0 "
                                "for none",
                                options.codes, cols),
                    {.option = "codes"});
    }
    if (options.probes && options.recall)
        throw Error(Fault::bad_input, "probes and recall are both given; give one of them", {.option = "probes"});
    if (options.probes && where == Device::cpu && options.codes == 0 && cols <= low_dimensional_columns) {
        throw Error(Fault::bad_input,
                    fmt::format("probes is {}, but on the CPU points of up to {} columns are "
                                "always searched exactly; omit it",
                                *options.probes, low_dimensional_columns),
                    {.option = "probes"});
    }
}

}  // namespace

SearchParameters resolve_parameters(Index rows, Index cols, const Options& options, Device where) {
    check(options, cols, where);
    bool exact = options.method == Method::exact;
    if (options.method == Method::automatic) {
        exact = always_exact(options.metric) || exact_is_affordable(rows, cols, where);
    }
    return {exact,         options.probes, options.recall.value_or(default_recall),
            options.cells, options.codes,  options.rerank.value_or(default_rerank)};
}

Index cell_count(Index items, const SearchParameters& parameters) {
    const auto root = static_cast<Index>(std::sqrt(static_cast<double>(items)));
    return std::min(items, parameters.cells.value_or(std::clamp(root, 1, most_cells)));
}

void require_reachable_recall(const SearchParameters& parameters, double found) {
    if (found >= parameters.recall) return;
    if (parameters.codes == 0) {
        throw Error(
            Fault::bad_input,
            fmt::format("recall {} is out of reach: all cells hold {:.4f} of the neighbors; lower recall, or use "
                        "method exact",
                        parameters.recall, found),
            {.option = "recall"});
    }
    throw Error(Fault::bad_input,
                fmt::format("recall {} is out of reach: codes of {} bytes with rerank {} find {:.4f} of "
                            "the neighbors in all cells; raise codes or rerank, or lower recall",
                            parameters.recall, parameters.codes, parameters.rerank, found));
}

}  // namespace dunlin::neighbors
