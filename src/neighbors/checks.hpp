// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <string_view>

#include <dunlin/neighbors.hpp>

#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// What a row is in messages.
enum class RowKind { point, query };

/// Throws Error{bad_input} for rows < 1 or k < 1.
void check_search(Index rows, Index k);
/// Throws Error{bad_input} for another number of columns, or more rows together than Index counts.
void check_queries(MatrixView<const float> points, MatrixView<const float> queries);

/// Each throws Error{bad_input}.
[[noreturn]] void fail_for_not_finite(Index row, RowKind kind = RowKind::point);
[[noreturn]] void fail_for_large_values(Index row, double most, RowKind kind = RowKind::point);
[[noreturn]] void fail_for_large_row(Index row, Metric metric, RowKind kind = RowKind::point);
/// For a list with an infinite distance. row: numbered points first, then queries.
[[noreturn]] void fail_for_infinite_distance(Index row, Index points, Metric metric);
/// For an option of the approximate search where a GPU can only search exactly.
[[noreturn]] void fail_for_exact_on_gpu(std::string_view option, Index value, Index items);
[[noreturn]] void fail_for_long_lists(Index rerank, Index k);

/// Throws Error{out_of_memory} if more bytes of device memory are wanted than are allowed.
void require_device_memory(std::uint64_t wanted, std::uint64_t allowed, Index rows, Index k);

}  // namespace dunlin::neighbors
