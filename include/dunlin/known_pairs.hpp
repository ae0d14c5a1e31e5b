// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/mds.hpp>

/// What the known pairs of items leave open in a map. A pair is known if its dissimilarity is not missing, its weight
/// is above 0, and, of a matrix that is read on demand, its row was read.
namespace dunlin::mds {

/// Items that known pairs do not place.
struct OpenPlaces {
    /// Groups of items without a known pair between two of them; fixed points are of one group. Any motion of a group
    /// leaves all known distances as they are.
    Index groups = 1;
    std::array<Index, 2> apart = {0, 0};  ///< the first items of the first two groups
    /// Items with fewer known partners than determine a place among others in general position: dim + 1, as spheres
    /// around dim partners meet in two points (Hendrickson 1992: the degree of a globally rigid graph); or all other
    /// items of a smaller group.
    Index few = 0;
    Index enough = 0;                     ///< dim + 1
    Index example = 0, its_partners = 0;  ///< the first of them

    [[nodiscard]] bool none() const { return groups <= 1 && few == 0; }
};

/// By the known pairs of the items, after a map of `dim` dimensions was placed. Of given, fixed points and weights are
/// used. Graphs, whose components are placed by themselves, and callbacks, which know all pairs, leave nothing open.
DUNLIN_API OpenPlaces open_places(const Dissimilarities& items, int dim, const Given& given = {});

/// A sentence for each of the two; name_of(item).
DUNLIN_API std::vector<std::string> sentences_of(const OpenPlaces& open,
                                                 const std::function<std::string(Index)>& name_of);

}  // namespace dunlin::mds
