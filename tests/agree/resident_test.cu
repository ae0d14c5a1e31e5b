// SPDX-License-Identifier: Apache-2.0
// Points in device memory: the same bytes as points in host memory, in stream order, and results in device memory.
#include <cuda_fp16.h>

#include <limits>

#include <dunlin/device.hpp>
#include <dunlin/error.hpp>

#include "agree/agree.hpp"
#include "cases/kmeans.hpp"
#include "device/cuda.cuh"
#include "refusal.hpp"

namespace dunlin {
namespace {

using device::cuda_check;

constexpr dunlin::Device gpu = Device::cuda;

/// Memory of the test, not of the library.
template <class T>
class CallersArray {
public:
    explicit CallersArray(const std::vector<T>& values) {
        cuda_check(cudaMalloc(&data_, std::max<std::size_t>(values.size(), 1) * sizeof(T)));
        cuda_check(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~CallersArray() { cudaFree(data_); }
    CallersArray(const CallersArray&) = delete;
    CallersArray& operator=(const CallersArray&) = delete;

    [[nodiscard]] T* data() const { return data_; }

private:
    T* data_ = nullptr;
};

DeviceMatrixView<const float> view_of(const CallersArray<float>& array, Index rows, Index cols) {
    return {array.data(), rows, cols, 0};
}

template <class T>
std::vector<T> downloaded(const DeviceMatrix<T>& matrix) {
    std::vector<T> values(static_cast<std::size_t>(matrix.rows()) * static_cast<std::size_t>(matrix.cols()));
    if (!values.empty())
        cuda_check(cudaMemcpy(values.data(), matrix.data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

MatrixView<const float> host_view(const std::vector<float>& values, Index cols) { return kmeans::view(values, cols); }

TEST(ResidentPoints, NeighborsHaveTheBytesOfHostPoints) {
    DUNLIN_NEEDS_GPU();
    using neighbors::Metric;
    for (const Index n : agree::sizes({1, 2, 3, 33, 1000, 30000})) {
        for (const Metric metric :
             {Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation, Metric::inner_product}) {
            for (const Index cols : {3, 50}) {
                SCOPED_TRACE(testing::Message() << n << " x " << cols << ", " << name_of(metric));
                std::vector<float> values = kmeans::blobs_of(n, cols, 5);
                if (n > 3) std::copy_n(values.begin(), cols, values.begin() + 2 * cols);  // equal rows
                const CallersArray<float> on_gpu(values);
                const neighbors::Options options{.k = 7, .metric = metric, .method = neighbors::Method::exact};
                const neighbors::Result host = search(host_view(values, cols), options, {.device = gpu});
                const neighbors::DeviceResult found = search(view_of(on_gpu, n, cols), options);
                EXPECT_EQ(found.device, gpu);
                EXPECT_EQ(found.stopped, host.stopped);
                EXPECT_EQ(found.graph.size(), 0);
                EXPECT_EQ(found.device_ids.rows(), n);
                EXPECT_EQ(found.device_ids.cols(), std::min<Index>(7, n - 1));
                EXPECT_EQ(downloaded(found.device_ids), host.graph.targets);
                EXPECT_EQ(downloaded(found.device_distances), host.graph.weights);
            }
        }
    }
}

TEST(ResidentPoints, ApproximateNeighborsHaveTheBytesOfHostPoints) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(40000), cols = 24;
    const std::vector<float> values = kmeans::blobs_of(n, cols, 40);
    const CallersArray<float> on_gpu(values);
    for (const Index codes : {0, 8}) {
        neighbors::Options options{.k = 10, .method = neighbors::Method::approximate, .codes = codes};
        if (codes > 0) options.recall = 0.8;
        const neighbors::Result host = search(host_view(values, cols), options, {.device = gpu});
        const neighbors::DeviceResult found = search(view_of(on_gpu, n, cols), options);
        EXPECT_EQ(downloaded(found.device_ids), host.graph.targets) << codes;
        EXPECT_EQ(downloaded(found.device_distances), host.graph.weights) << codes;
        EXPECT_EQ(found.recall, host.recall) << codes;
        EXPECT_EQ(found.probes, host.probes) << codes;
    }
}

TEST(ResidentPoints, MapsHaveTheBytesOfHostPoints) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({1, 2, 500, 12000})) {
        for (const bool reduced : {false, true}) {
            if (reduced && n < 500) continue;
            SCOPED_TRACE(testing::Message() << n << (reduced ? ", pca" : ""));
            const Index cols = 20;
            const std::vector<float> values = kmeans::blobs_of(n, cols, 4);
            const CallersArray<float> on_gpu(values);
            tsne::Options options{.iterations = agree::only_small() ? 20 : 300};
            if (reduced) options.pca = 5;
            const tsne::Result host = embed(host_view(values, cols), options, {.device = gpu, .seed = 3});
            const tsne::DeviceResult found = embed(view_of(on_gpu, n, cols), options, {.seed = 3});
            EXPECT_TRUE(found.map.coordinates.empty());
            EXPECT_EQ(downloaded(found.device_map), host.map.coordinates);
            EXPECT_EQ(found.kl, host.kl);
        }
    }
}

void expect_same_clusters(const std::vector<float>& values, Index cols, const kmeans::Options& options,
                          const kmeans::Given& given = {}) {
    SCOPED_TRACE(testing::Message() << values.size() / static_cast<std::size_t>(cols) << " x " << cols << ", "
                                    << options.clusters << " clusters, " << name_of(options.start) << ", "
                                    << name_of(options.metric));
    const CallersArray<float> on_gpu(values);
    const MatrixView<const float> points = host_view(values, cols);
    const kmeans::Result host = cluster(points, options, {.device = gpu}, given);
    const kmeans::DeviceResult found = cluster(view_of(on_gpu, points.rows, cols), options, {}, given);
    EXPECT_EQ(downloaded(found.device_labels), host.labels);
    EXPECT_EQ(downloaded(found.device_centroids), kmeans::values_of(host.centroids));
    EXPECT_EQ(found.counts, host.counts);
    EXPECT_EQ(found.inertia, host.inertia);
    EXPECT_EQ(found.iterations, host.iterations);
    EXPECT_TRUE(found.labels.empty());
}

TEST(ResidentPoints, ClustersHaveTheBytesOfHostPoints) {
    DUNLIN_NEEDS_GPU();
    using kmeans::Metric, kmeans::Start;
    for (const Index cols : {1, 3, 70}) {
        for (const Index n : agree::sizes({1, 2, 1023, 1025, 40000})) {
            for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
                for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
                    const kmeans::Options options{
                        .clusters = std::min<Index>(n, 9), .metric = metric, .start = start, .iterations = 20};
                    expect_same_clusters(kmeans::blobs_of(n, cols, 6, 1, 3), cols, options);
                }
            }
        }
    }
}

TEST(ResidentPoints, WeightsAndEmptyClusters) {
    DUNLIN_NEEDS_GPU();
    const Index n = 5000, cols = 2;
    std::vector<float> values = kmeans::blobs_of(n, cols, 3), weights;
    for (Index r = 0; r < n; ++r) weights.push_back(static_cast<float>(r % 4));
    expect_same_clusters(values, cols, {.clusters = 5}, {.weights = weights});
    // Two of these centroids are nearest to no row
    const std::vector<float> centroids{0, 0, 1e6F, 1e6F, -1e6F, 1e6F};
    expect_same_clusters(values, cols, {.clusters = 3}, {.centroids = host_view(centroids, cols)});
    expect_same_clusters(values, cols, {.clusters = 3, .metric = kmeans::Metric::cosine},
                         {.centroids = host_view(centroids, cols), .weights = weights});
    // Copies of few rows: clusters stay empty
    for (Index r = 4; r < n; ++r) std::copy_n(values.begin() + r % 4 * cols, cols, values.begin() + r * cols);
    expect_same_clusters(values, cols, {.clusters = 7});
}

TEST(ResidentPoints, Assignment) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> values = kmeans::blobs_of(3000, 6, 5), centroids = kmeans::blobs_of(5, 6, 5, 7);
    const CallersArray<float> on_gpu(values);
    const kmeans::Assignment host = kmeans::assign(host_view(values, 6), host_view(centroids, 6));
    const kmeans::DeviceAssignment found = kmeans::assign(view_of(on_gpu, 3000, 6), host_view(centroids, 6));
    EXPECT_EQ(downloaded(found.device_labels), host.labels);
    EXPECT_EQ(found.counts, host.counts);
    EXPECT_EQ(found.inertia, host.inertia);
}

/// Spins for about `cycles`, so that what follows on the stream is late.
__global__ void delay_kernel(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) continue;
}

TEST(ResidentPoints, WorkWaitsForTheCallersStream) {
    DUNLIN_NEEDS_GPU();
    const Index n = 3000, cols = 8;
    const std::vector<float> values = kmeans::blobs_of(n, cols, 5);
    const CallersArray<float> source(values), late(std::vector<float>(values.size(), 0.0F));
    cudaStream_t stream = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const auto write_late = [&] {
        cuda_check(cudaMemsetAsync(late.data(), 0, values.size() * sizeof(float), stream));
        delay_kernel<<<1, 1, 0, stream>>>(300'000'000);  // 0.2 s
        cuda_check(cudaMemcpyAsync(late.data(), source.data(), values.size() * sizeof(float), cudaMemcpyDeviceToDevice,
                                   stream));
        return DeviceMatrixView<const float>{late.data(), n, cols, 0, stream};
    };
    const auto points = host_view(values, cols);
    EXPECT_EQ(downloaded(neighbors::search(write_late()).device_ids),
              neighbors::search(points, {}, {.device = gpu}).graph.targets);
    EXPECT_EQ(downloaded(kmeans::cluster(write_late()).device_labels),
              kmeans::cluster(points, {}, {.device = gpu}).labels);
    const tsne::Options options{.iterations = 50};
    EXPECT_EQ(downloaded(tsne::embed(write_late(), options).device_map),
              tsne::embed(points, options, {.device = gpu}).map.coordinates);
    const Matrix copy = copy_to_host(write_late());
    EXPECT_EQ(kmeans::values_of(copy), values);
    cuda_check(cudaStreamDestroy(stream));
}

TEST(ResidentPoints, BadInputIsRefused) {
    DUNLIN_NEEDS_GPU();
    std::vector<float> values = kmeans::blobs_of(100, 3, 2);
    const CallersArray<float> good(values);
    values[3 * 41 + 1] = std::numeric_limits<float>::quiet_NaN();
    const CallersArray<float> bad(values);
    const auto points = view_of(good, 100, 3);
    const auto refused = [](const auto& call) { return refusal(Fault::bad_input, call); };
    for (const neighbors::Metric metric : {neighbors::Metric::euclidean, neighbors::Metric::manhattan}) {
        EXPECT_NE(refused([&] { neighbors::search(view_of(bad, 100, 3), {.metric = metric}); }).find("row 41"),
                  std::string::npos);
    }
    EXPECT_NE(refused([&] { kmeans::cluster(view_of(bad, 100, 3)); }).find("row 41 has nan in column 1"),
              std::string::npos);
    EXPECT_NE(refused([&] { tsne::embed(view_of(bad, 100, 3), {.start = tsne::Start::random}); }).find("row 41"),
              std::string::npos);
    const DeviceMatrixView<const float> on_host{values.data(), 100, 3, 0};
    EXPECT_NE(refused([&] { neighbors::search(on_host); }).find("not in the memory of GPU 0"), std::string::npos);
    EXPECT_NE(refused([&] { kmeans::cluster(on_host); }).find("not in the memory of GPU 0"), std::string::npos);
    EXPECT_NE(refused([&] { tsne::embed(points, {}, {.device = Device::cpu}); }).find("device is cpu"),
              std::string::npos);
    EXPECT_NE(refused([&] { neighbors::search(points, {}, {.gpus = {1}}); }).find("name GPU 0"), std::string::npos);
    EXPECT_NE(refused([&] { neighbors::search(view_of(good, 0, 3)); }), "");
    EXPECT_NE(refused([&] { kmeans::cluster(view_of(good, 0, 3)); }), "");
    EXPECT_NE(refused([&] { tsne::embed(view_of(good, 0, 3)); }), "");
    EXPECT_NE(refused([&] { kmeans::cluster(points, {.method = kmeans::Method::sequential}); }), "");
    const std::string none = refusal(Fault::no_device, [&] { neighbors::search({good.data(), 100, 3, 99}); });
    EXPECT_NE(none.find("cuda:99"), std::string::npos);
}

TEST(ResidentPoints, ResultsOutliveTheRunAndTheDeviceIsRestored) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> values = kmeans::blobs_of(2000, 4, 3);
    neighbors::DeviceResult found;
    {
        const CallersArray<float> on_gpu(values);
        found = neighbors::search(view_of(on_gpu, 2000, 4), {.k = 3});
    }
    int now = -1;
    cuda_check(cudaGetDevice(&now));
    EXPECT_EQ(now, 0);
    const DeviceMatrix<Index> copy = found.device_ids;
    found = {};
    EXPECT_EQ(downloaded(copy), neighbors::search(host_view(values, 4), {.k = 3}, {.device = gpu}).graph.targets);
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    const auto* const from = reinterpret_cast<const std::byte*>(values.data());
    return {from, from + values.size() * sizeof(T)};
}

/// `bytes`: the matrix as it is in memory.
void expect_narrowed_alike(const std::vector<std::byte>& bytes, ForeignMatrix matrix) {
    for (const ColumnOffsets offsets : {ColumnOffsets::subtract, ColumnOffsets::common, ColumnOffsets::keep}) {
        SCOPED_TRACE(testing::Message() << name_of(matrix.type) << ", " << name_of(offsets));
        const CallersArray<std::byte> on_gpu(bytes);
        matrix.data = bytes.data();
        const Narrowed host = narrow(matrix, offsets);
        const bool has = has_offsets(matrix, offsets);
        matrix.data = on_gpu.data();
        EXPECT_EQ(has_offsets(matrix, 0, nullptr, offsets), has);
        const DeviceNarrowed found = narrow(matrix, 0, nullptr, offsets);
        EXPECT_EQ(found.values.rows(), matrix.rows);
        EXPECT_EQ(downloaded(found.values), kmeans::values_of(host.values));
        EXPECT_EQ(found.shift, host.shift);
    }
}

TEST(ResidentPoints, NumbersAreNarrowedAsOnTheHost) {
    DUNLIN_NEEDS_GPU();
    std::vector<double> doubles;
    std::vector<__half> halves;
    std::vector<std::int64_t> integers;
    std::vector<float> floats;
    for (int i = 0; i < 3000; ++i) {
        const double value = math::random_normal(1, static_cast<std::uint64_t>(i)), far = i % 3 == 1 ? 1e9 : 0;
        doubles.push_back(value + far);
        halves.push_back(__float2half(static_cast<float>(value)));
        integers.push_back(static_cast<std::int64_t>(1000 * value + far));
        floats.push_back(static_cast<float>(value + far));
    }
    expect_narrowed_alike(bytes_of(doubles), {nullptr, NumberType::float64, 1000, 3, 24, 8});
    expect_narrowed_alike(bytes_of(doubles), {nullptr, NumberType::float64, 3, 1000, 8, 24});  // transposed
    expect_narrowed_alike(bytes_of(halves), {nullptr, NumberType::float16, 1000, 3, 6, 2});
    expect_narrowed_alike(bytes_of(integers), {nullptr, NumberType::int64, 1000, 3, 24, 8});
    expect_narrowed_alike(bytes_of(floats), {nullptr, NumberType::float32, 1000, 3, 12, 4});
    doubles[3 * 400 + 2] = 1e300;
    const CallersArray<double> bad(doubles);
    const ForeignMatrix matrix{bad.data(), NumberType::float64, 1000, 3, 24, 8};
    EXPECT_NE(refusal(Fault::bad_input, [&] { narrow(matrix, 0, nullptr); }).find("row 400, column 2"),
              std::string::npos);
    const ForeignMatrix none{nullptr, NumberType::float64, 0, 3, 24, 8};
    EXPECT_EQ(narrow(none, 0, nullptr).values.cols(), 3);
}

}  // namespace
}  // namespace dunlin
