// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/code_scan.hpp"

#include <algorithm>
#include <cmath>

#include "math/at.hpp"
#include "neighbors/codes/residuals.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index cell_columns = 4;  ///< coordinates per block in the layout of scan_dots

}  // namespace

CodeScan::CodeScan(const ItemTransform& transform, const CodedCells& cells, Index listed)
    : transform_(transform),
      cells_(cells),
      listed_(listed),
      bytes_(cells.quantizer()),
      dims_((cells.quantizer().dims() + cell_columns - 1) / cell_columns * cell_columns) {}

void CodeScan::search(CodeWorkspace& w, std::span<const Index> queries, std::span<const Index> cells) const {
    load(w, queries);
    for (const Index cell : cells) {
        progress::cancellation_point();
        const double scale = center_on_cell(w, cell);
        if (w.active.empty()) continue;
        const auto number = static_cast<Index>(w.scanned.size());
        const auto items = cells_.items(cell);
        w.scanned.insert(w.scanned.end(), items.begin(), items.end());
        for (Index i = 0; i < cells_.size(cell); i += distance::block_columns) {
            scan_items(w, scale, cells_.begin(cell) + i,
                       std::min(cells_.size(cell) - i, Index{distance::block_columns}), number + i);
        }
    }
    for (TopKBuffer& list : w.lists) list.shrink();
}

void CodeScan::load(CodeWorkspace& w, std::span<const Index> queries) const {
    const Index cols = transform_.cols();
    w.queries.assign(queries.begin(), queries.end());
    w.scanned.clear();
    w.lists.resize(queries.size());
    for (TopKBuffer& list : w.lists) list.reset(listed_);
    w.rows.resize(queries.size() * at(cols));
    for (std::size_t q = 0; q < queries.size(); ++q) transform_.row(queries[q], w.rows.data() + q * at(cols));
    const auto move = w.cell ? project_each : project;
    move(cells_.quantizer().axes, w.rows.data(), static_cast<Index>(queries.size()), w.coordinates);
    w.bytes.assign((queries.size() + distance::group_rows) * at(dims_) + at(distance::dot_columns), 0);
    w.starts.resize(distance::block_columns);
    w.squares.resize(distance::block_columns);
    w.products.resize(distance::block_columns);
    w.keys.resize(distance::block_columns);
    w.numbers.resize(distance::block_columns);
    w.panels.resize(at(distance::block_columns) * at(dims_));
    w.decoded.resize(at(distance::block_columns) * at(bytes_.stride()) + at(ByteCodebooks::slack));
}

/// Selects the queries that the cell's radius does not exclude, and quantizes their residuals. With residuals u of a
/// query and r of a row, |u - r|^2 = |u|^2 + |r|^2 - 2 u.r, where u.r is the product of the bytes times the returned
/// scale.
double CodeScan::center_on_cell(CodeWorkspace& w, Index cell) const {
    const float* centroid = cells_.quantizer().centroid(cell);
    const Index dims = cells_.quantizer().dims();
    w.active.clear();
    w.fixed.clear();
    w.extents.clear();
    for (std::size_t q = 0; q < w.queries.size(); ++q) {
        const ResidualExtent extent = residual_extent(w.coordinates.data() + q * at(dims), centroid, dims);
        const double least = std::max(0.0, std::sqrt(static_cast<double>(extent.squares)) - cells_.radius(cell));
        if (least * least > static_cast<double>(w.lists[q].limit())) continue;
        w.active.push_back(q);
        w.fixed.push_back(static_cast<double>(extent.squares));
        w.extents.push_back(extent.most);
    }
    if (w.active.empty()) return 0;
    const double least = bytes_.step() * std::max(1.0 / 16, dims_ * 0x1p-18);  // so that starts fit 32 bits
    const double step = std::max(usual_extent(w, cell) / 127, least);
    const double scale = step * bytes_.step();
    for (std::size_t i = 0; i < w.active.size(); ++i) {
        const float* row = w.coordinates.data() + w.active[i] * at(dims);
        std::int8_t* bytes = w.bytes.data() + i * at(dims_);
        w.fixed[i] += 256 * scale * quantize_residual(row, centroid, static_cast<float>(1 / step), dims, bytes);
    }
    return scale;
}

/// The largest coordinate of a residual that the step fits: of nine in ten active queries; or, for queries apart from
/// the points, the most that any can have, which depends on no other query.
double CodeScan::usual_extent(CodeWorkspace& w, Index cell) const {
    if (w.cell) {
        const ProductQuantizer& quantizer = cells_.quantizer();
        const auto apart = residual_extent(quantizer.centroid(*w.cell), quantizer.centroid(cell), quantizer.dims());
        return static_cast<double>(apart.most) + quantizer.reach();
    }
    const auto usual = w.extents.begin() + (std::ssize(w.active) - 1) * 9 / 10;
    std::nth_element(w.extents.begin(), usual, w.extents.end());
    return static_cast<double>(*usual);
}

/// Decodes the items from position `first` on, as columns.
void CodeScan::decode(CodeWorkspace& w, double scale, Index first, Index count) const {
    bytes_.decode(cells_.codes(first), count, w.decoded.data());
    const double square = bytes_.step() * bytes_.step(), start = square / (2 * scale);
    const Index dims = dims_,
                columns = (count + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
    for (Index column = 0; column < columns; ++column) {  // padding repeats the first item
        const std::uint8_t* row = w.decoded.data() + Offset{column < count ? column : 0} * bytes_.stride();
        std::uint8_t* out = w.panels.data() + Offset{column / distance::lanes} * distance::lanes * dims +
                            Offset{column % distance::lanes} * cell_columns;
        for (Index c = 0; c < dims; c += cell_columns)
            std::copy_n(row + c, cell_columns, out + Offset{c} * distance::lanes);
        const std::int32_t squares = distance::sums_of(row, cells_.quantizer().dims()).squares;
        w.squares[at(column)] = square * squares;
        w.starts[at(column)] = static_cast<std::int32_t>(start * squares);
    }
}

/// number: index of the first item in `scanned`.
void CodeScan::scan_items(CodeWorkspace& w, double scale, Index first, Index count, Index number) const {
    decode(w, scale, first, count);
    const int columns = (count + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
    for (std::size_t begin = 0; begin < w.active.size(); begin += distance::group_rows) {
        const std::size_t rows = std::min<std::size_t>(distance::group_rows, w.active.size() - begin);
        std::int32_t least[distance::group_rows];
        for (std::size_t r = 0; r < distance::group_rows; ++r) {
            const std::size_t i = begin + std::min(r, rows - 1);
            const double bound = (w.fixed[i] - static_cast<double>(w.lists[w.active[i]].limit())) / (2 * scale);
            least[r] = static_cast<std::int32_t>(std::clamp(bound, -0x1p29, 0x1p30)) - 2;
        }
        std::fill(std::begin(w.hits.count), std::end(w.hits.count), 0);
        distance::scan_dots({w.panels.data(), columns, dims_}, w.starts.data(), w.bytes.data() + begin * at(dims_),
                            least, w.hits);
        for (std::size_t r = 0; r < rows; ++r) {
            std::span<const std::uint16_t> hits(w.hits.columns[r], static_cast<std::size_t>(w.hits.count[r]));
            while (!hits.empty() && hits.back() >= count) hits = hits.first(hits.size() - 1);
            if (!hits.empty()) offer_hits(w, begin + r, scale, number, hits);
        }
    }
}

/// Computes the keys of the hits and offers them to the query's list.
void CodeScan::offer_hits(CodeWorkspace& w, std::size_t active, double scale, Index number,
                          std::span<const std::uint16_t> columns) const {
    TopKBuffer& list = w.lists[w.active[active]];
    distance::dots(w.decoded.data(), bytes_.stride(), columns, w.bytes.data() + active * at(dims_), w.products.data());
    for (std::size_t h = 0; h < columns.size(); ++h) {
        const double key = w.fixed[active] + w.squares[columns[h]] - 2 * scale * static_cast<double>(w.products[h]);
        w.keys[h] = static_cast<float>(std::max(key, 0.0));
        w.numbers[h] = number + columns[h];
    }
    list.offer(std::span(w.keys).first(columns.size()), std::span(w.numbers).first(columns.size()));
    list.tighten();
}

}  // namespace dunlin::neighbors
