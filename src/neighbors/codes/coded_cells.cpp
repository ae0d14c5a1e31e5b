// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/coded_cells.hpp"

#include <cmath>
#include <numeric>

#include "kmeans/nearest.hpp"
#include "math/at.hpp"
#include "neighbors/vectors.hpp"

namespace dunlin::neighbors {

namespace {

ProductQuantizer train(const ItemTransform& transform, const SearchParameters& parameters, const Run& run) {
    constexpr Index enough_for_axes = 2048;
    const PrincipalAxes axes = coding_axes(transform.sample_rows(enough_for_axes).view(), parameters.codes);
    const Index cells = cell_count(transform.items(), parameters), wanted = training_rows(transform.items(), cells);
    std::vector<float> row(at(transform.cols())), along, sample;
    for (Index i = 0; i < wanted; ++i) {
        transform.row(static_cast<Index>(Offset{i} * transform.items() / wanted), row.data());
        project(axes, row.data(), 1, along);
        sample.insert(sample.end(), along.begin(), along.end());
    }
    const MatrixView<const float> rows{sample.data(), wanted, axes.count()};
    return train_product_quantizer(axes, rows, parameters.codes, train_centroids(rows, cells, run), run);
}

/// Squared norms of the entries: parts x entries.
std::vector<float> entry_squares(const ProductQuantizer& quantizer) {
    std::vector<float> squares;
    squares.reserve(at(quantizer.parts) * at(quantizer.entries));
    for (Index p = 0; p < quantizer.parts; ++p) {
        for (Index e = 0; e < quantizer.entries; ++e) {
            const float* entry = quantizer.codebook(p) + Offset{e} * quantizer.width(p);
            squares.push_back(std::inner_product(entry, entry + quantizer.width(p), entry, 0.0F));
        }
    }
    return squares;
}

}  // namespace

Index items_at_once(Index cols) {
    constexpr Index values = 1 << 22, tile = kmeans::tile_rows;
    return std::clamp(values / cols / tile, 1, 64) * tile;
}

CodedCells::CodedCells(const ItemTransform& transform, const SearchParameters& parameters, const Run& run)
    : quantizer_(train(transform, parameters, run)) {}

void CodedCells::fill(device::Cpu& cpu, const ItemTransform& transform, GroundTruth& truth) {
    const Index items = transform.items(), cols = transform.cols(), at_once = items_at_once(cols);
    std::vector<std::uint8_t> codes(at(items) * at(quantizer_.parts));
    std::vector<float> rows(at(std::min(items, at_once)) * at(cols));
    std::vector<EncodingWorkspace> workspaces(at(cpu.threads()));
    cell_of_.resize(at(items));
    for (Index first = 0; first < items; first += at_once) {
        const Index count = std::min(items - first, at_once);
        cpu.blocks(count, kmeans::tile_rows, [&](Offset begin, Offset end, int worker) {
            for (Offset i = begin; i < end; ++i) transform.row(first + static_cast<Index>(i), rows.data() + i * cols);
            encode_rows(quantizer_, rows.data() + begin * cols, static_cast<Index>(end - begin), workspaces[at(worker)],
                        cell_of_.data() + first + begin, codes.data() + (first + begin) * quantizer_.parts);
        });
        truth.add_rows(cpu, first, count, rows.data());
    }
    truth.finish(cpu);
    sort_by_cell(codes);
    measure_cells(cpu);
}

void CodedCells::measure_cells(device::Cpu& cpu) {
    const std::vector<float> squares = entry_squares(quantizer_);
    radii_.assign(at(count()), 0);
    cpu.each(
        count(),
        [&](Offset cell) {
            double most = 0;
            for (Index place = begin(static_cast<Index>(cell)); place < begin(static_cast<Index>(cell) + 1); ++place) {
                double sum = 0;
                for (Index p = 0; p < quantizer_.parts; ++p) {
                    sum += static_cast<double>(squares[at(Offset{p} * quantizer_.entries + codes(place)[p])]);
                }
                most = std::max(most, sum);
            }
            radii_[at(cell)] = std::sqrt(most);
        },
        1);
}

void CodedCells::sort_by_cell(const std::vector<std::uint8_t>& codes) {
    begins_.assign(at(quantizer_.cells) + 1, 0);
    for (const Index cell : cell_of_) ++begins_[at(cell) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<Index> next(begins_.begin(), begins_.end() - 1);
    order_.resize(cell_of_.size());
    codes_.resize(codes.size());
    for (std::size_t item = 0; item < cell_of_.size(); ++item) {
        const Index place = next[at(cell_of_[item])]++;
        order_[at(place)] = static_cast<Index>(item);
        std::copy_n(codes.data() + item * at(quantizer_.parts), quantizer_.parts,
                    codes_.data() + Offset{place} * quantizer_.parts);
    }
}

std::vector<Index> CodedCells::nearest(Index cell) const {
    std::vector<Candidate> cells;
    for (Index other = 0; other < quantizer_.cells; ++other) {
        const float far = length(Norm::l2, quantizer_.centroid(other), quantizer_.centroid(cell), quantizer_.dims());
        cells.push_back({static_cast<double>(far), other});
    }
    std::sort(cells.begin(), cells.end());
    std::vector<Index> nearest;
    nearest.reserve(cells.size());
    for (const Candidate& near : cells) nearest.push_back(near.row);
    return nearest;
}

}  // namespace dunlin::neighbors
