// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/d2_sampler.cuh"

#include "kmeans/d2_sampling.hpp"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 128;       ///< threads and rows of a block that computes distances
constexpr int columns = 32;        ///< columns in shared memory at a time
constexpr int abreast = 8;         ///< centroids processed together
constexpr int part_threads = 256;  ///< threads of a block that adds D^2 weights
constexpr Index part_rows = 1024;  ///< D^2 weights added by one block
constexpr Index wait_every = 64;   ///< steps between two waits, so that cancellation is noticed

__device__ double d2_weight_at(const D2Weights& s, Offset row, float distance) {
    return d2_weight_of(s.weights != nullptr ? static_cast<double>(s.weights[row]) : 1.0, distance);
}
__device__ double scale_of(const D2Weights& s) {
    return integer_scale(__longlong_as_double(static_cast<long long>(*s.most)), s.n);
}
__device__ Sum integer_weight(const D2Weights& s, Offset row, double scale) {
    return to_integer(d2_weight_at(s, row, s.nearest[row]), scale);
}
__host__ __device__ Index blocks_of(Index n) { return (n + part_rows - 1) / part_rows; }

struct Tile {
    float rows[threads][columns + 1], centroids[abreast][columns];
};

/// Loads columns [from, from + here) of the block's rows and of the centroids, which are rows too.
__device__ void load(const D2Weights& s, const Index* centroids, int count, Offset first, Index from, Index here,
                     Tile& tile) {
    __syncthreads();
    for (Index i = static_cast<Index>(threadIdx.x); i < threads * here; i += threads) {
        const Offset row = min(first + i / here, Offset{s.n} - 1);
        tile.rows[i / here][i % here] = s.rows[row * s.cols + from + i % here];
    }
    for (Index i = static_cast<Index>(threadIdx.x); i < abreast * here; i += threads) {
        const Offset row = centroids[min(i / here, count - 1)];
        tile.centroids[i / here][i % here] = s.rows[row * s.cols + from + i % here];
    }
    __syncthreads();
}

/// One thread per row, up to `abreast` centroids. Updates: lowers the distances to the nearest centroid; otherwise
/// computes, for each of these centroids, the sum of D^2 weights if it were added.
template <bool Updates, int Abreast>
__global__ void __launch_bounds__(threads) distance_kernel(D2Weights s, const Index* centroids, int count) {
    __shared__ Tile tile;
    const Offset first = Offset{blockIdx.x} * threads, row = first + threadIdx.x;
    float sums[Abreast] = {};
    for (Index from = 0; from < s.cols; from += columns) {
        const Index here = min(static_cast<Index>(columns), s.cols - from);
        load(s, centroids, count, first, from, here, tile);
        for (Index c = 0; c < here; ++c) {
#pragma unroll
            for (int j = 0; j < Abreast; ++j) {
                sums[j] = add_float_square(sums[j], tile.rows[threadIdx.x][c], tile.centroids[j][c]);
            }
        }
    }
    float nearest = row < s.n ? s.nearest[row] : 0;
    const double scale = Updates ? 0 : scale_of(s);
#pragma unroll
    for (int j = 0; j < Abreast; ++j) {
        if (j >= count) break;
        if constexpr (Updates) {
            nearest = fminf(nearest, sums[j]);
        } else {
            Sum integer_weight = row < s.n ? to_integer(d2_weight_at(s, row, fminf(nearest, sums[j])), scale) : 0;
            for (int lanes = 16; lanes > 0; lanes /= 2) integer_weight += __shfl_xor_sync(~0U, integer_weight, lanes);
            if (threadIdx.x % 32 == 0) add_to(s.sums + j, integer_weight);
        }
    }
    if (Updates && row < s.n) s.nearest[row] = nearest;
}

/// The largest D^2 weight; bits of nonnegative doubles are ordered like the doubles.
__global__ void max_kernel(D2Weights s) {
    Bits most = 0;
    for (Offset row = Offset{blockIdx.x} * blockDim.x + threadIdx.x; row < s.n; row += Offset{gridDim.x} * blockDim.x) {
        most = max(most, static_cast<Bits>(__double_as_longlong(d2_weight_at(s, row, s.nearest[row]))));
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) most = max(most, __shfl_xor_sync(~0U, most, lanes));
    if (threadIdx.x % 32 == 0) atomicMax(s.most, most);
}

/// Sum of the D^2 weights of a thread's rows, which are contiguous, in a block of part_rows rows.
__device__ Sum sum_of_weights(const D2Weights& s, Index block) {
    constexpr Index each = part_rows / part_threads;
    const double scale = scale_of(s);
    const Offset first = Offset{block} * part_rows + static_cast<Offset>(threadIdx.x) * each;
    Sum sum = 0;
    for (Offset row = first; row < min(first + each, Offset{s.n}); ++row) sum += integer_weight(s, row, scale);
    return sum;
}

__global__ void __launch_bounds__(part_threads) parts_kernel(D2Weights s) {
    __shared__ Bits sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    add_to(&sum, sum_of_weights(s, static_cast<Index>(blockIdx.x)));
    __syncthreads();
    if (threadIdx.x == 0) s.parts[blockIdx.x] = sum;
}

/// Index of the first of `count` values whose running sum exceeds `target`, which is reduced by the values before it.
template <class Value>
__device__ Index passed(Index count, const Value& value, Sum& target) {
    for (Index i = 0; i + 1 < count; ++i) {
        const Sum here = value(i);
        if (target < here) return i;
        target -= here;
    }
    return count - 1;
}

/// Draws a row by D^2 weight; one block per draw.
__global__ void __launch_bounds__(part_threads) draw_kernel(D2Weights s, std::uint64_t seed, Index k, Index* drawn) {
    __shared__ Sum sums[part_threads];
    __shared__ Sum target;
    __shared__ Index found;
    const double u = draw_number(seed, k, static_cast<int>(blockIdx.x));
    const auto thread = static_cast<Index>(threadIdx.x);
    const Index each = (blocks_of(s.n) + part_threads - 1) / part_threads;
    const Index from = min(blocks_of(s.n), thread * each), to = min(blocks_of(s.n), from + each);
    Sum sum = 0;
    for (Index b = from; b < to; ++b) sum += static_cast<Sum>(s.parts[b]);
    sums[thread] = sum;
    __syncthreads();
    if (thread == 0) {
        Sum all = 0;
        for (const Sum of_thread : sums) all += of_thread;
        found = -1;
        if (all > 0) {
            target = target_of(u, all);
            const Index begin = passed(part_threads, [&](Index t) { return sums[t]; }, target) * each;
            found = begin + passed(
                                min(each, blocks_of(s.n) - begin),
                                [&](Index b) { return static_cast<Sum>(s.parts[begin + b]); }, target);
        } else {
            drawn[blockIdx.x] = static_cast<Index>(any_row(u, s.n));
        }
    }
    __syncthreads();
    if (found < 0) return;
    sums[thread] = sum_of_weights(s, found);
    __syncthreads();
    if (thread != 0) return;
    constexpr Index of_thread = part_rows / part_threads;
    const Index begin = found * part_rows + passed(part_threads, [&](Index t) { return sums[t]; }, target) * of_thread;
    const double scale = scale_of(s);
    drawn[blockIdx.x] =
        begin +
        passed(min(of_thread, s.n - begin), [&](Index r) { return integer_weight(s, begin + r, scale); }, target);
}

/// Chooses the candidate of the least sum, the first of equals.
__global__ void choose_kernel(const Bits* sums, const Index* candidates, int draws, Index* chosen) {
    int best = 0;
    for (int j = 1; j < draws; ++j) {
        if (sums[j] < sums[best]) best = j;
    }
    *chosen = candidates[best];
}

struct DrawMany {
    D2Weights s;
    double wanted;
    Sum sum;
    std::uint64_t seed;
    int round;
    Index* drawn;
    unsigned* count;
    __device__ void operator()(Offset row) const {
        if (!is_drawn(wanted, integer_weight(s, row, scale_of(s)), sum, seed, row, round)) return;
        drawn[atomicAdd(count, 1U)] = static_cast<Index>(row);
    }
};

}  // namespace

CudaD2Sampler::CudaD2Sampler(device::Cuda& cuda, const DeviceState& state, Index clusters) : cuda_(cuda) {
    const auto draws = static_cast<std::size_t>(draws_of(clusters));
    cuda.resize(nearest_, static_cast<std::size_t>(state.n));
    cuda.resize(parts_, static_cast<std::size_t>(blocks_of(state.n)));
    cuda.resize(sums_, draws);
    cuda.resize(candidates_, draws);
    cuda.resize(chosen_, static_cast<std::size_t>(clusters));
    weights_ = {state.rows.data(), state.weights.data(), nearest_.data(), parts_.data(),
                sums_.data(),      cuda.address(most_),  state.n,         state.cols};
}

void CudaD2Sampler::begin(Offset row) {
    cuda_.fill(nearest_, nearest_.size(), INFINITY);
    const auto first = static_cast<Index>(row);
    cuda_.copy_in(chosen_.data(), &first, sizeof(first));
    chosen_count_ = 1;
}

void CudaD2Sampler::find_distances(const Index* rows, int count, bool updates) {
    const auto blocks = static_cast<unsigned>((weights_.n + threads - 1) / threads);
    D2Weights weights = weights_;
    for (int done = 0; done < count; done += abreast) {
        const int here = std::min(abreast, count - done);
        const auto kernel = !updates    ? distance_kernel<false, abreast>
                            : here == 1 ? distance_kernel<true, 1>
                                        : distance_kernel<true, abreast>;
        kernel<<<blocks, threads, 0, cuda_.stream()>>>(weights, rows + done, here);
        device::cuda_check(cudaGetLastError());
        weights.sums += abreast;
    }
}

void CudaD2Sampler::add_up() {
    device::cuda_check(cudaMemsetAsync(weights_.most, 0, sizeof(Bits), cuda_.stream()));
    max_kernel<<<static_cast<unsigned>(4 * cuda_.multiprocessors()), part_threads, 0, cuda_.stream()>>>(weights_);
    parts_kernel<<<static_cast<unsigned>(blocks_of(weights_.n)), part_threads, 0, cuda_.stream()>>>(weights_);
    device::cuda_check(cudaGetLastError());
}

void CudaD2Sampler::update(const std::vector<Offset>& rows) {
    device::CudaBuffer<Index> ids;
    cuda_.upload(ids, std::vector<Index>(rows.begin(), rows.end()));
    find_distances(ids.data(), static_cast<int>(rows.size()), true);
    add_up();
}

void CudaD2Sampler::add(Index k, std::uint64_t seed, int draws) {
    find_distances(chosen_.data() + chosen_count_ - 1, 1, true);
    add_up();
    draw_kernel<<<static_cast<unsigned>(draws), part_threads, 0, cuda_.stream()>>>(weights_, seed, k,
                                                                                   candidates_.data());
    device::cuda_check(cudaMemsetAsync(weights_.sums, 0, sums_.size() * sizeof(Bits), cuda_.stream()));
    find_distances(candidates_.data(), draws, false);
    choose_kernel<<<1, 1, 0, cuda_.stream()>>>(weights_.sums, candidates_.data(), draws,
                                               chosen_.data() + chosen_count_++);
    device::cuda_check(cudaGetLastError());
    if (chosen_count_ % wait_every == 0) cuda_.wait();
}

std::vector<Offset> CudaD2Sampler::draw_many(double wanted, std::uint64_t seed, int round) {
    Sum sum = 0;
    for (const Bits part : cuda_.host(parts_)) sum += static_cast<Sum>(part);
    device::CudaBuffer<Index> drawn;
    device::CudaBuffer<unsigned> count;
    cuda_.resize(drawn, nearest_.size());
    cuda_.fill(count, 1, 0U);
    cuda_.each(weights_.n, DrawMany{weights_, wanted, sum, seed, round, drawn.data(), count.data()});
    std::vector<Index> rows(cuda_.host(count)[0]);
    cuda_.copy_out(rows.data(), drawn.data(), rows.size() * sizeof(Index));
    std::sort(rows.begin(), rows.end());
    return {rows.begin(), rows.end()};
}

std::vector<Offset> CudaD2Sampler::chosen() {
    const std::vector<Index> rows = cuda_.host(chosen_);
    return {rows.begin(), rows.begin() + chosen_count_};
}

}  // namespace dunlin::kmeans
