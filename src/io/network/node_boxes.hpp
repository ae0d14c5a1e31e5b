// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <vector>

#include <dunlin/network.hpp>

namespace dunlin::io {

inline constexpr VertexSize default_size{54, 36};  ///< of a vertex, as Graphviz has it

/// Where a file puts its vertices and how large it draws them, vertex by vertex.
class NodeBoxes {
public:
    static constexpr float nowhere = std::numeric_limits<float>::quiet_NaN();

    struct NodeBox {
        std::array<float, 3> place{nowhere, nowhere, nowhere};  ///< x, y, z; NaN: not told
        VertexSize size{nowhere, nowhere};
        bool pinned = false;

        [[nodiscard]] bool placed() const { return place[0] == place[0] && place[1] == place[1]; }
    };

    void add(const NodeBox& box) { boxes_.push_back(box); }

    /// Fills start, pinned and sizes of the network; leaves empty what no vertex has.
    void settle(Network& network) const;

private:
    std::vector<NodeBox> boxes_;
};

}  // namespace dunlin::io
