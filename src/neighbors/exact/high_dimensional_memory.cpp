// SPDX-License-Identifier: Apache-2.0
#include "neighbors/exact/high_dimensional.hpp"
#include "neighbors/exact/query_lists.hpp"
#include "neighbors/partition_tree.hpp"
#include "neighbors/recall/recall_sample.hpp"
#include "neighbors/strategies.hpp"

namespace dunlin::neighbors {

namespace {

/// Bytes per row besides the leaves: projected coordinates, and all columns in the finer quantization.
struct Widths {
    Offset kept, quantized, fine = 0;

    explicit Widths(const SearchSize& size) {
        const bool projected = size.metric != Metric::manhattan && size.cols > projected_beyond;
        kept = projected ? axes_kept : size.cols;
        quantized = padded(kept, 8);
        if (projected && size.cols <= most_fine_columns) fine = padded(size.cols, distance::dot_columns);
    }
};

/// Peak while the axes and the quantization steps are computed: the sample's rows and their projections, in double or
/// float, and the axes. Later the axes alone.
std::uint64_t learning_bytes(const SearchSize& size, const Widths& widths) {
    const std::uint64_t sampled = bytes(std::min<Index>(size.items, 2048)), cols = bytes(size.cols);
    const std::uint64_t kept = bytes(widths.kept);
    const std::uint64_t axes = size.metric == Metric::manhattan
                                   ? 0
                                   : cols * kept * 28 + sampled * kept * 12 + blas_bytes(1024, 1024, widths.kept);
    return sampled * cols * sizeof(float) + axes + cols * 16;
}

}  // namespace

std::uint64_t high_dimensional_bytes(const SearchSize& size, const SearchParameters& parameters) {
    const Widths widths(size);
    const Index leaves = PartitionTree::leaves_of(size.items, distance::block_columns);
    const Offset columns = padded((size.items + leaves - 1) / leaves, distance::group_columns);
    const std::uint64_t quantized = bytes(widths.quantized), fine = bytes(widths.fine);
    const std::uint64_t items = bytes(size.groups()) * (quantized + sizeof(float) + fine + (fine > 0 ? 12 : 0)) +
                                PartitionTree::bytes(size.items) +
                                bytes(leaves * columns) * (quantized + sizeof(std::int32_t)) +
                                bytes(leaves) * (quantized * sizeof(float) + 2 * sizeof(float));

    const Offset most = QueryLists::most_rows(size.k, distance::block_columns);
    const std::uint64_t batch = 64 * sizeof(float) * (bytes(size.cols) + quantized + 1) +
                                (size.metric == Metric::manhattan ? 0 : blas_bytes(64, size.cols, widths.kept));
    const std::uint64_t worker =
        QueryLists::bytes(size.k, most) + bytes(padded(most, distance::group_rows)) * (quantized + fine + 16) +
        quantized * sizeof(float) + bytes(leaves) * 8 + distance::block_columns * 8 + sizeof(distance::Hits);
    // The recall sample with the ranks of the leaves of its neighbors; all items as queries
    const std::uint64_t ranks = parameters.exact
                                    ? 0
                                    : bytes(std::min(size.items, sample_of_rows.all)) * (bytes(size.k) * 8 + 128) +
                                          bytes(size.items) * 4 + bytes(size.threads) * bytes(leaves) * 12;
    return items + ranks + learning_bytes(size, widths) + query_bytes(leaves, size.queries, most) +
           bytes(size.queries) * 24 + size.busy(size.groups() / 64 + 1) * batch +
           size.busy(most_blocks(leaves, size.queries, most)) * worker;
}

}  // namespace dunlin::neighbors
