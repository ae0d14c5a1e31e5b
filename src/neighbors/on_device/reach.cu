#include <limits>

#include "neighbors/on_device/reach.cuh"
#include "neighbors/on_device/sorting.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int threads = 256;

struct Task {
    Index rank;
    const float* base_most;  ///< largest error and square of the base
    __half* values;
    const float *errors, *squares;
    Index width, cols;
    ListsView lists;
    float *distances, *reach;
};

/// The distance at which the entry's row lies, or more, unless the rim of the frame changed it.
__device__ double distance_within(const Task& task, Index query, Entry entry) {
    const double most_error = static_cast<double>(task.base_most[0]), reach = static_cast<double>(task.reach[query]);
    const double squares = static_cast<double>(task.squares[query]) + static_cast<double>(task.base_most[1]);
    const double passed = isinf(reach) ? 0.0 : reach * reach;
    const double slack = 4 * sketch_slack(task.width) * (squares + passed + most_error * most_error);
    return sqrt(static_cast<double>(square_of(entry)) + slack) + static_cast<double>(task.errors[query]) + most_error;
}

/// How many of the sorted entries lie within this distance.
__device__ int count_within(const Entry* sorted, int count, double distance) {
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sqrt(static_cast<double>(square_of(sorted[middle]))) <= distance) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Block q tightens query q.
__global__ void tighten_kernel(Task task) {
    extern __shared__ Entry sorted[];
    __shared__ int kept;
    const auto query = static_cast<Index>(blockIdx.x);
    __half* tail = task.values + Offset{query} * task.width + task.cols;
    const int count = task.lists.counts[query], padded = power_of_two(count);
    if (count > task.lists.capacity) {
        if (threadIdx.x == 0) split_in_three(never, tail + 4);
        return;
    }
    Entry* list = task.lists.entries + Offset{query} * task.lists.capacity;
    for (int i = static_cast<int>(threadIdx.x); i < padded; i += threads) sorted[i] = i < count ? list[i] : ~Entry{0};
    __syncthreads();
    sort_block(sorted, padded);
    if (threadIdx.x == 0) {
        double distance = static_cast<double>(task.distances[query]);
        if (count >= task.rank) distance = fmin(distance, distance_within(task, query, sorted[task.rank - 1]));
        const double error = static_cast<double>(task.errors[query]);
        const float within = __double2float_rd(fmin(distance, static_cast<double>(farthest_reach) - error));
        task.distances[query] = within;
        task.reach[query] =
            set_reach(tail, static_cast<double>(within) + error, static_cast<double>(task.squares[query]), task.width);
        kept = count_within(sorted, count,
                            static_cast<double>(task.reach[query]) + static_cast<double>(task.base_most[0]));
        task.lists.counts[query] = kept;
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kept; i += threads) list[i] = sorted[i];
}

}  // namespace

void reset(device::Cuda& cuda, Index queries, Reach& reach) {
    cuda.fill(reach.distances, static_cast<std::size_t>(queries), std::numeric_limits<float>::infinity());
    cuda.fill(reach.reach, static_cast<std::size_t>(queries), std::numeric_limits<float>::infinity());
}

void tighten(device::Cuda& cuda, Index rank, const Sketch& base, Sketch& queries, Lists& lists, Reach& reach) {
    const Task task{
        rank,          base.most.data(), queries.values.data(), queries.errors.data(),  queries.squares.data(),
        queries.width, queries.cols,     lists.view(),          reach.distances.data(), reach.reach.data()};
    const std::size_t shared = static_cast<std::size_t>(lists.capacity) * sizeof(Entry);
    device::cuda_check(
        cudaFuncSetAttribute(tighten_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
    tighten_kernel<<<static_cast<unsigned>(queries.count), threads, shared, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::neighbors
