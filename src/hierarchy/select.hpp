// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <dunlin/group_tree.hpp>

#include "device/cpu.hpp"

namespace dunlin::hierarchy {

/// Which groups of a condensed tree are clusters.
struct SelectionRule {
    bool leaves = false;             ///< those without children; else the most stable (excess of mass)
    double epsilon = 0;              ///< clusters born at a lower level give way to an ancestor
    std::optional<Index> most = {};  ///< largest size, of excess of mass
    bool single = false;             ///< the root may be a cluster
};

/// The clusters, disjoint groups in ascending order. Excess of mass: from the leaves upward, a group's children win
/// against it if the sum of their stabilities is larger, or if it is too large. Epsilon: a cluster born below it gives
/// way to its lowest ancestor that is born above, or to the highest that may be a cluster (Malzer and Baum 2020).
std::vector<Index> select(const GroupTree& tree, const SelectionRule& rule);

/// Labels, strengths and scores of the points of a condensed tree.
struct Members {
    std::vector<Index> labels;      ///< place of the point's cluster in `selected`; -1: noise
    std::vector<double> strengths;  ///< lambda of the point over the largest of its cluster's own points, at most 1
};

/// A cluster has the points of its group; the root, if it is the only cluster, those that leave at or below its death,
/// or epsilon if that is given. Strengths are 1 where the point's lambda is infinite or all are 0, and 0 for noise.
Members members_of(device::Cpu& cpu, const GroupTree& tree, const std::vector<Index>& selected, double epsilon);

/// GLOSH (Campello et al. 2015) of each point: 1 - its lambda / the largest in its home and below.
std::vector<double> outlier_scores(device::Cpu& cpu, const GroupTree& tree);

/// Sets the groups' persistence. root_size: points with a label, if the root is the only cluster.
void set_persistence(GroupTree& tree, std::optional<Index> root_size = {});

}  // namespace dunlin::hierarchy
