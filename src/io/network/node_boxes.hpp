// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <vector>

#include <dunlin/network.hpp>

namespace dunlin::io {

inline constexpr VertexSize default_size{54, 36};  ///< Graphviz's default, in points

/// Positions and sizes of the vertices of a file.
class NodeBoxes {
public:
    static constexpr float nowhere = std::numeric_limits<float>::quiet_NaN();

    struct NodeBox {
        std::array<double, 3> place{nowhere, nowhere, nowhere};  ///< x, y, z; NaN: missing
        VertexSize size{nowhere, nowhere};
        bool pinned = false;

        [[nodiscard]] bool placed() const { return place[0] == place[0] && place[1] == place[1]; }
    };

    void add(const NodeBox& box) { boxes_.push_back(box); }

    /// Removes what tells nothing: z where all vertices have one z, and the places where all are one.
    void flatten();

    /// The mean of the widths and of the heights that vertices have.
    [[nodiscard]] VertexSize mean_size() const;

    /// Number of vertices without a width or a height.
    [[nodiscard]] Offset without_size() const;

    /// Sets start, pinned and sizes of the network; leaves those empty that no vertex has. `otherwise`: the size of a
    /// vertex without one.
    void settle(Network& network, VertexSize otherwise = default_size) const;

private:
    std::vector<NodeBox> boxes_;
};

}  // namespace dunlin::io
