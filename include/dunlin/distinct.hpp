// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/types.hpp>

/// Fewer distinct rows than clusters: some clusters have copies of the same row, or none.
namespace dunlin {

/// Number of distinct rows, or `enough` if there are more. Stops counting there, which most inputs reach early.
DUNLIN_API Index distinct_rows(MatrixView<const float> points, Index enough);

/// Number of items that are not at dissimilarity 0 from an earlier item, or `enough` if there are more. Returns
/// `enough` for dissimilarities on demand, without computing any.
DUNLIN_API Index distinct_items(const mds::Dissimilarities& items, Index enough);

/// Warning that there are fewer distinct rows or items than parts. name: name of the parts ("clusters"). Empty: there
/// are enough.
DUNLIN_API std::string sentence_of_distinct(Index distinct, Index parts, std::string_view name);

}  // namespace dunlin
