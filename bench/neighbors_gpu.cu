// SPDX-License-Identifier: Apache-2.0
// Neighbors on the GPU: the whole search, exact or by cells, of the points for each other or for queries apart from
// them, and where a block of exact queries spends its time.
//     bench_neighbors_gpu [--data DIR] [CASE...]       those of several runs by default
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>

#include <dunlin/io.hpp>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "device/gpus.hpp"
#include "device_timer.cuh"
#include "math/rng.hpp"
#include "neighbors/cuda/filter.cuh"
#include "neighbors/cuda/filter_plan.hpp"
#include "neighbors/cuda/item_source.cuh"
#include "neighbors/cuda/search.cuh"
#include "timing.hpp"

using namespace dunlin;
using namespace dunlin::neighbors;
using device::Cuda;
using device::CudaBuffer;

namespace {

/// Four Gaussian clusters (or one), by seed.
struct Draw {
    Index cols;
    float apart;
    float* values;
    __device__ void operator()(Offset i) const {
        const auto row = static_cast<std::uint64_t>(i / cols), col = static_cast<std::uint64_t>(i % cols);
        const double middle = math::random_normal(7, row % 4, col);
        values[i] = static_cast<float>(apart * middle + math::random_normal(8, row, col));
    }
};

/// Rows near a subspace of some directions, as images are.
struct DrawNearSubspace {
    static constexpr std::uint64_t directions = 24;
    Index cols;
    float* values;
    Index first = 0;
    __device__ void operator()(Offset i) const {
        const auto row = static_cast<std::uint64_t>(first + i / cols), col = static_cast<std::uint64_t>(i % cols);
        double value = 0.1 * math::random_normal(8, row, col);
        for (std::uint64_t d = 0; d < directions; ++d) {
            const double along = 3 * math::random_normal(7, row % 200, d) + math::random_normal(9, row, d);
            value += along * math::random_normal(6, d, col) * 0.2;
        }
        values[i] = static_cast<float>(value);
    }
};

struct Case {
    const char* name;
    Index rows, cols, k;
    float apart;
    int runs;
    Metric metric = Metric::euclidean;
    double recall = 0;         ///< 0: exact
    std::uint64_t memory = 0;  ///< 0: the points are on the device; else on the host, and so many bytes may be used
    Index codes = 0;           ///< bytes of a row; 0: no codes
    Index queries = 0;         ///< apart from the points, in host memory; 0: the points themselves
};
constexpr Case cases[] = {
    {"mnist60k", 60000, 784, 90, 0, 7},
    {"1m50", 1000000, 50, 90, 3, 3},
    {"noise60k", 60000, 784, 90, 0, 3},
    {"50k3072", 50000, 3072, 90, 1, 3},
    {"1m50k15", 1000000, 50, 15, 3, 3},
    {"10k50", 10000, 50, 90, 3, 7},
    {"1m50noise", 1000000, 50, 90, 0, 3},
    {"10m50", 10000000, 50, 90, 3, 1},
    {"1m2048", 1200000, 2048, 90, 1, 1},
    {"60k50", 60000, 50, 90, 3, 7},
    {"manhattan", 60000, 784, 90, 0, 3, Metric::manhattan},
    {"structured1m", 1000000, 50, 90, 0, 3},
    {"structured60k", 60000, 50, 90, 0, 3},
    {"cosine", 60000, 784, 90, 0, 3, Metric::cosine},
    {"1m50recall95", 1000000, 50, 90, 3, 3, Metric::euclidean, 0.95},
    {"1m50recall99", 1000000, 50, 90, 3, 3, Metric::euclidean, 0.99},
    {"structured1mrecall95", 1000000, 50, 90, 0, 3, Metric::euclidean, 0.95},
    {"structured1mrecall99", 1000000, 50, 90, 0, 3, Metric::euclidean, 0.99},
    {"product", 60000, 784, 90, 0, 3, Metric::inner_product},
    {"300k784", 300000, 784, 90, 0, 3},
    {"300k784streamed", 300000, 784, 90, 0, 3, Metric::euclidean, 0, std::uint64_t{2} << 30},
    {"10m50recall95", 10000000, 50, 90, 3, 1, Metric::euclidean, 0.95},
    {"10m50recall99", 10000000, 50, 90, 3, 1, Metric::euclidean, 0.99},
    {"structured5m", 5000000, 50, 90, 0, 1},
    {"structured5mrecall99", 5000000, 50, 90, 0, 1, Metric::euclidean, 0.99},
    {"structured10mrecall95", 10000000, 50, 90, 0, 1, Metric::euclidean, 0.95},
    {"structured10mrecall99", 10000000, 50, 90, 0, 1, Metric::euclidean, 0.99},
    {"1m50codes25", 1000000, 50, 90, 3, 3, Metric::euclidean, 0.95, 0, 25},
    {"structured1mcodes25", 1000000, 50, 90, 0, 3, Metric::euclidean, 0.95, 0, 25},
    {"10m50codes25", 10000000, 50, 90, 3, 1, Metric::euclidean, 0.95, 0, 25},
    {"subspace300k784", 300000, 784, 90, 0, 3},
    {"subspace300k784recall95", 300000, 784, 90, 0, 3, Metric::euclidean, 0.95},
    {"subspace300k784codes48", 300000, 784, 90, 0, 3, Metric::euclidean, 0.95, 0, 48},
    {"subspace300k784streamed", 300000, 784, 90, 0, 3, Metric::euclidean, 0, std::uint64_t{3} << 29},
    {"subspace300k784streamedcodes48", 300000, 784, 90, 0, 3, Metric::euclidean, 0.95, std::uint64_t{3} << 29, 48},
    {"subspace3m784", 3000000, 784, 90, 0, 1},
    {"subspace3m784recall95", 3000000, 784, 90, 0, 1, Metric::euclidean, 0.95},
    {"subspace3m784codes48", 3000000, 784, 90, 0, 1, Metric::euclidean, 0.95, 0, 48},
    {"subspace1m96", 1000000, 96, 15, 0, 3},
    {"subspace1m96queries100k", 1000000, 96, 15, 0, 3, Metric::euclidean, 0, 0, 0, 100000},
    {"subspace1m96recall95", 1000000, 96, 15, 0, 3, Metric::euclidean, 0.95},
    {"subspace1m96recall95queries100k", 1000000, 96, 15, 0, 3, Metric::euclidean, 0.95, 0, 0, 100000},
    {"subspace300k784codes48queries30k", 300000, 784, 90, 0, 3, Metric::euclidean, 0.95, 0, 48, 30000},
    {"subspace300k784queries30k", 300000, 784, 90, 0, 3, Metric::euclidean, 0, 0, 0, 30000},
    {"subspace3m784streamedcodes48", 3000000, 784, 90, 0, 1, Metric::euclidean, 0.95, std::uint64_t{7} << 30, 48},
};

device::DevicePoints points_of(Cuda& cuda, const Case& c, const std::string& data) {
    device::DevicePoints points{{nullptr, c.rows, c.cols}, {}};
    const auto values = static_cast<std::size_t>(c.rows) * static_cast<std::size_t>(c.cols);
    if (std::strncmp(c.name, "structured", 10) == 0) {
        cuda.upload(points.rows, made::structured(c.rows, c.cols).values);
        return points;
    }
    const std::string mnist60k = data + "/points/mnist/train-images-idx3-ubyte.gz";
    if (std::strcmp(c.name, "mnist60k") == 0 && std::filesystem::exists(mnist60k)) {
        const io::Points mnist = io::read_points(mnist60k);
        cuda.upload(points.rows, std::span(mnist.values.view().data, values));
        return points;
    }
    cuda.resize(points.rows, values);
    if (std::strncmp(c.name, "subspace", 8) == 0) {
        cuda.each(static_cast<Offset>(values), DrawNearSubspace{c.cols, points.rows.data()});
        return points;
    }
    cuda.each(static_cast<Offset>(values), Draw{c.cols, c.apart, points.rows.data()});
    return points;
}

/// Rows drawn after the points, in host memory.
std::vector<float> queries_of(Cuda& cuda, const Case& c) {
    CudaBuffer<float> rows;
    cuda.resize(rows, static_cast<std::size_t>(c.queries) * static_cast<std::size_t>(c.cols));
    cuda.each(static_cast<Offset>(rows.size()), DrawNearSubspace{c.cols, rows.data(), c.rows});
    return cuda.host(rows);
}

/// A block of queries with all that the steps of its search need.
struct Block {
    Block(Cuda& cuda, const device::DevicePoints& points, const Case& c)
        : items(cuda, points, Metric::euclidean),
          count(std::min<Index>(c.rows, 1 << 16)),
          base(items.load(cuda, 0, items.count(), unused)),
          queries(items.load(cuda, 0, count, unused)),
          plan(plan_filter(c.rows, c.k + 1, base_tile)),
          frame(find_frame(cuda, items.sample(cuda, 0, items.count()))),
          left(static_cast<std::size_t>(count), cuda.stream()) {
        lists.capacity = list_capacity(c.k + 1);
        cuda.resize(lists.entries, static_cast<std::size_t>(count) * static_cast<std::size_t>(lists.capacity));
        nearest.wanted = c.k;
        cuda.resize(nearest.keys, static_cast<std::size_t>(count) * static_cast<std::size_t>(c.k));
        cuda.resize(nearest.items, nearest.keys.size());
        cuda.wait();
    }

    ItemSource items;
    LoadedRows unused;
    Index count;
    ItemRows base, queries;
    FilterPlan plan;
    distance::HalfFrame frame;
    FilterRows half_base, half_query;
    CandidateLists lists;
    CudaBuffer<Index> order;
    Reach reach;
    NearestLists nearest;
    CudaBuffer<std::uint8_t> left;  ///< 1: the query is not settled
};

/// Milliseconds of each step.
struct Steps {
    double base = 0, queries = 0, list = 0, tighten = 0, filter = 0, last_filter = 0, refine = 0;
};

Steps search(Cuda& cuda, Block& b) {
    Steps ms;
    bench::DeviceTimer timer(cuda);
    order_base(cuda, b.items.count(), b.order);
    round_base(cuda, b.base.rows, b.order, b.frame, b.half_base);
    ms.base = timer.lap();
    round_queries(cuda, b.queries.rows, nullptr, b.count, b.frame, b.half_query);
    reset(cuda, b.count, b.reach);
    cuda.fill(b.lists.counts, static_cast<std::size_t>(b.count), static_cast<int>(b.plan.ends[0]));
    ms.queries = timer.lap();
    list_all(cuda, b.half_query, b.half_base, {}, tiles_of(b.plan.ends[0]), b.lists);
    ms.list = timer.lap();
    for (std::size_t pass = 0; pass + 1 < b.plan.ends.size(); ++pass) {
        tighten(cuda, b.plan.ranks[pass], b.half_base, b.half_query, b.lists, b.reach);
        ms.tighten += timer.lap();
        filter_candidates(cuda, b.half_query, b.reach.limits.data(), b.half_base, {}, b.plan.ends[pass] / base_tile,
                          tiles_of(b.plan.ends[pass + 1]), b.lists);
        ms.last_filter = timer.lap();
        ms.filter += ms.last_filter;
    }
    refine(cuda,
           {.queries = b.queries,
            .base = b.base,
            .count = b.count,
            .measure = {.scale = b.frame.scale},
            .half_queries = &b.half_query,
            .half_base = &b.half_base},
           b.lists, b.reach, b.nearest, b.left);
    ms.refine = timer.lap();
    return ms;
}

/// The steps of the search over one block of queries, timed apart, after a first round.
void by_step(Cuda& cuda, const device::DevicePoints& points, const Case& c) {
    Block block(cuda, points, c);
    search(cuda, block);
    const Steps ms = search(cuda, block);
    const std::vector<int> listed = cuda.host(block.lists.counts);
    const std::vector<std::uint8_t> left = cuda.host(block.left);
    const auto overflowed =
        std::count_if(listed.begin(), listed.end(), [&](int n) { return n > block.lists.capacity; });
    const double flop = 2.0 * block.count * c.cols * (c.rows - block.plan.ends[0]);
    std::printf(
        "  %d queries: base %.2f queries %.2f list %.2f tighten %.2f filter %.2f (last %.2f; %.0f TFLOP/s) "
        "refine %.2f ms; %.1f listed a query, %d unsettled (%d overflowed)\n",
        block.count, ms.base, ms.queries, ms.list, ms.tighten, ms.filter, ms.last_filter, flop / ms.filter * 1e-9,
        ms.refine, std::accumulate(listed.begin(), listed.end(), 0.0) / block.count,
        std::accumulate(left.begin(), left.end(), 0), static_cast<int>(overflowed));
}

void measure(const Case& c, const std::string& data) {
    Cuda cuda{dunlin::Run{.memory = c.memory}};
    device::DevicePoints points = points_of(cuda, c, data);
    std::vector<float> host;
    if (c.memory > 0) {
        host = cuda.host(points.rows);
        points = {{host.data(), c.rows, c.cols}, {}};
    }
    const std::vector<float> queries = queries_of(cuda, c);
    const SearchParameters parameters{.exact = c.recall == 0, .recall = c.recall, .codes = c.codes};
    const auto search_once = [&] {
        if (c.queries == 0) return search_on_device(cuda, points, c.k, c.metric, parameters);
        return search_queries_on_device(cuda, points, {queries.data(), c.queries, c.cols}, c.k, c.metric, parameters);
    };
    std::vector<double> times;
    FoundOnDevice found;
    device::reset_cuda_peak_memory();
    for (int run = 0; run < c.runs + (c.runs > 1 ? 1 : 0); ++run) {
        found = {};
        cuda.wait();
        bench::DeviceTimer timer(cuda);
        found = search_once();
        const double ms = timer.lap();
        if (run > 0 || c.runs == 1) times.push_back(ms);
    }
    const Index lists = c.queries > 0 ? c.queries : c.rows;
    const double flop = 2.0 * lists * c.rows * c.cols, ms = bench::median(times);
    const double rate = flop / ms * 1e-9;
    std::printf("%s: %d x %d, k %d: %.2f ms (median of %d), %.0f TFLOP/s, %.0f %% of 790\n", c.name, c.rows, c.cols,
                c.k, ms, c.runs, rate, rate / 7.9);
    std::printf("  %d lists, %.0f a second; %.3f GB of GPU memory at most\n", lists, lists / ms * 1e3,
                static_cast<double>(device::cuda_peak_memory()) * 1e-9);
    if (c.recall > 0) {
        std::printf("  %d cells probed, recall %.4f +- %.4f\n", found.probes, found.recall, found.recall_se);
    } else if (c.metric == Metric::euclidean && points.held() && c.queries == 0) {
        found = {};
        by_step(cuda, points, c);
    }
    std::fflush(stdout);
}

}  // namespace

int bench_main(int count, char** words) {
    const bench::Arguments given = bench::arguments_from(count, words, {"--data"});
    for (const Case& c : cases) {
        const bool quick = c.runs > 1;
        if (given.wants(c.name) && (quick || !given.cases.empty())) measure(c, given.data);
    }
    return 0;
}
