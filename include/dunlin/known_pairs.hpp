// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/mds.hpp>

/// Finds items whose places in a map the known pairs do not determine. A pair is known if its dissimilarity is not
/// missing, its weight is above 0, and its row was read (for a matrix that is read on demand).
namespace dunlin::mds {

/// Items whose places the known pairs do not determine.
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
    Index example = 0, its_partners = 0;  ///< the first of these items, and its number of known partners

    [[nodiscard]] bool none() const { return groups <= 1 && few == 0; }
};

/// Finds the open places of a map of `dim` dimensions from the known pairs of the items. Reads fixed points and weights
/// of `given`. Finds none for graphs, whose components are placed separately, and for callbacks, which know all pairs.
DUNLIN_API OpenPlaces open_places(const Dissimilarities& items, int dim, const Given& given = {});

/// One sentence about the groups and one about the items with few partners, if there are any. name_of(item) returns the
/// name of an item.
DUNLIN_API std::vector<std::string> sentences_of(const OpenPlaces& open,
                                                 const std::function<std::string(Index)>& name_of);

}  // namespace dunlin::mds
