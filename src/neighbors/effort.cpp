#include "neighbors/effort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

namespace dunlin::neighbors {

namespace {

/// An exact search costs about rows^2 * (columns + 32) products. On two cores 1e13 take a minute or two, on a GPU
/// 2.5e14 a second.
constexpr double affordable_on_cpu = 1e13, affordable_on_gpu = 2.5e14;
constexpr Index usual_columns = 160;

bool exact_is_affordable(double rows, Index cols, Device where) {
    if (where == Device::cpu && cols <= 4) return true;
    const double products = rows * rows * (std::min(cols, usual_columns) + 32);
    return products <= (where == Device::cpu ? affordable_on_cpu : affordable_on_gpu);
}

void refuse(const char* option, double value) {
    throw Error(Fault::bad_input, fmt::format("{} is {}, but only the approximate search looks at it; ask for method "
                                              "approximate or leave it out",
                                              option, value));
}

bool always_exact(Metric metric) { return metric == Metric::manhattan || metric == Metric::inner_product; }

void check_codes(const Options& options, Index cols) {
    if (options.codes < 0 || options.codes > cols) {
        throw Error(Fault::bad_input, fmt::format("codes is {}; it must be from 1 to the number of columns, {}, or 0 "
                                                  "for none",
                                                  options.codes, cols));
    }
    if (!options.rerank) return;
    if (options.codes == 0) {
        throw Error(Fault::bad_input, fmt::format("rerank is {}, but only a search by codes looks at it; ask for codes "
                                                  "or leave it out",
                                                  *options.rerank));
    }
    if (*options.rerank < 1) {
        throw Error(Fault::bad_input, fmt::format("rerank is {}; it must be at least 1", *options.rerank));
    }
}

void check(const Options& options, Index cols, Device where) {
    if (options.recall && options.method != Method::exact && !(*options.recall > 0 && *options.recall <= 1)) {
        throw Error(Fault::bad_input, fmt::format("recall is {}; it must be above 0 and at most 1", *options.recall));
    }
    if (options.method == Method::approximate) {
        if (always_exact(options.metric)) {
            throw Error(Fault::bad_input,
                        fmt::format("metric {} has no approximate search; use method exact", name_of(options.metric)));
        }
        if (options.probes && *options.probes < 1) {
            throw Error(Fault::bad_input, fmt::format("probes is {}; it must be at least 1", *options.probes));
        }
        if (options.cells && !(*options.cells >= 1 && *options.cells <= most_cells)) {
            throw Error(Fault::bad_input,
                        fmt::format("cells is {}; it must be from 1 to {}", *options.cells, most_cells));
        }
        if (options.cells && where == Device::cpu && options.codes == 0) {
            throw Error(Fault::bad_input, fmt::format("cells is {}, but the search on the CPU cuts no cells without "
                                                      "codes; leave it out, ask for codes, or use a GPU",
                                                      *options.cells));
        }
        check_codes(options, cols);
        if (options.probes && options.recall) {
            throw Error(Fault::bad_input, "probes and recall are both given; one of them says how far to look");
        }
        return;
    }
    if (options.probes) refuse("probes", *options.probes);
    if (options.recall && options.method == Method::exact) refuse("recall", *options.recall);
    if (options.cells) refuse("cells", *options.cells);
    if (options.codes != 0) refuse("codes", options.codes);
    if (options.rerank) refuse("rerank", *options.rerank);
}

}  // namespace

Effort effort_for(Index rows, Index cols, const Options& options, Device where) {
    check(options, cols, where);
    bool exact = options.method == Method::exact;
    if (options.method == Method::automatic) {
        exact = always_exact(options.metric) || exact_is_affordable(rows, cols, where);
    }
    return {exact,         options.probes, options.recall.value_or(default_recall),
            options.cells, options.codes,  options.rerank.value_or(default_rerank)};
}

Index cells_for(Index items, const Effort& effort) {
    const auto root = static_cast<Index>(std::sqrt(static_cast<double>(items)));
    return std::min(items, effort.cells.value_or(std::clamp(root, 1, most_cells)));
}

void require_reach(const Effort& effort, double found) {
    if (found >= effort.recall) return;
    throw Error(Fault::bad_input,
                fmt::format("recall {} is out of reach: codes of {} bytes with rerank {} find {:.4f} of "
                            "the neighbours in all cells; raise codes or rerank, or ask for less",
                            effort.recall, effort.codes, effort.rerank, found));
}

}  // namespace dunlin::neighbors
