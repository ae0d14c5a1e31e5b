// SPDX-License-Identifier: Apache-2.0
#include "neighbors/exact/fine_rows.hpp"

#include <algorithm>

#include "distance/tile.hpp"

namespace dunlin::neighbors {

namespace {

std::vector<Index> with_queries(std::span<const Index> order, Index groups) {
    std::vector<Index> all(order.begin(), order.end());
    for (auto group = static_cast<Index>(all.size()); group < groups; ++group) all.push_back(group);
    return all;
}

}  // namespace

FineRows::FineRows(device::Cpu& cpu, const ItemTransform& transform, const ValueStatistics& statistics,
                   std::span<const Index> order)
    : quantized_(quantize_to_bytes(cpu, ByteGrid(transform, statistics), with_queries(order, transform.groups()),
                                   distance::dot_columns)),
      sums_(quantized_.errors.size()),
      squares_(quantized_.errors.size()) {
    cpu.each(std::ssize(sums_), [&](Offset r) {
        const distance::ByteSums sums = distance::sums_of(quantized_.row(static_cast<Index>(r)), quantized_.dims);
        sums_[static_cast<std::size_t>(r)] = sums.sum;
        squares_[static_cast<std::size_t>(r)] = sums.squares;
    });
    error_ = *std::max_element(quantized_.errors.begin(), quantized_.errors.begin() + std::ssize(order));
}

void FineRows::load(Index place, std::int8_t* out) const {
    distance::to_signed(quantized_.row(place), quantized_.dims, out);
}

void FineRows::squares(Index place, const std::int8_t* row, Index first, std::span<const std::uint16_t> columns,
                       std::int64_t* out) const {
    distance::dots(quantized_.row(first), quantized_.dims, columns, row, out);
    const auto at = static_cast<std::size_t>(place);
    const std::int64_t own = squares_[at] + std::int64_t{256} * sums_[at];
    const std::int32_t* theirs = squares_.data() + first;
    for (std::size_t i = 0; i < columns.size(); ++i) out[i] = own + theirs[columns[i]] - 2 * out[i];
}

double FineRows::most_squares(Index place, double distance) const {
    const double reach = quantized_.scale * distance +
                         static_cast<double>(quantized_.errors[static_cast<std::size_t>(place)]) +
                         static_cast<double>(error_);
    return reach * reach * (1 + 1e-12);
}

}  // namespace dunlin::neighbors
