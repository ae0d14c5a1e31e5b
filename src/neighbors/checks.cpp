// SPDX-License-Identifier: Apache-2.0
#include "neighbors/checks.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

namespace dunlin::neighbors {

void check_search(Index rows, Index k) {
    if (rows < 1) throw Error(Fault::bad_input, "points: there are no rows; a search needs at least 1");
    if (k < 1) throw Error(Fault::bad_input, fmt::format("k is {}; it must be at least 1", k), {.option = "k"});
}

void fail_for_not_finite(Index row) {
    throw Error(Fault::bad_input,
                fmt::format("points: row {} (counting from 0) holds NaN or infinity, which have "
                            "no distance to anything; drop the row or fill in the value",
                            row),
                {.row = row});
}

void fail_for_large_values(Index row, double most) {
    throw Error(Fault::bad_input,
                fmt::format("points: row {} (counting from 0) holds a value beyond +-{:g}, the limit of "
                            "the approximate search on a GPU; scale the data, or use method "
                            "exact",
                            row, most),
                {.row = row});
}

void fail_for_large_row(Index row, Metric metric) {
    throw Error(Fault::bad_input,
                fmt::format("points: row {} (counting from 0) holds values so large that {} {} may "
                            "overflow float32; scale the data",
                            row, name_of(metric), metric == Metric::inner_product ? "products" : "distances"),
                {.row = row});
}

void fail_for_exact_on_gpu(std::string_view option, Index value, Index items) {
    throw Error(Fault::bad_input,
                fmt::format("{} is {}, but the GPU searches these {} distinct rows exactly: cells need 256 of them or "
                            "more, in GPU memory; omit it, or set codes",
                            option, value, items));
}

void fail_for_long_lists(Index rerank, Index k) {
    throw Error(Fault::bad_input,
                fmt::format("rerank is {} and k is {}, but a GPU cannot rank {} candidates per point; lower one of "
                            "them, or use device cpu",
                            rerank, k, Offset{rerank} * k),
                {.option = "rerank"});
}

void require_device_memory(std::uint64_t wanted, std::uint64_t allowed, Index rows, Index k) {
    if (wanted <= allowed) return;
    throw Error(Fault::out_of_memory,
                fmt::format("the search for {} neighbors of {} rows needs {:.3f} GB of GPU memory and {:.3f} GB are "
                            "allowed; raise memory, ask for fewer neighbors, or use device cpu",
                            k, rows, static_cast<double>(wanted) * 1e-9, static_cast<double>(allowed) * 1e-9),
                {.option = "memory"});
}

}  // namespace dunlin::neighbors
