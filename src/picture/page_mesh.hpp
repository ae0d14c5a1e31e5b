// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include <dunlin/mesh.hpp>
#include <dunlin/types.hpp>

#include "picture/lattice.hpp"

namespace dunlin::picture {

/// A mesh for a page.
struct PageMesh {
    nlohmann::json facts;                 ///< its parts; null: none
    std::vector<std::uint32_t> vertices;  ///< six numbers of 16 bits each: place in the mesh's box, (normal + 1) / 2
    std::span<const Index> triangles;
    LatticePoints box;  ///< origin and step only
};

/// Parts with the name of a label belong to it. Throws Error{bad_input} for arrays whose lengths do not agree, or a
/// triangle of a vertex that is not there.
PageMesh page_mesh(const Mesh& mesh, const Labels& labels);

}  // namespace dunlin::picture
