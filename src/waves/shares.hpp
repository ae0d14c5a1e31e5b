// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/slice.hpp"
#include "waves/problem.hpp"

namespace dunlin::waves {

/// Layers of one rank: it integrates `own`, and `held` has a halo beside them. Positions may lie beyond the ends of a
/// periodic axis.
struct Share {
    device::Slice own, held;
};

/// Consecutive nodes that a rank copies from another: places in the values that both hold.
struct HaloPiece {
    int from = 0;
    Offset at = 0, to = 0, count = 0;
};

/// How a domain is divided among the ranks of several GPUs (device/ranks.hpp). Of a grid each has consecutive layers
/// along the last axis, with a halo that lasts for depth() steps: a step makes the outermost layers invalid, as many as
/// it has evaluations, and then halos are copied anew. Of a graph each has consecutive vertices and holds the values of
/// all, which the engines share after each evaluation. A node's operations are those of one device, hence its bytes.
class Shares {
public:
    /// Holds `whole`, a problem of an explicit scheme with fixed steps.
    Shares(const Problem& whole, int ranks);

    [[nodiscard]] Share of(int rank) const;
    /// Steps between two exchanges of halos: the more the longer the axis, so that halos add at most 1/32 of the work.
    [[nodiscard]] Offset depth() const { return depth_; }
    [[nodiscard]] std::vector<HaloPiece> halo_of(int rank) const;
    /// The nodes of `own`, by their numbers in the domain, and by their places in what the rank holds.
    [[nodiscard]] device::Slice own_nodes(int rank) const;
    [[nodiscard]] device::Slice own_places(int rank) const;

    /// The problem on what a rank holds. Throws Error{bad_input} if that has more nodes than can be numbered.
    [[nodiscard]] Problem problem_of(int rank) const;
    /// The values that a rank holds, of one for each node.
    [[nodiscard]] std::vector<double> held_of(int rank, const std::vector<double>& values) const;

private:
    [[nodiscard]] Offset node_of(Offset position) const { return (position % layers_ + layers_) % layers_; }
    [[nodiscard]] std::vector<Stimulus> stimuli_of(const Share& share) const;

    const Problem& whole_;
    int ranks_;
    std::size_t axis_ = 0;           ///< the axis that is divided
    Offset layers_ = 0, nodes_ = 1;  ///< layers, nodes of a layer
    Offset depth_ = 1, halo_ = 0;    ///< layers of halo
    bool is_graph_, is_periodic_ = false;
};

}  // namespace dunlin::waves
