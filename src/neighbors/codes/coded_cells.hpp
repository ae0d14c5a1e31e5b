// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/codes/product_quantizer.hpp"
#include "neighbors/recall/ground_truth.hpp"
#include "neighbors/search_parameters.hpp"
#include "neighbors/search_progress.hpp"

namespace dunlin::neighbors {

/// Items that are encoded together: about 16 MB of rows.
[[nodiscard]] Index items_at_once(Index cols);

/// An inverted file: the items sorted by cell, each stored as a product-quantization code.
class CodedCells {
public:
    CodedCells(const ItemTransform& transform, const SearchParameters& parameters, const Run& run);

    /// Encodes all items and passes their rows to `truth`. After a stop some are missing.
    void fill(device::Cpu& cpu, const ItemTransform& transform, GroundTruth& truth);

    [[nodiscard]] const ProductQuantizer& quantizer() const { return quantizer_; }
    [[nodiscard]] Index count() const { return quantizer_.cells; }
    /// Cell c has positions [begin(c), begin(c + 1)).
    [[nodiscard]] Index begin(Index cell) const { return begins_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] Index size(Index cell) const { return begin(cell + 1) - begin(cell); }
    [[nodiscard]] std::span<const Index> items(Index cell) const {
        return std::span(order_).subspan(static_cast<std::size_t>(begin(cell)), static_cast<std::size_t>(size(cell)));
    }
    [[nodiscard]] Index item(Index place) const { return order_[static_cast<std::size_t>(place)]; }
    [[nodiscard]] const std::uint8_t* codes(Index place) const {
        return codes_.data() + Offset{place} * quantizer_.parts;
    }
    /// Largest norm of a decoded residual in the cell.
    [[nodiscard]] double radius(Index cell) const { return radii_[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] Index cell_of(Index item) const { return cell_of_[static_cast<std::size_t>(item)]; }

    /// All cells by the distance of their centroids from that of `cell`.
    [[nodiscard]] std::vector<Index> nearest(Index cell) const;

private:
    void measure_cells(device::Cpu& cpu);
    void sort_by_cell(const std::vector<std::uint8_t>& codes);

    ProductQuantizer quantizer_;
    std::vector<Index> cell_of_;         ///< per item
    std::vector<Index> order_, begins_;  ///< items sorted by cell; first position of each cell
    std::vector<std::uint8_t> codes_;    ///< by position
    std::vector<double> radii_;
};

}  // namespace dunlin::neighbors
