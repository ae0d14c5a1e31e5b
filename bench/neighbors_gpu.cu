// Neighbours on the GPU: the whole search, exact or by cells, and where a block of exact queries spends its time.
//     bench_neighbors_gpu [case ...]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dunlin/io.hpp>

#include "made.hpp"
#include "math/rng.hpp"
#include "neighbors/on_device.cuh"
#include "neighbors/on_device/blocks.cuh"
#include "neighbors/on_device/plan.hpp"
#include "neighbors/on_device/sieve.cuh"

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

class Timer {
public:
    explicit Timer(cudaStream_t stream) : stream_(stream) {
        cudaEventCreate(&begin_);
        cudaEventCreate(&end_);
        cudaEventRecord(begin_, stream_);
    }
    /// Since the last lap.
    double lap() {
        cudaEventRecord(end_, stream_);
        cudaEventSynchronize(end_);
        float ms = 0;
        cudaEventElapsedTime(&ms, begin_, end_);
        cudaEventRecord(begin_, stream_);
        return ms;
    }

private:
    cudaStream_t stream_;
    cudaEvent_t begin_{}, end_{};
};

struct Case {
    const char* name;
    Index rows, cols, k;
    float apart;
    int runs;
    Metric metric = Metric::euclidean;
    double recall = 0;         ///< 0: exact
    std::uint64_t memory = 0;  ///< 0: the points are on the device; else on the host, and so many bytes may be used
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
    {"structured10mrecall95", 10000000, 50, 90, 0, 1, Metric::euclidean, 0.95},
    {"structured10mrecall99", 10000000, 50, 90, 0, 1, Metric::euclidean, 0.99},
};

device::DevicePoints points_of(Cuda& cuda, const Case& c) {
    device::DevicePoints points{{nullptr, c.rows, c.cols}, {}};
    const auto values = static_cast<std::size_t>(c.rows) * static_cast<std::size_t>(c.cols);
    if (std::strncmp(c.name, "structured", 10) == 0) {
        cuda.upload(points.rows, made::structured(c.rows, c.cols).values);
        return points;
    }
    const char* data = std::getenv("DUNLIN_DATA");
    if (std::strcmp(c.name, "mnist60k") == 0 && data != nullptr) {
        const io::Points mnist = io::read_points(std::string(data) + "/points/mnist/train-images-idx3-ubyte.gz");
        cuda.upload(points.rows, std::span(mnist.values.view().data, values));
        return points;
    }
    cuda.resize(points.rows, values);
    cuda.each(static_cast<Offset>(values), Draw{c.cols, c.apart, points.rows.data()});
    return points;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// The steps of the search over one block of queries, timed apart.
void by_step(Cuda& cuda, const device::DevicePoints& points, const Case& c) {
    ItemSource items(cuda, points, Metric::euclidean);
    LoadedRows unused;
    const Index count = std::min<Index>(c.rows, 1 << 16);
    const ItemRows base = items.load(cuda, 0, items.count(), unused), queries = items.load(cuda, 0, count, unused);
    const SievePlan plan = plan_sieve(c.rows, c.k + 1, base_tile);
    Sketch base_sketch, query_sketch;
    Lists lists;
    lists.capacity = list_capacity(c.k + 1);
    cuda.resize(lists.entries, static_cast<std::size_t>(count) * static_cast<std::size_t>(lists.capacity));
    CudaBuffer<Index> order;
    Reach reach;
    Nearest nearest;
    nearest.wanted = c.k;
    cuda.resize(nearest.keys, static_cast<std::size_t>(count) * static_cast<std::size_t>(c.k));
    cuda.resize(nearest.items, nearest.keys.size());
    CudaBuffer<std::uint8_t> left(static_cast<std::size_t>(count), cuda.stream());
    const DeviceFrame frame = find_frame(cuda, items.sample(cuda, 0, items.count()));
    cuda.wait();
    for (int run = 0; run < 2; ++run) {
        Timer timer(cuda.stream());
        order_base(cuda, c.rows, order);
        sketch_base(cuda, base.rows, order, frame, base_sketch);
        const double sketch = timer.lap();
        sketch_queries(cuda, queries.rows, nullptr, count, frame, query_sketch);
        reset(cuda, count, reach);
        cuda.fill(lists.counts, static_cast<std::size_t>(count), static_cast<int>(plan.ends[0]));
        const double query = timer.lap();
        list_all(cuda, query_sketch, base_sketch, {}, tiles_of(plan.ends[0]), lists);
        const double all = timer.lap();
        double tightening = 0, sieving = 0, last = 0;
        for (std::size_t pass = 0; pass + 1 < plan.ends.size(); ++pass) {
            tighten(cuda, plan.ranks[pass], base_sketch, query_sketch, lists, reach);
            tightening += timer.lap();
            sieve(cuda, query_sketch, reach.limits.data(), base_sketch, {}, plan.ends[pass] / base_tile,
                  tiles_of(plan.ends[pass + 1]), lists);
            last = timer.lap();
            sieving += last;
        }
        rank(cuda,
             {.queries = queries,
              .base = base,
              .count = count,
              .measure = {.scale = frame.scale},
              .sketch = &query_sketch,
              .base_sketch = &base_sketch},
             lists, reach, nearest, left);
        const double ranking = timer.lap();
        if (run == 0) continue;
        double listed = 0, unsettled = 0;
        for (const int n : cuda.host(lists.counts)) listed += n;
        for (const int l : cuda.host(left)) unsettled += l;
        int overflowed = 0;
        for (const int n : cuda.host(lists.counts)) overflowed += n > lists.capacity ? 1 : 0;
        const double flop = 2.0 * count * c.cols * (c.rows - plan.ends[0]);
        std::printf(
            "  %d queries: base %.2f queries %.2f list %.2f tighten %.2f sieve %.2f (last %.2f; %.0f TFLOP/s) "
            "rank %.2f ms; %.1f listed a query, %.0f unsettled (%d overflowed)\n",
            count, sketch, query, all, tightening, sieving, last, flop / sieving * 1e-9, ranking, listed / count,
            unsettled, overflowed);
    }
}

void bench(const Case& c) {
    Cuda cuda{dunlin::Run{.memory = c.memory}};
    device::DevicePoints points = points_of(cuda, c);
    std::vector<float> host;
    if (c.memory > 0) {
        host = cuda.host(points.rows);
        points = {{host.data(), c.rows, c.cols}, {}};
    }
    std::vector<double> times;
    FoundOnDevice found;
    for (int run = 0; run < c.runs + (c.runs > 1 ? 1 : 0); ++run) {
        cuda.wait();
        Timer timer(cuda.stream());
        found = search_on_device(cuda, points, c.k, c.metric, {c.recall == 0, {}, c.recall});
        const double ms = timer.lap();
        if (run > 0 || c.runs == 1) times.push_back(ms);
    }
    const double flop = 2.0 * c.rows * c.rows * c.cols, ms = median(times);
    std::printf("%s: %d x %d, k %d: %.2f ms (median of %d), %.0f TFLOP/s\n", c.name, c.rows, c.cols, c.k, ms, c.runs,
                flop / ms * 1e-9);
    if (c.recall > 0) {
        std::printf("  %d cells visited, recall %.4f +- %.4f\n", found.probes, found.recall, found.recall_se);
    } else if (c.metric == Metric::euclidean && points.held()) {
        found = {};
        by_step(cuda, points, c);
    }
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    for (const Case& c : cases) {
        bool wanted = count == 1 && c.runs > 1;
        for (int i = 1; i < count; ++i) wanted |= std::strcmp(arguments[i], c.name) == 0;
        if (wanted) bench(c);
    }
}
