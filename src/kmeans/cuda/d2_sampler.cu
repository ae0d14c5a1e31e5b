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
    if (s.scale > 0) return s.scale;
    return integer_scale(__longlong_as_double(static_cast<long long>(*s.most)), s.n);
}
__device__ Sum integer_weight(const D2Weights& s, Offset row, double scale) {
    return to_integer(d2_weight_at(s, row, s.nearest[row]), scale);
}
__host__ __device__ Index blocks_of(Index n) { return (n + part_rows - 1) / part_rows; }

/// The centroids of a pass over the rows: of `values`, count x cols, or those of the numbers `rows`.
struct PassCentroids {
    const float* values;
    const Index* rows;  ///< null: 0, 1, 2, ..
    int count;

    /// `here` of them, from this one on.
    [[nodiscard]] PassCentroids part(int first, int here, Index cols) const {
        if (rows != nullptr) return {values, rows + first, here};
        return {values + Offset{first} * cols, nullptr, here};
    }
    __device__ Offset number(Index i) const {
        const Index at = min(i, count - 1);
        return rows != nullptr ? rows[at] : at;
    }
};

struct Tile {
    float rows[threads][columns + 1], centroids[abreast][columns];
};

/// Loads columns [from, from + here) of the block's rows and of the centroids.
__device__ void load(const D2Weights& s, const PassCentroids& centroids, Offset first, Index from, Index here,
                     Tile& tile) {
    __syncthreads();
    for (Index i = static_cast<Index>(threadIdx.x); i < threads * here; i += threads) {
        const Offset row = min(first + i / here, Offset{s.n} - 1);
        tile.rows[i / here][i % here] = s.rows[row * s.cols + from + i % here];
    }
    for (Index i = static_cast<Index>(threadIdx.x); i < abreast * here; i += threads) {
        const float* centroid = centroids.values + centroids.number(i / here) * s.cols;
        tile.centroids[i / here][i % here] = centroid[from + i % here];
    }
    __syncthreads();
}

/// *most = max(*most, the doubles of a warp), none of which is negative: their bits are ordered like themselves.
__device__ void raise_to(Bits* most, double value) {
    Bits bits = static_cast<Bits>(__double_as_longlong(value));
    for (int lanes = 16; lanes > 0; lanes /= 2) bits = max(bits, __shfl_xor_sync(~0U, bits, lanes));
    if (threadIdx.x % 32 == 0) atomicMax(most, bits);
}

/// One thread per row, up to `abreast` centroids. Updates: lowers the distances to the nearest centroid; otherwise
/// computes, for each of these centroids, the sum of D^2 weights if it were added.
template <bool Updates, int Abreast>
__global__ void __launch_bounds__(threads) distance_kernel(D2Weights s, PassCentroids centroids) {
    __shared__ Tile tile;
    const Offset first = Offset{blockIdx.x} * threads, row = first + threadIdx.x;
    float sums[Abreast] = {};
    for (Index from = 0; from < s.cols; from += columns) {
        const Index here = min(static_cast<Index>(columns), s.cols - from);
        load(s, centroids, first, from, here, tile);
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
        if (j >= centroids.count) break;
        if constexpr (Updates) {
            nearest = fminf(nearest, sums[j]);
        } else {
            const double weight = row < s.n ? d2_weight_at(s, row, fminf(nearest, sums[j])) : 0;
            Sum integer_weight = to_integer(weight, scale);
            for (int lanes = 16; lanes > 0; lanes /= 2) integer_weight += __shfl_xor_sync(~0U, integer_weight, lanes);
            if (threadIdx.x % 32 == 0) add_to(s.sums + j, integer_weight);
            if (s.scale > 0) raise_to(s.most + j, weight);
        }
    }
    if (Updates && row < s.n) s.nearest[row] = nearest;
}

/// The largest D^2 weight.
__global__ void max_kernel(D2Weights s) {
    double most = 0;
    for (Offset row = Offset{blockIdx.x} * blockDim.x + threadIdx.x; row < s.n; row += Offset{gridDim.x} * blockDim.x) {
        most = fmax(most, d2_weight_at(s, row, s.nearest[row]));
    }
    raise_to(s.most, most);
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
    Offset first;  ///< number of row 0 among all
    Index* drawn;
    unsigned* count;
    __device__ void operator()(Offset row) const {
        if (!is_drawn(wanted, integer_weight(s, row, scale_of(s)), sum, seed, first + row, round)) return;
        drawn[atomicAdd(count, 1U)] = static_cast<Index>(row);
    }
};

/// Updates: lowers the distances to these centroids; otherwise adds the D^2 weights with each of them to weights.sums.
void find_distances(device::Cuda& cuda, D2Weights weights, const PassCentroids& centroids, bool updates) {
    const auto blocks = static_cast<unsigned>((weights.n + threads - 1) / threads);
    for (int done = 0; done < centroids.count; done += abreast) {
        const int here = std::min(abreast, centroids.count - done);
        const auto kernel = !updates    ? distance_kernel<false, abreast>
                            : here == 1 ? distance_kernel<true, 1>
                                        : distance_kernel<true, abreast>;
        kernel<<<blocks, threads, 0, cuda.stream()>>>(weights, centroids.part(done, here, weights.cols));
        device::cuda_check(cudaGetLastError());
        weights.sums += abreast;
        if (weights.scale > 0) weights.most += abreast;
    }
}

/// The rows of a round of k-means||, ascending.
std::vector<Offset> draw_rows(device::Cuda& cuda, const D2Weights& weights, double wanted, Sum sum, std::uint64_t seed,
                              int round, Offset first) {
    device::CudaBuffer<Index> drawn;
    device::CudaBuffer<unsigned> count;
    cuda.resize(drawn, static_cast<std::size_t>(weights.n));
    cuda.fill(count, 1, 0U);
    cuda.each(weights.n, DrawMany{weights, wanted, sum, seed, round, first, drawn.data(), count.data()});
    std::vector<Index> rows(cuda.host(count)[0]);
    cuda.copy_out(rows.data(), drawn.data(), rows.size() * sizeof(Index));
    std::sort(rows.begin(), rows.end());
    return {rows.begin(), rows.end()};
}

void find_most(device::Cuda& cuda, const D2Weights& weights) {
    device::cuda_check(cudaMemsetAsync(weights.most, 0, sizeof(Bits), cuda.stream()));
    max_kernel<<<static_cast<unsigned>(4 * cuda.multiprocessors()), part_threads, 0, cuda.stream()>>>(weights);
    device::cuda_check(cudaGetLastError());
}

void find_parts(device::Cuda& cuda, const D2Weights& weights) {
    parts_kernel<<<static_cast<unsigned>(blocks_of(weights.n)), part_threads, 0, cuda.stream()>>>(weights);
    device::cuda_check(cudaGetLastError());
}

void clear(device::Cuda& cuda, device::CudaBuffer<Bits>& buffer) {
    device::cuda_check(cudaMemsetAsync(buffer.data(), 0, buffer.size() * sizeof(Bits), cuda.stream()));
}

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
    kmeans::find_distances(cuda_, weights_, {weights_.rows, rows, count}, updates);
}

void CudaD2Sampler::add_up() {
    find_most(cuda_, weights_);
    find_parts(cuda_, weights_);
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
    return draw_rows(cuda_, weights_, wanted, sum, seed, round, 0);
}

std::vector<Offset> CudaD2Sampler::chosen() {
    const std::vector<Index> rows = cuda_.host(chosen_);
    return {rows.begin(), rows.begin() + chosen_count_};
}

CudaChunkWeights::CudaChunkWeights(device::Cuda& cuda, const DeviceState& state) : cuda_(cuda) {
    cuda.fill(nearest_, static_cast<std::size_t>(state.n), INFINITY);
    cuda.resize(parts_, static_cast<std::size_t>(blocks_of(state.n)));
    cuda.resize(most_, 1);
    weights_ = {state.rows.data(), state.weights.data(), nearest_.data(), parts_.data(),
                nullptr,           most_.data(),         state.n,         state.cols};
}

Index CudaChunkWeights::count_of(const std::vector<float>& values) const {
    return static_cast<Index>(values.size() / static_cast<std::size_t>(weights_.cols));
}

void CudaChunkWeights::lower(const std::vector<float>& centroids) {
    cuda_.upload(centroids_, centroids);
    find_distances(cuda_, weights_, {centroids_.data(), nullptr, count_of(centroids)}, true);
}

double CudaChunkWeights::most() {
    D2Weights weights = weights_;
    weights.most = most_.data();
    find_most(cuda_, weights);
    return std::bit_cast<double>(cuda_.host(most_)[0]);
}

std::vector<Sum> CudaChunkWeights::block_sums(double scale) {
    D2Weights weights = weights_;
    weights.scale = scale;
    find_parts(cuda_, weights);
    const std::vector<Bits> parts = cuda_.host(parts_);
    return {parts.begin(), parts.end()};
}

std::vector<float> CudaChunkWeights::distances(Offset begin, Offset end) {
    std::vector<float> values(static_cast<std::size_t>(end - begin));
    cuda_.copy_out(values.data(), nearest_.data() + begin, values.size() * sizeof(float));
    return values;
}

void CudaChunkWeights::score(const std::vector<float>& candidates, double scale, std::vector<Sum>& sums,
                             std::vector<double>& most) {
    const Index count = count_of(candidates);
    device::CudaBuffer<Bits> most_of_each;
    cuda_.resize(sums_, static_cast<std::size_t>(count));
    cuda_.resize(most_of_each, static_cast<std::size_t>(count));
    clear(cuda_, sums_);
    clear(cuda_, most_of_each);
    cuda_.upload(centroids_, candidates);
    D2Weights weights = weights_;
    weights.sums = sums_.data();
    weights.most = most_of_each.data();
    weights.scale = scale;
    find_distances(cuda_, weights, {centroids_.data(), nullptr, count}, false);
    for (const Bits sum : cuda_.host(sums_)) sums.push_back(static_cast<Sum>(sum));
    for (const Bits bits : cuda_.host(most_of_each)) most.push_back(std::bit_cast<double>(bits));
}

std::vector<Offset> CudaChunkWeights::draw(double wanted, Sum sum, double scale, std::uint64_t seed, int round,
                                           Offset first) {
    D2Weights weights = weights_;
    weights.scale = scale;
    return draw_rows(cuda_, weights, wanted, sum, seed, round, first);
}

}  // namespace dunlin::kmeans
