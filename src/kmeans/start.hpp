#pragma once

#include <vector>

#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Centroids to start from (clusters x cols), in the metric's form. A stop asked for through `run` leaves random rows
/// in place of the ones not yet found.
std::vector<float> start_centroids(device::Cpu& cpu, const Rows& rows, Index clusters, Start start, std::uint64_t seed,
                                   const Run& run);

// What starts on other devices need too.

/// A row, drawn by weight.
Offset draw_by_weight(const Rows& rows, std::uint64_t seed);

/// So many different rows, all sets equally likely (Floyd).
std::vector<Offset> random_rows(Offset rows, Index count, std::uint64_t seed);

/// As many rows as clusters: where fewer were found, rows drawn by weight too.
std::vector<Offset> filled_up(std::vector<Offset> chosen, const Rows& rows, Index clusters, std::uint64_t seed);

/// These rows' coordinates, in the metric's form.
std::vector<float> values_of(const Rows& rows, const std::vector<Offset>& chosen);

}  // namespace dunlin::kmeans
