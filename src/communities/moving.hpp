// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "communities/link_sums.hpp"
#include "communities/objective.hpp"
#include "communities/rules.hpp"
#include "device/cpu.hpp"
#include "math/at.hpp"

namespace dunlin::communities {

/// Local moving: vertices go to the neighboring community, or to one of their own, where the quality gains most. In a
/// round the active vertices move in classes by a hash. Those of a class decide at the same time, on the same state, so
/// that neither threads nor their order matter; a vertex is active until it has decided, and again when a neighbor has
/// left for another community than its own.
class LocalMoving {
public:
    LocalMoving(device::Cpu& cpu, std::vector<LinkSums>& sums) : cpu_(cpu), sums_(sums) {}

    /// Moves vertices until none gains, or for 50 rounds. Communities are numbers below level.size().
    void run(const WeightedLevel& level, const PartitionObjective& objective, std::uint64_t seed,
             std::vector<Index>& community);

    /// Moves vertices one after the other until none gains; each move raises the quality.
    void polish(const WeightedLevel& level, const PartitionObjective& objective, std::uint64_t seed,
                std::vector<Index>& community);

    /// Mass of a community after a run.
    [[nodiscard]] Weight mass_of(Index community) const { return communities_[at(community)].mass; }

private:
    void begin(const WeightedLevel& level, const PartitionObjective& objective, std::vector<Index>& community);
    [[nodiscard]] Index best_community(Index v, LinkSums& links) const;
    bool move_in_turn(std::uint64_t seed);
    void list_active(std::uint64_t seed, int round);
    bool move_class(std::span<const Index> members);
    void give_own_communities(std::span<const Index> members);
    void move(Index v, Index to);
    void activate_neighbors(Index v);

    device::Cpu& cpu_;
    std::vector<LinkSums>& sums_;
    const WeightedLevel* level_ = nullptr;
    PartitionObjective objective_;
    std::vector<Index>* community_ = nullptr;

    std::vector<CommunitySums> communities_;
    std::vector<std::uint8_t> active_, class_;
    std::vector<Index> order_;  ///< active vertices of a round, class after class
    std::vector<Offset> class_offsets_;
    std::vector<std::vector<Offset>> block_offsets_;
    std::vector<Index> choices_;  ///< of the members of a class
    std::atomic<bool> some_alone_ = false, some_moved_ = false;
    Index next_free_ = 0;  ///< where the search for an empty community goes on
};

}  // namespace dunlin::communities
