// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/density.hpp>
#include <dunlin/device_matrix.hpp>
#include <dunlin/export.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/narrow.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/pacmap.hpp>
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

struct DeviceNarrowed {
    DeviceMatrix<float> values;
    std::vector<double> shift;  ///< subtracted from each column; empty: nothing
};

/// narrow() of a matrix in the memory of GPU number `gpu`, written by `stream` (a cudaStream_t). Gives the same floats.
DUNLIN_API DeviceNarrowed narrow(const ForeignMatrix& matrix, int gpu, void* stream,
                                 ColumnOffsets offsets = ColumnOffsets::subtract);

/// A copy in host memory.
DUNLIN_API Matrix copy_to_host(const DeviceMatrixView<const float>& matrix);

}  // namespace dunlin
