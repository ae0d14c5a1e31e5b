// SPDX-License-Identifier: Apache-2.0
#include <dunlin/distinct.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace dunlin {

namespace {

/// Hash of a row. Rows of equal numbers have equal hashes, also if one has 0 and the other -0.
std::uint64_t hash_of(std::span<const float> row) {
    std::uint64_t hash = 0;
    for (const float x : row) {  // one product each: a row may have millions, and a stopped run waits for this
        hash = (hash ^ std::bit_cast<std::uint32_t>(x + 0.0F)) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 32;
    }
    return hash;
}

}  // namespace

Index distinct_rows(MatrixView<const float> points, Index enough) {
    std::unordered_multimap<std::uint64_t, Index> found;
    for (Index r = 0; r < points.rows && std::ssize(found) < enough; ++r) {
        const std::uint64_t hash = hash_of(points.row(r));
        const auto [begin, end] = found.equal_range(hash);
        const bool is_new = std::none_of(
            begin, end, [&](const auto& other) { return std::ranges::equal(points.row(other.second), points.row(r)); });
        if (is_new) found.emplace(hash, r);
    }
    return static_cast<Index>(found.size());
}

Index distinct_items(const mds::Dissimilarities& items, Index enough) {
    if (items.has_points()) return distinct_rows(items.values().view(), enough);
    if (items.on_demand() != nullptr) return enough;
    std::vector<Index> found;
    for (Index i = 0; i < items.size() && std::ssize(found) < enough; ++i) {
        const std::span<const float> row = items.values().row(i);
        const bool is_new =
            std::none_of(found.begin(), found.end(), [&](Index j) { return row[static_cast<std::size_t>(j)] == 0; });
        if (is_new) found.push_back(i);
    }
    return static_cast<Index>(found.size());
}

std::string sentence_of_distinct(Index distinct, Index parts, std::string_view name) {
    if (distinct >= parts) return "";
    return fmt::format(
        "there {} only {} distinct row{} for {} {}: some of these have copies of a row of another, or none",
        distinct == 1 ? "is" : "are", distinct, distinct == 1 ? "" : "s", parts, name);
}

}  // namespace dunlin
