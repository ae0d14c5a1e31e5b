// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/codes/product_quantizer.hpp"
#include "neighbors/recall/ground_truth.hpp"
#include "neighbors/search_parameters.hpp"
#include "neighbors/search_progress.hpp"

namespace dunlin::neighbors {

/// Items whose rows are coded together: some 16 MB.
[[nodiscard]] Index items_at_once(Index cols);

/// Items in the order of the cells that they were cut into, each kept as a code.
class CodedCells {
public:
    CodedCells(const ItemTransform& transform, const SearchParameters& parameters, const Run& run);

    /// Codes all items, whose rows pass by `truth` on the way. A stop leaves some out.
    void fill(device::Cpu& cpu, const ItemTransform& transform, GroundTruth& truth);

    [[nodiscard]] const ProductQuantizer& quantizer() const { return quantizer_; }
    [[nodiscard]] Index count() const { return quantizer_.cells; }
    /// Cell c has places [begin(c), begin(c + 1)).
    [[nodiscard]] Index begin(Index cell) const { return begins_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] Index size(Index cell) const { return begin(cell + 1) - begin(cell); }
    [[nodiscard]] std::span<const Index> items(Index cell) const {
        return std::span(order_).subspan(static_cast<std::size_t>(begin(cell)), static_cast<std::size_t>(size(cell)));
    }
    [[nodiscard]] Index item(Index place) const { return order_[static_cast<std::size_t>(place)]; }
    [[nodiscard]] const std::uint8_t* codes(Index place) const {
        return codes_.data() + Offset{place} * quantizer_.parts;
    }
    /// How far what the codes of a cell stand for is from its centroid, at most.
    [[nodiscard]] double radius(Index cell) const { return radii_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] Index cell_of(Index item) const { return cell_of_[static_cast<std::size_t>(item)]; }

    /// All cells by the distance of their centroids from that of this one.
    [[nodiscard]] std::vector<Index> nearest(Index cell) const;

private:
    void measure_cells(device::Cpu& cpu);
    void sort_by_cell(const std::vector<std::uint8_t>& codes);

    ProductQuantizer quantizer_;
    std::vector<Index> cell_of_;         ///< per item
    std::vector<Index> order_, begins_;  ///< places of the items, cell after cell
    std::vector<std::uint8_t> codes_;    ///< by place
    std::vector<double> radii_;
};

}  // namespace dunlin::neighbors
