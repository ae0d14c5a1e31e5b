// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "communities/aggregation.hpp"
#include "communities/input.hpp"
#include "communities/moving.hpp"
#include "communities/refinement.hpp"

namespace dunlin::communities {

/// What Hierarchy and optimize() need of a device, on the CPU. Labels of a level are numbers below its size.
class CpuEngine {
public:
    using Labels = std::vector<Index>;
    using Level = WeightedLevel;

    CpuEngine(device::Cpu& cpu, const Problem& problem);

    [[nodiscard]] const Aim& aim() const { return problem_.aim; }
    [[nodiscard]] const Level& base() const { return problem_.base; }

    // Labels
    static Labels from_host(std::vector<Index> labels) { return labels; }
    static std::vector<Labels> to_host(std::vector<Labels> all) { return all; }
    static Labels copy(const Labels& labels) { return labels; }
    /// 0, 1, .. for the vertices of the base.
    [[nodiscard]] Labels numbers() const;
    /// vertex[v] becomes of[vertex[v]].
    void follow(Labels& vertex, const Labels& of);
    /// Renumbers as number_by_first (numbering.hpp); returns how many there are.
    static Index number_by_first(Labels& labels);
    static void number_by_size(Labels& labels);
    /// Communities of the parts, numbered by first.
    static Labels of_parts(Labels& community, const Labels& part, Index parts);
    /// Divides communities of the base into their connected components, numbered by size.
    void divide_into_components(Labels& labels);
    /// Divides the parts of a level along the communities, of which they are parts only unless communities were divided
    /// into their connected components, or single vertices moved, since.
    static void divide_along(const Labels& labels, Labels& parts);

    // Phases
    void move(const Level& level, std::uint64_t seed, Labels& community);
    /// After move().
    void refine(const Level& level, std::uint64_t seed, const Labels& community, Labels& part);
    /// The next level, until the one after that.
    const Level& aggregate(const Level& level, const Labels& part, Index parts);
    /// Moves vertices of the base one after the other until none gains.
    void polish(std::uint64_t seed, Labels& community);

    [[nodiscard]] Terms terms(const Labels& labels, MassKind kind);

private:
    device::Cpu& cpu_;
    const Problem& problem_;
    std::vector<LinkSums> sums_;
    LocalMoving moving_;
    StarRefinement refinement_;
    Aggregation aggregation_;
    WeightedLevel levels_[2];  ///< the aggregated ones in turn
};

}  // namespace dunlin::communities
