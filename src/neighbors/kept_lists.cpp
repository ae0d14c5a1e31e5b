// SPDX-License-Identifier: Apache-2.0
#include "neighbors/kept_lists.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/at.hpp"

namespace dunlin::neighbors {

KeptLists::KeptLists(Graph& graph, Offset queries, Index rows, PlacesOf places_of)
    : graph_(graph),
      queries_(queries),
      rows_(rows),
      places_of_(std::move(places_of)),
      loop_("neighbors"),
      finished_(loop_.is_kept() ? at(queries) : 0) {
    loop_.resume([&](auto& archive) { read(archive); });
}

std::vector<Offset> KeptLists::unfinished() const {
    std::vector<Offset> left;
    for (Offset q = 0; q < queries_; ++q) {
        if (finished_.empty() || finished_[at(q)] == 0) left.push_back(q);
    }
    return left;
}

Offset KeptLists::count() const {
    return std::count_if(finished_.begin(), finished_.end(), [](const auto& finished) { return finished != 0; });
}

/// Calls visit(targets, weights) for the output rows of a query.
template <class Visit>
void KeptLists::each_list(Offset q, const Visit& visit) const {
    for (const Index place : places_of_(q)) {
        const auto begin = at(graph_.offsets[at(place)]), end = at(graph_.offsets[at(place) + 1]);
        visit(std::span(graph_.targets).subspan(begin, end - begin),
              std::span(graph_.weights).subspan(begin, end - begin));
    }
}

/// Other threads may write the lists of queries that are not finished, which are not read.
void KeptLists::write(checkpoint::ArchiveWriter& archive) const {
    std::vector<std::uint8_t> finished(finished_.size());
    for (std::size_t q = 0; q < finished.size(); ++q) finished[q] = finished_[q].load(std::memory_order_acquire);
    archive(finished);
    for (Offset q = 0; q < queries_; ++q) {
        if (finished[at(q)] == 0) continue;
        each_list(q, [&](std::span<const Index> targets, std::span<const float> weights) {
            archive.append(targets.data(), targets.size_bytes());
            archive.append(weights.data(), weights.size_bytes());
        });
    }
}

void KeptLists::read(checkpoint::ArchiveReader& archive) {
    std::vector<std::uint8_t> finished;
    archive(finished);
    archive.require(std::ssize(finished) == queries_, "number of rows");
    for (Offset q = 0; q < queries_; ++q) {
        finished_[at(q)] = finished[at(q)];
        if (finished[at(q)] == 0) continue;
        each_list(q, [&](std::span<Index> targets, std::span<float> weights) {
            archive.take(targets.data(), targets.size_bytes());
            archive.take(weights.data(), weights.size_bytes());
            for (const Index target : targets) archive.require(target >= 0 && target < rows_, "neighbor");
            for (const float weight : weights) archive.require(!std::isnan(weight), "distance");
        });
    }
}

void KeptLists::offer() {
    loop_.offer_lazily([&] { return count(); }, [&](auto& archive) { write(archive); });
}

void KeptLists::save() {
    loop_.save(count(), [&](auto& archive) { write(archive); });
}

void KeptLists::end() {
    loop_.end_run(queries_, [&](auto& archive) { write(archive); });
}

}  // namespace dunlin::neighbors
