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
constexpr Index usual_columns = 160, axes_beyond = 96;  ///< rows with more columns are projected on axes_beyond axes

std::vector<float> centroids_of(MatrixView<const float> rows, Index count, const Run& run) {
    const kmeans::Options options{
        .clusters = count, .start = kmeans::Start::random, .iterations = iterations, .stop = kmeans::Rule::never};
    Run whole = run;
    whole.stop = {};  // only the search's own loops are cancellable: a partial codebook is useless
    const Matrix found = kmeans::cluster(rows, options, whole).centroids;
    return {found.view().data, found.view().data + found.view().size()};
}

/// The 99.9th percentile of the magnitudes.
float spread_of(std::vector<float> values) {
    for (float& value : values) value = std::abs(value);
    const auto place = values.end() - 1 - std::ssize(values) / 1000;
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

/// Copies columns [begin, begin + width) of the rows.
void copy_columns(const float* rows, Index count, Index cols, Index begin, Index width, std::vector<float>& out) {
    out.resize(at(count) * at(width));
    for (Index r = 0; r < count; ++r)
        std::copy_n(rows + Offset{r} * cols + begin, width, out.data() + Offset{r} * width);
}

void nearest_centroids(const float* rows, Index count, Index cols, const float* centroids, Index k,
                       EncodingWorkspace& workspace, Index* label) {
    workspace.columns.resize(at(cols) * at(kmeans::tile_rows));
    kmeans::nearest_of_tile(rows, count, cols, centroids, k, workspace.columns.data(), workspace.labels);
    std::copy_n(workspace.labels, count, label);
}

void clamp(std::vector<float>& coordinates) {
    for (float& value : coordinates) value = std::clamp(value, -farthest_coordinate, farthest_coordinate);
}

/// Assigns the projected rows to cells and subtracts the centroids.
void subtract_centroids(const ProductQuantizer& quantizer, Index count, EncodingWorkspace& workspace, Index* cells) {
    const Index dims = quantizer.dims();
    find_cells(quantizer, workspace.coordinates.data(), count, workspace, cells);
    for (Index r = 0; r < count; ++r) {
        float* row = workspace.coordinates.data() + Offset{r} * dims;
        const float* centroid = quantizer.centroid(cells[r]);
        for (Index c = 0; c < dims; ++c) row[c] -= centroid[c];
    }
}

/// Residuals of `wanted` rows at equal steps through the sample.
std::vector<float> residuals_of(device::Cpu& cpu, const ProductQuantizer& quantizer, MatrixView<const float> sample,
                                Index wanted) {
    std::vector<float> residuals(at(wanted) * at(quantizer.dims()));
    std::vector<EncodingWorkspace> workspaces(at(cpu.threads()));
    cpu.blocks(wanted, kmeans::tile_rows, [&](Offset begin, Offset end, int worker) {
        EncodingWorkspace& workspace = workspaces[at(worker)];
        Index cells[kmeans::tile_rows];
        workspace.coordinates.clear();
        for (Offset i = begin; i < end; ++i) {
            const auto row = sample.row(static_cast<Index>(i * sample.rows / wanted));
            workspace.coordinates.insert(workspace.coordinates.end(), row.begin(), row.end());
        }
        subtract_centroids(quantizer, static_cast<Index>(end - begin), workspace, cells);
        std::copy(workspace.coordinates.begin(), workspace.coordinates.end(),
                  residuals.begin() + begin * quantizer.dims());
    });
    return residuals;
}

/// The codebooks of all parts, each trained by one thread.
std::vector<float> train_codebooks(device::Cpu& cpu, const ProductQuantizer& quantizer,
                                   const std::vector<float>& residuals, Index rows, const Run& run) {
    std::vector<std::vector<float>> found(at(quantizer.parts));
    const Run alone{.device = Device::cpu, .threads = 1, .seed = run.seed, .stop = run.stop};
    cpu.blocks(quantizer.parts, 1, [&](Offset p, Offset, int) {
        const auto part = static_cast<Index>(p);
        std::vector<float> columns;
        copy_columns(residuals.data(), rows, quantizer.dims(), quantizer.begin(part), quantizer.width(part), columns);
        found[at(p)] = centroids_of({columns.data(), rows, quantizer.width(part)}, quantizer.entries, alone);
    });
    std::vector<float> all;
    for (const auto& book : found) all.insert(all.end(), book.begin(), book.end());
    return all;
}

}  // namespace

Index training_rows(Index rows, Index cells) {
    return std::min(rows, std::max(cells, most_entries) * sampled_per_centroid);
}

Index coding_axes(Index cols, Index parts) {
    return cols <= usual_columns ? cols : std::min(cols, std::max(axes_beyond, parts));
}

PrincipalAxes coding_axes(MatrixView<const float> sample, Index parts) {
    return {sample, coding_axes(sample.cols, parts)};
}

void project(const PrincipalAxes& axes, const float* rows, Index count, std::vector<float>& out) {
    out.resize(at(count) * at(axes.count()));
    axes.project(rows, count, out.data());
    clamp(out);
}

void project_each(const PrincipalAxes& axes, const float* rows, Index count, std::vector<float>& out) {
    out.resize(at(count) * at(axes.count()));
    for (Offset r = 0; r < count; ++r) axes.project(rows + r * axes.cols(), 1, out.data() + r * axes.count());
    clamp(out);
}

void find_cells(const ProductQuantizer& quantizer, const float* coordinates, Index count, EncodingWorkspace& workspace,
                Index* cells) {
    nearest_centroids(coordinates, count, quantizer.dims(), quantizer.centroids.data(), quantizer.cells, workspace,
                      cells);
}

std::vector<float> train_centroids(MatrixView<const float> sample, Index cells, const Run& run) {
    return centroids_of(sample, std::min(cells, sample.rows), run);
}

ProductQuantizer train_product_quantizer(PrincipalAxes axes, MatrixView<const float> sample, Index parts,
                                         std::vector<float> centroids, const Run& run) {
    ProductQuantizer quantizer{.axes = std::move(axes),
                               .parts = parts,
                               .entries = std::min(most_entries, sample.rows),
                               .cells = static_cast<Index>(std::ssize(centroids) / sample.cols),
                               .centroids = std::move(centroids)};
    const Index some = std::min(sample.rows, most_entries * sampled_per_centroid);
    device::Cpu cpu(run);
    const std::vector<float> residuals = residuals_of(cpu, quantizer, sample, some);
    quantizer.spread = spread_of(residuals);
    quantizer.codebooks = train_codebooks(cpu, quantizer, residuals, some, run);
    return quantizer;
}

void encode_rows(const ProductQuantizer& quantizer, const float* rows, Index count, EncodingWorkspace& workspace,
                 Index* cells, std::uint8_t* codes) {
    project(quantizer.axes, rows, count, workspace.coordinates);
    subtract_centroids(quantizer, count, workspace, cells);
    workspace.entries.resize(at(count));
    for (Index p = 0; p < quantizer.parts; ++p) {
        copy_columns(workspace.coordinates.data(), count, quantizer.dims(), quantizer.begin(p), quantizer.width(p),
                     workspace.part);
        nearest_centroids(workspace.part.data(), count, quantizer.width(p), quantizer.codebook(p), quantizer.entries,
                          workspace, workspace.entries.data());
        for (Index r = 0; r < count; ++r)
            codes[Offset{r} * quantizer.parts + p] = static_cast<std::uint8_t>(workspace.entries[at(r)]);
    }
}

}  // namespace dunlin::neighbors
