// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "communities/link_sums.hpp"
#include "communities/moving.hpp"
#include "communities/objective.hpp"
#include "communities/rules.hpp"
#include "device/cpu.hpp"

namespace dunlin::communities {

/// Refinement (Traag et al. 2019): divides every community into well connected parts, by stars. All vertices are single
/// at first. In each of 12 rounds a random bit decides which single vertices stay; of the others, the well connected
/// ones join the well connected part where the quality gains most, if that stays, and else wait: those that took the
/// best of the parts that stay instead were worth .001 to .002 of modularity less on small graphs. Parts only grow
/// along edges, so are connected.
class StarRefinement {
public:
    StarRefinement(device::Cpu& cpu, std::vector<LinkSums>& sums) : cpu_(cpu), sums_(sums) {}

    /// moving: has made the communities. The part of a vertex is the number of a vertex in it.
    void run(const WeightedLevel& level, const PartitionObjective& objective, std::uint64_t seed,
             const std::vector<Index>& community, const LocalMoving& moving, std::vector<Index>& part);

private:
    void begin();
    void list_single(int round);
    void find_candidates(int round);
    [[nodiscard]] Index best_part(Index v, LinkSums& links) const;
    void join(int round);
    [[nodiscard]] Weight whole(Index v) const;
    [[nodiscard]] Weight closed_links(Index v, int round) const;

    device::Cpu& cpu_;
    std::vector<LinkSums>& sums_;
    const WeightedLevel* level_ = nullptr;
    PartitionObjective objective_;
    std::uint64_t seed_ = 0;
    const std::vector<Index>* community_ = nullptr;
    const LocalMoving* moving_ = nullptr;
    std::vector<Index>* part_ = nullptr;

    std::vector<Weight> masses_, cuts_;   ///< of a part: its mass, and the links to the rest of its community
    std::vector<std::uint16_t> random_;   ///< a bit for each round
    std::vector<std::uint8_t> grown_;     ///< of a part: it has several vertices
    std::vector<std::uint8_t> moves_;     ///< of a single vertex: it does not stay in this round
    std::vector<Index> candidates_;       ///< of a part: its community, if it may be joined
    std::vector<std::uint8_t> joined_;    ///< of a vertex: the round in which it joined a part, from 1
    std::vector<Index> single_, movers_;  ///< single well connected vertices, all and those that move in this round
    std::vector<Index> choices_;          ///< of the movers
};

}  // namespace dunlin::communities
