#include "neighbors/effort.hpp"

#include <fmt/format.h>

#include <algorithm>

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

void check(const Options& options) {
    if (options.method == Method::approximate) {
        if (options.metric == Metric::manhattan) {
            throw Error(Fault::bad_input, "metric manhattan has no approximate search; use method exact");
        }
        if (options.probes && *options.probes < 1) {
            throw Error(Fault::bad_input, fmt::format("probes is {}; it must be at least 1", *options.probes));
        }
        if (options.recall && !(*options.recall > 0 && *options.recall <= 1)) {
            throw Error(Fault::bad_input,
                        fmt::format("recall is {}; it must be above 0 and at most 1", *options.recall));
        }
        if (options.probes && options.recall) {
            throw Error(Fault::bad_input, "probes and recall are both given; one of them says how far to look");
        }
        return;
    }
    if (options.probes) refuse("probes", *options.probes);
    if (options.recall) refuse("recall", *options.recall);
}

}  // namespace

Effort effort_for(Index rows, Index cols, const Options& options, Device where) {
    check(options);
    bool exact = options.method == Method::exact;
    if (options.method == Method::automatic) {
        exact = options.metric == Metric::manhattan || exact_is_affordable(rows, cols, where);
    }
    return {exact, options.probes, options.recall.value_or(default_recall)};
}

}  // namespace dunlin::neighbors
