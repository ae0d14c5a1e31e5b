#pragma once

#include <dunlin/mds.hpp>

#include "mds/shape.hpp"
#include "mds/smacof.hpp"

/// Dunlin's method where few distances may be looked at: those from some random items, the anchors, to all. The anchors
/// are placed by themselves; then every other item finds its place among them, which stay: if they moved, they would
/// shrink to a point and the others to a ring around it, of little stress in those pairs and much in all. A place has
/// dim unknowns and is found from as many distances as there are anchors, so stress ends about dim / anchors above
/// what all distances would give; in a graph far nearer, where anchors count by how many items each stands for.
namespace dunlin::mds {

/// The anchors, and how far every item is from each.
struct Anchored {
    const Source* source;
    std::vector<Index> anchors;
    std::vector<float> to_anchors;  ///< n x anchors
    std::vector<float> weights;     ///< how much each anchor counts (anchor_weights.hpp)
};

/// The anchors' rows have to be there.
Anchored anchored(device::Cpu& cpu, const Source& source, std::vector<Index> anchors);

/// The anchors placed as a small matrix, by `options`, each pair counting by the weights of both.
Result place_anchors(const Anchored& items, const Options& options, const Run& run);

/// Every other item where its stress is least, by majorisation from the best of a few anchors' places: one item after
/// the other, its distances staying in the cache. Its iterations are those of the item that took most.
Ending place_others(device::Cpu& cpu, const Anchored& items, const Map& anchors, Map& map, const Options& options,
                    const Run& run);

}  // namespace dunlin::mds
