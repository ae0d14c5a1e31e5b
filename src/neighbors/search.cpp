#include <dunlin/error.hpp>
#include <dunlin/neighbors.hpp>

#include "device/choose.hpp"
#include "neighbors/rows.hpp"

namespace dunlin::neighbors {

namespace {

void check(const Options& options) {
    if (options.method == Method::approximate) return;
    if (options.lists)
        throw Error(Fault::bad_input, "lists belong to the approximate search; leave them out or ask for it");
    if (options.probes)
        throw Error(Fault::bad_input, "probes belong to the approximate search; leave them out or ask for it");
}

}  // namespace

Result search(MatrixView<const float> points, const Options& options, const Run& run) {
    device::choose(run);
    check(options);
    if (options.method == Method::approximate) {
        throw Error(Fault::bad_input, "method approximate is not there yet; use exact");
    }
    device::Cpu cpu(run);
    return {.graph = search_all(cpu, points, options.k, options.metric, run)};
}

}  // namespace dunlin::neighbors
