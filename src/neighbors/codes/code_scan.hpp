// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "distance/tile.hpp"
#include "neighbors/codes/byte_codebooks.hpp"
#include "neighbors/codes/coded_cells.hpp"
#include "neighbors/codes/refinement.hpp"

namespace dunlin::neighbors {

/// Memory of one worker.
struct CodeWorkspace {
    std::optional<Index> cell;            ///< of queries apart from the points, whose step it determines
    std::vector<Index> queries, scanned;  ///< items; lists contain indices into `scanned`
    std::vector<TopKBuffer> lists;        ///< per query, by approximate keys
    std::vector<float> rows, coordinates;
    std::vector<std::size_t> active;  ///< queries that the radius of the cell does not exclude
    std::vector<float> extents;       ///< per active query: largest coordinate of its residual
    std::vector<std::int8_t> bytes;   ///< per active query: quantized residual, padded to whole groups
    std::vector<double> fixed;        ///< per active query: the part of the key that does not depend on the column
    std::vector<std::uint8_t> decoded, panels;
    std::vector<double> squares;  ///< per column: squared norm of the decoded residual
    std::vector<std::int32_t> starts;
    std::vector<std::int64_t> products;
    std::vector<float> keys;     ///< of the columns that pass
    std::vector<Index> numbers;  ///< of the columns that pass: index into `scanned`
    distance::Hits hits;
    Refinement refinement;
};

/// Scan of coded items by a block of queries: each query's list takes the items nearest by approximate keys, which are
/// those of byte products.
class CodeScan {
public:
    /// Holds `transform` and `cells` by reference. listed: candidates per query, the query itself included.
    CodeScan(const ItemTransform& transform, const CodedCells& cells, Index listed);

    /// Scans these cells, in this order. w.lists: of each query, with indices into w.scanned.
    void search(CodeWorkspace& w, std::span<const Index> queries, std::span<const Index> cells) const;

private:
    void load(CodeWorkspace& w, std::span<const Index> queries) const;
    double center_on_cell(CodeWorkspace& w, Index cell) const;
    double usual_extent(CodeWorkspace& w, Index cell) const;
    void scan_items(CodeWorkspace& w, double scale, Index first, Index count, Index number) const;
    void decode(CodeWorkspace& w, double scale, Index first, Index count) const;
    void offer_hits(CodeWorkspace& w, std::size_t active, double scale, Index number,
                    std::span<const std::uint16_t> columns) const;

    const ItemTransform& transform_;
    const CodedCells& cells_;
    Index listed_;
    ByteCodebooks bytes_;
    Index dims_;  ///< padded to whole groups of columns
};

}  // namespace dunlin::neighbors
