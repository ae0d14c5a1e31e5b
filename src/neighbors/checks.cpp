// SPDX-License-Identifier: Apache-2.0
#include "neighbors/checks.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include <dunlin/error.hpp>

namespace dunlin::neighbors {

namespace {

std::string place_of(Index row, RowKind kind) {
    return fmt::format("{} {} (counting from 0)", kind == RowKind::point ? "points: row" : "query row", row);
}

}  // namespace

void check_search(Index rows, Index k) {
    if (rows < 1) throw Error(Fault::bad_input, "points: there are no rows; a search needs at least 1");
    if (k < 1) throw Error(Fault::bad_input, fmt::format("k is {}; it must be at least 1", k), {.option = "k"});
}

void check_queries(MatrixView<const float> points, MatrixView<const float> queries) {
    if (queries.rows > 0 && queries.cols != points.cols) {
        throw Error(Fault::bad_input, fmt::format("queries have {} columns and points have {}; both must have the same",
                                                  queries.cols, points.cols));
    }
    constexpr Offset most = std::numeric_limits<Index>::max();
    if (Offset{points.rows} + queries.rows > most) {
        throw Error(Fault::bad_input, fmt::format("queries: {} rows and {} points are more than {} together; search in "
                                                  "several runs, the lists do not depend on other queries",
                                                  queries.rows, points.rows, most));
    }
}

void fail_for_not_finite(Index row, RowKind kind) {
    throw Error(Fault::bad_input,
                fmt::format("{} holds NaN or infinity, which have "
                            "no distance to anything; drop the row or fill in the value",
                            place_of(row, kind)),
                {.row = row});
}

void fail_for_large_values(Index row, double most, RowKind kind) {
    throw Error(Fault::bad_input,
                fmt::format("{} holds a value beyond +-{:g}, the limit of "
                            "the approximate search on a GPU; scale the data, or use method "
                            "exact",
                            place_of(row, kind), most),
                {.row = row});
}

void fail_for_large_row(Index row, Metric metric, RowKind kind) {
    throw Error(
        Fault::bad_input,
        fmt::format("{} holds values so large that {} {} may "
                    "overflow float32; scale the data",
                    place_of(row, kind), name_of(metric), metric == Metric::inner_product ? "products" : "distances"),
        {.row = row});
}

void fail_for_infinite_distance(Index row, Index points, Metric metric) {
    const bool is_query = row >= points;
    const Index place = is_query ? row - points : row;
    throw Error(Fault::bad_input,
                fmt::format("{} has an infinite {} distance to one of its neighbors, because their values cancel; "
                            "use numbers of 0 and above, or another metric",
                            place_of(place, is_query ? RowKind::query : RowKind::point), name_of(metric)),
                {.row = place});
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
