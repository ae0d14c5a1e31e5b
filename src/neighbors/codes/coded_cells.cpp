// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/coded_cells.hpp"

#include <cmath>
#include <numeric>

#include "kmeans/nearest.hpp"
#include "math/at.hpp"
#include "neighbors/vectors.hpp"

namespace dunlin::neighbors {

namespace {

CodeBooks learn(const Frame& frame, const Effort& effort, const Run& run) {
    constexpr Index enough_for_axes = 2048;
    const Axes axes = axes_for_codes(frame.spread_rows(enough_for_axes).view(), effort.codes);
    const Index cells = cells_for(frame.items(), effort), wanted = sampled_for_codes(frame.items(), cells);
    std::vector<float> row(at(frame.cols())), along, sample;
    for (Index i = 0; i < wanted; ++i) {
        frame.row(static_cast<Index>(Offset{i} * frame.items() / wanted), row.data());
        project(axes, row.data(), 1, along);
        sample.insert(sample.end(), along.begin(), along.end());
    }
    const MatrixView<const float> rows{sample.data(), wanted, axes.count()};
    return learn_codes(axes, rows, effort.codes, cells_for_codes(rows, cells, run), run);
}

/// |entry|^2: parts x entries.
std::vector<float> entry_squares(const CodeBooks& books) {
    std::vector<float> squares;
    squares.reserve(at(books.parts) * at(books.entries));
    for (Index p = 0; p < books.parts; ++p) {
        for (Index e = 0; e < books.entries; ++e) {
            const float* entry = books.book(p) + Offset{e} * books.width(p);
            squares.push_back(std::inner_product(entry, entry + books.width(p), entry, 0.0F));
        }
    }
    return squares;
}

}  // namespace

Index items_at_once(Index cols) {
    constexpr Index values = 1 << 22, tile = kmeans::tile_rows;
    return std::clamp(values / cols / tile, 1, 64) * tile;
}

CodedCells::CodedCells(const Frame& frame, const Effort& effort, const Run& run) : books_(learn(frame, effort, run)) {}

void CodedCells::fill(device::Cpu& cpu, const Frame& frame, Truth& truth) {
    const Index items = frame.items(), cols = frame.cols(), at_once = items_at_once(cols);
    std::vector<std::uint8_t> codes(at(items) * at(books_.parts));
    std::vector<float> rows(at(std::min(items, at_once)) * at(cols));
    std::vector<CodingDesk> desks(at(cpu.threads()));
    cell_of_.resize(at(items));
    for (Index first = 0; first < items; first += at_once) {
        const Index count = std::min(items - first, at_once);
        cpu.blocks(count, kmeans::tile_rows, [&](Offset begin, Offset end, int worker) {
            for (Offset i = begin; i < end; ++i) frame.row(first + static_cast<Index>(i), rows.data() + i * cols);
            code_rows(books_, rows.data() + begin * cols, static_cast<Index>(end - begin), desks[at(worker)],
                      cell_of_.data() + first + begin, codes.data() + (first + begin) * books_.parts);
        });
        truth.meet(cpu, first, count, rows.data());
    }
    truth.settle(cpu);
    put_in_order(codes);
    measure_cells(cpu);
}

void CodedCells::measure_cells(device::Cpu& cpu) {
    const std::vector<float> squares = entry_squares(books_);
    radii_.assign(at(count()), 0);
    cpu.each(
        count(),
        [&](Offset cell) {
            double most = 0;
            for (Index place = begin(static_cast<Index>(cell)); place < begin(static_cast<Index>(cell) + 1); ++place) {
                double sum = 0;
                for (Index p = 0; p < books_.parts; ++p) {
                    sum += static_cast<double>(squares[at(Offset{p} * books_.entries + codes(place)[p])]);
                }
                most = std::max(most, sum);
            }
            radii_[at(cell)] = std::sqrt(most);
        },
        1);
}

void CodedCells::put_in_order(const std::vector<std::uint8_t>& codes) {
    begins_.assign(at(books_.cells) + 1, 0);
    for (const Index cell : cell_of_) ++begins_[at(cell) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<Index> next(begins_.begin(), begins_.end() - 1);
    order_.resize(cell_of_.size());
    codes_.resize(codes.size());
    for (std::size_t item = 0; item < cell_of_.size(); ++item) {
        const Index place = next[at(cell_of_[item])]++;
        order_[at(place)] = static_cast<Index>(item);
        std::copy_n(codes.data() + item * at(books_.parts), books_.parts, codes_.data() + Offset{place} * books_.parts);
    }
}

std::vector<Index> CodedCells::nearest(Index cell) const {
    std::vector<Candidate> cells;
    for (Index other = 0; other < books_.cells; ++other) {
        const float far = length(Law::squares, books_.centroid(other), books_.centroid(cell), books_.dims());
        cells.push_back({static_cast<double>(far), other});
    }
    std::sort(cells.begin(), cells.end());
    std::vector<Index> nearest;
    nearest.reserve(cells.size());
    for (const Candidate& near : cells) nearest.push_back(near.row);
    return nearest;
}

}  // namespace dunlin::neighbors
