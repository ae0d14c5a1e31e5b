// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/types.hpp>

/// Fewer distinct rows than clusters: some clusters have copies of the same row, or none.
namespace dunlin {

/// The number of distinct rows, counted up to `enough`; most inputs have these among their first.
DUNLIN_API Index distinct_rows(MatrixView<const float> points, Index enough);

/// The number of items that are at no dissimilarity of 0 from one before them, counted up to `enough`; `enough` for
/// dissimilarities on demand, which are not asked for.
DUNLIN_API Index distinct_items(const mds::Dissimilarities& items, Index enough);

/// Says that there are fewer distinct rows or items than `parts` ("clusters"); empty: there are as many.
DUNLIN_API std::string sentence_of_distinct(Index distinct, Index parts, std::string_view name);

}  // namespace dunlin
