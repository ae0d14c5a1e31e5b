// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/product_quantizer.hpp"

#include <dunlin/kmeans.hpp>

#include "device/cpu.hpp"
#include "kmeans/nearest.hpp"
#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index most_entries = 256, sampled_per_centroid = 64;
constexpr int iterations = 10;
constexpr Index usual_columns = 160, axes_beyond = 96;  ///< rows of more columns are coded along so many axes

std::vector<float> centroids_of(MatrixView<const float> rows, Index count, const Run& run) {
    const kmeans::Options options{
        .clusters = count, .start = kmeans::Start::random, .iterations = iterations, .stop = kmeans::Rule::never};
    Run whole = run;
    whole.stop = {};  // its loops heed what the search does: half a book is of no use
    const Matrix found = kmeans::cluster(rows, options, whole).centroids;
    return {found.view().data, found.view().data + found.view().size()};
}

/// What all but one in a thousand of the values is within.
float spread_of(std::vector<float> values) {
    for (float& value : values) value = std::abs(value);
    const auto place = values.end() - 1 - std::ssize(values) / 1000;
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

/// Columns [begin, begin + width) of rows.
void copy_columns(const float* rows, Index count, Index cols, Index begin, Index width, std::vector<float>& out) {
    out.resize(at(count) * at(width));
    for (Index r = 0; r < count; ++r)
        std::copy_n(rows + Offset{r} * cols + begin, width, out.data() + Offset{r} * width);
}

void nearest(const float* rows, Index count, Index cols, const float* centroids, Index k, CodingDesk& desk,
             Index* label) {
    desk.columns.resize(at(cols) * at(kmeans::tile_rows));
    kmeans::nearest_of_tile(rows, count, cols, centroids, k, desk.columns.data(), desk.labels);
    std::copy_n(desk.labels, count, label);
}

/// Rows along the axes, less the centroids of their cells.
void subtract_centroids(const CodeBooks& books, Index count, CodingDesk& desk, Index* cells) {
    const Index dims = books.dims();
    nearest(desk.coordinates.data(), count, dims, books.centroids.data(), books.cells, desk, cells);
    for (Index r = 0; r < count; ++r) {
        float* row = desk.coordinates.data() + Offset{r} * dims;
        const float* centroid = books.centroid(cells[r]);
        for (Index c = 0; c < dims; ++c) row[c] -= centroid[c];
    }
}

/// The residuals of as many of the sample, taken evenly.
std::vector<float> residuals_of(device::Cpu& cpu, const CodeBooks& books, MatrixView<const float> sample,
                                Index wanted) {
    std::vector<float> residuals(at(wanted) * at(books.dims()));
    std::vector<CodingDesk> desks(at(cpu.threads()));
    cpu.blocks(wanted, kmeans::tile_rows, [&](Offset begin, Offset end, int worker) {
        CodingDesk& desk = desks[at(worker)];
        Index cells[kmeans::tile_rows];
        desk.coordinates.clear();
        for (Offset i = begin; i < end; ++i) {
            const auto row = sample.row(static_cast<Index>(i * sample.rows / wanted));
            desk.coordinates.insert(desk.coordinates.end(), row.begin(), row.end());
        }
        subtract_centroids(books, static_cast<Index>(end - begin), desk, cells);
        std::copy(desk.coordinates.begin(), desk.coordinates.end(), residuals.begin() + begin * books.dims());
    });
    return residuals;
}

/// The books of all parts, each learnt by one thread.
std::vector<float> books_of(device::Cpu& cpu, const CodeBooks& books, const std::vector<float>& residuals, Index rows,
                            const Run& run) {
    std::vector<std::vector<float>> found(at(books.parts));
    const Run alone{.device = Device::cpu, .threads = 1, .seed = run.seed, .stop = run.stop};
    cpu.blocks(books.parts, 1, [&](Offset p, Offset, int) {
        const auto part = static_cast<Index>(p);
        std::vector<float> columns;
        copy_columns(residuals.data(), rows, books.dims(), books.begin(part), books.width(part), columns);
        found[at(p)] = centroids_of({columns.data(), rows, books.width(part)}, books.entries, alone);
    });
    std::vector<float> all;
    for (const auto& book : found) all.insert(all.end(), book.begin(), book.end());
    return all;
}

}  // namespace

Index sampled_for_codes(Index rows, Index cells) {
    return std::min(rows, std::max(cells, most_entries) * sampled_per_centroid);
}

Index axes_for_codes(Index cols, Index parts) {
    return cols <= usual_columns ? cols : std::min(cols, std::max(axes_beyond, parts));
}

Axes axes_for_codes(MatrixView<const float> sample, Index parts) {
    return {sample, axes_for_codes(sample.cols, parts)};
}

void project(const Axes& axes, const float* rows, Index count, std::vector<float>& out) {
    out.resize(at(count) * at(axes.count()));
    axes.project(rows, count, out.data());
    for (float& value : out) value = std::clamp(value, -farthest_coordinate, farthest_coordinate);
}

std::vector<float> cells_for_codes(MatrixView<const float> sample, Index cells, const Run& run) {
    return centroids_of(sample, std::min(cells, sample.rows), run);
}

CodeBooks learn_codes(Axes axes, MatrixView<const float> sample, Index parts, std::vector<float> centroids,
                      const Run& run) {
    CodeBooks books{.axes = std::move(axes),
                    .parts = parts,
                    .entries = std::min(most_entries, sample.rows),
                    .cells = static_cast<Index>(std::ssize(centroids) / sample.cols),
                    .centroids = std::move(centroids)};
    const Index some = std::min(sample.rows, most_entries * sampled_per_centroid);
    device::Cpu cpu(run);
    const std::vector<float> residuals = residuals_of(cpu, books, sample, some);
    books.spread = spread_of(residuals);
    books.books = books_of(cpu, books, residuals, some, run);
    return books;
}

void code_rows(const CodeBooks& books, const float* rows, Index count, CodingDesk& desk, Index* cells,
               std::uint8_t* codes) {
    project(books.axes, rows, count, desk.coordinates);
    subtract_centroids(books, count, desk, cells);
    desk.entries.resize(at(count));
    for (Index p = 0; p < books.parts; ++p) {
        copy_columns(desk.coordinates.data(), count, books.dims(), books.begin(p), books.width(p), desk.part);
        nearest(desk.part.data(), count, books.width(p), books.book(p), books.entries, desk, desk.entries.data());
        for (Index r = 0; r < count; ++r)
            codes[Offset{r} * books.parts + p] = static_cast<std::uint8_t>(desk.entries[at(r)]);
    }
}

}  // namespace dunlin::neighbors
