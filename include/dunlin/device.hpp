// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include <dunlin/density.hpp>
#include <dunlin/device_matrix.hpp>
#include <dunlin/export.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/narrow.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/surface.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

/// Points that are in the memory of a GPU, and results that stay there.
///
/// All functions here run on the GPU of the points: Run::device is automatic or cuda, and Run::gpus is empty or names
/// this GPU, else Error{bad_input}. They begin after the work that is enqueued on the points' stream, and return when
/// the results are complete, so that any stream may read these and the points may be overwritten. The current device of
/// the calling thread stays as it is. The same points in host memory give the same bytes with device cuda.
/// They throw what the functions for host memory throw; Error{bad_input} if the pointer is not to memory of this GPU;
/// Error{no_device} without the CUDA backend.
namespace dunlin {

namespace tsne {

/// `map` is empty; the map is in device_map (n x dim).
struct DeviceResult : Result {
    DeviceMatrix<float> device_map;
};

/// All stages (tsne.hpp). The points are not copied.
DUNLIN_API DeviceResult embed(const DeviceMatrixView<const float>& points, const Options& options = {},
                              const Run& run = {}, const Given& given = {});

}  // namespace tsne

namespace umap {

/// `map` is empty; the map is in device_map (n x dim).
struct DeviceResult : Result {
    DeviceMatrix<float> device_map;
};

/// All stages (umap.hpp). The points are not copied.
DUNLIN_API DeviceResult embed(const DeviceMatrixView<const float>& points, const Options& options = {},
                              const Run& run = {}, const Given& given = {});

}  // namespace umap

namespace pacmap {

/// `map` is empty; the map is in device_map (n x dim).
struct DeviceResult : Result {
    DeviceMatrix<float> device_map;
};

/// All stages (pacmap.hpp). The points are not copied.
DUNLIN_API DeviceResult embed(const DeviceMatrixView<const float>& points, const Options& options = {},
                              const Run& run = {}, const Given& given = {});

}  // namespace pacmap

namespace neighbors {

/// `graph` is empty. Row i of ids and distances (n x min(k, n - 1)) has the neighbors of row i, nearest first. Both are
/// empty if cancelled.
struct DeviceResult : Result {
    DeviceMatrix<Index> device_ids;
    DeviceMatrix<float> device_distances;
};

/// The k nearest neighbors of every row (neighbors.hpp). The points are not copied.
DUNLIN_API DeviceResult search(const DeviceMatrixView<const float>& points, const Options& options = {},
                               const Run& run = {});

}  // namespace neighbors

namespace kmeans {

/// `labels` and `centroids` are empty; device_labels is n x 1, device_centroids clusters x cols.
struct DeviceResult : Result {
    DeviceMatrix<Index> device_labels;
    DeviceMatrix<float> device_centroids;
};

/// k-means of the rows (kmeans.hpp); `given` is in host memory. Needs as much GPU memory as the points for a copy of
/// them: Error{out_of_memory} if it is not there. If a cluster becomes empty, the points are copied to the host once.
DUNLIN_API DeviceResult cluster(const DeviceMatrixView<const float>& points, const Options& options = {},
                                const Run& run = {}, const Given& given = {});

struct DeviceAssignment {
    DeviceMatrix<Index> device_labels;  ///< n x 1; empty if cancelled
    std::vector<Offset> counts;
    double inertia = 0;
};

/// The nearest of `centroids`, which are in host memory, for every row of `points`.
DUNLIN_API DeviceAssignment assign(const DeviceMatrixView<const float>& points, MatrixView<const float> centroids,
                                   Metric metric = Metric::euclidean, const Run& run = {});

}  // namespace kmeans

namespace density {

/// `field` and `mean` have no values; these are in device_field and device_mean (nodes[1] * nodes[2] x nodes[0]).
struct DeviceResult : Result {
    DeviceMatrix<float> device_field, device_mean;
};

/// Density of a map of 2 or 3 columns (density.hpp). The map is not copied.
DUNLIN_API DeviceResult estimate(const DeviceMatrixView<const float>& map, const Options& options = {},
                                 const Run& run = {}, const Given& given = {});

}  // namespace density

namespace surface {

/// Values on a 3-D grid in the memory of a GPU, which it does not own: node (x, y, z) lies at origin + spacing *
/// (x, y, z), its value at values[x strides[0] + y strides[1] + z strides[2]].
struct DeviceFieldView {
    std::array<Index, 3> nodes{};
    const float* values = nullptr;
    std::array<Offset, 3> strides{};  ///< in values
    std::array<double, 3> spacing{1, 1, 1};
    std::array<double, 3> origin{};
    int gpu = 0;             ///< number of the GPU, as in Run::gpus
    void* stream = nullptr;  ///< the cudaStream_t that writes the values; null: the legacy default stream
};

/// The density of a 3-D map, or the mean of its values, where it lies. Throws Error{bad_input} for another dimension,
/// and where there is none.
DUNLIN_API DeviceFieldView field_of(const density::DeviceResult& density);
DUNLIN_API DeviceFieldView mean_of(const density::DeviceResult& density);

/// `mesh` is empty; its arrays are in positions and normals (vertices x 3) and in triangles (triangles x 3).
struct DeviceResult : Result {
    DeviceMatrix<float> positions, normals;
    DeviceMatrix<Index> triangles;
};

/// The surface of a level (surface.hpp). Values in C order are not copied, others are put into that order once. The
/// mesh has the bytes of that of the same values in host memory; area and volume differ in the last digits.
DUNLIN_API DeviceResult extract(const DeviceFieldView& grid, const Options& options = {}, const Run& run = {});

}  // namespace surface

struct DeviceNarrowed {
    DeviceMatrix<float> values;
    std::vector<double> shift;  ///< subtracted from each column; empty: nothing
};

/// narrow() of a matrix in the memory of GPU number `gpu`, written by `stream` (a cudaStream_t). Gives the same floats.
DUNLIN_API DeviceNarrowed narrow(const ForeignMatrix& matrix, int gpu, void* stream,
                                 ColumnOffsets offsets = ColumnOffsets::subtract);

/// has_offsets() of such a matrix: float32 numbers with none can be used where they lie.
DUNLIN_API bool has_offsets(const ForeignMatrix& matrix, int gpu, void* stream,
                            ColumnOffsets offsets = ColumnOffsets::subtract);

/// A copy in host memory.
DUNLIN_API Matrix copy_to_host(const DeviceMatrixView<const float>& matrix);

}  // namespace dunlin
