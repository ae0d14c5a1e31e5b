// SPDX-License-Identifier: Apache-2.0
#include "mixture/cuda.hpp"

#include <algorithm>
#include <cmath>

#include "device/cuda.cuh"
#include "device/points.cuh"
#include "device/ranks.cuh"
#include "mixture/cuda/densities.cuh"
#include "mixture/cuda/moments.cuh"
#include "mixture/formulas.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::mixture {

namespace {

using device::CudaBuffer;

unsigned tiles_of(Offset count, int side) { return static_cast<unsigned>((count + side - 1) / side); }

/// Responsibilities 1 of each row's label, and 0.
struct SharesOfLabels {
    double* shares;
    Offset stride;
    Index count;
    const Index* labels;
    double *inverses, *log_likelihoods;
    __device__ void operator()(Offset i) const {
        const Offset k = i / count, row = i % count;
        shares[k * stride + row] = labels[row] == static_cast<Index>(k) ? 1.0 : 0.0;
        if (k == 0) inverses[row] = 1, log_likelihoods[row] = 0;
    }
};

struct Responsibility {
    const double* shares;
    Offset stride;
    const double* inverses;
    Index components;
    float* responsibilities;
    __device__ void operator()(Offset i) const {
        const Offset row = i / components;
        responsibilities[i] = static_cast<float>(shares[i % components * stride + row] * inverses[row]);
    }
};

/// Keeps the host at most one chunk ahead of the GPU, so that a stop is noticed soon.
class ChunkPace {
public:
    ChunkPace() = default;
    ~ChunkPace() {
        for (cudaEvent_t event : done_) {
            if (event != nullptr) cudaEventDestroy(event);
        }
    }
    ChunkPace(const ChunkPace&) = delete;
    ChunkPace& operator=(const ChunkPace&) = delete;
    ChunkPace(ChunkPace&&) = delete;
    ChunkPace& operator=(ChunkPace&&) = delete;

    /// After a chunk was enqueued: waits for the one before.
    void step(device::Cuda& cuda) {
        cudaEvent_t& own = done_[next_];
        if (own == nullptr) device::cuda_check(cudaEventCreateWithFlags(&own, cudaEventDisableTiming));
        device::cuda_check(cudaEventRecord(own, cuda.stream()));
        next_ = 1 - next_;
        if (done_[next_] != nullptr) device::cuda_check(cudaEventSynchronize(done_[next_]));
    }

private:
    cudaEvent_t done_[2] = {};
    int next_ = 0;
};

class CudaExpectations final : public GpuExpectations {
public:
    CudaExpectations(MatrixView<const float> points, Covariance form, Index components, const Run& run)
        : form_(form),
          components_(components),
          cols_(points.cols),
          plan_(gpu_plan(form, components, points.rows, points.cols, ranks())),
          points_(points),
          cuda_(run),
          share_(points.rows, plan_) {
        const auto chunk = static_cast<std::size_t>(plan_.chunk_rows), width = static_cast<std::size_t>(cols_);
        hold_points();
        if (held_.size() == 0) cuda_.resize(streamed_, chunk * width);
        if (form == Covariance::tied) cuda_.resize(white_, chunk * width);
        cuda_.resize(densities_, chunk * static_cast<std::size_t>(components));
        cuda_.resize(inverses_, chunk);
        cuda_.resize(log_likelihoods_, chunk);
        cuda_.resize(labels_, static_cast<std::size_t>(share_.rows.size()));
        cuda_.resize(new_labels_, static_cast<std::size_t>(share_.rows.size()));
        // Kernels write lower triangles; zeros above them stay
        cuda_.fill(sums_, segments_of(plan_.blocks_of_chunk) * sums_of_all(), 0.0);
        cuda_.resize(total_, sums_of_all());
        if (!plan_.keeps_blocks) return;
        const Offset blocks = share_.is_first() ? plan_.blocks : share_.blocks.size();
        cuda_.resize(of_blocks_, static_cast<std::size_t>(blocks) * sums_of_all());
    }

    MomentArrays nearest(const std::vector<double>& means, const std::vector<Index>& labels) override {
        cuda_.upload(means_, means);
        return sum_chunks(true, [&](const float*, Index begin, Index count) {
            cuda_.copy_in(new_label(begin), labels.data() + begin, static_cast<std::size_t>(count) * sizeof(Index));
            cuda_.each(Offset{count} * components_,
                       SharesOfLabels{densities_.data(), plan_.chunk_rows, count, new_label(begin), inverses_.data(),
                                      log_likelihoods_.data()});
        });
    }

    MomentArrays expect(const ComponentArrays& components, const GpuOutputs& wanted) override {
        cuda_.upload(means_, components.means);
        cuda_.upload(factors_, components.factors);
        cuda_.upload(white_means_, components.white_means);
        cuda_.upload(log_scales_, components.log_scales);
        means_are_near_ = form_ != Covariance::full && form_ != Covariance::tied && are_near(components);
        return sum_chunks(wanted.moments, [&](const float* rows, Index begin, Index count) {
            find_densities(rows, count);
            normalize(begin, count);
            if (wanted.responsibilities != nullptr) copy_responsibilities(begin, count, wanted.responsibilities);
        });
    }

    void labels(Index* all) override {
        cuda_.copy_out(all + share_.rows.begin, labels_.data(), labels_.size() * sizeof(Index));
    }

private:
    /// The rows of this rank: whole blocks. Without ranks, all.
    struct Share {
        device::Rank* rank = device::Rank::current();
        std::vector<Offset> borders{0};  ///< of the ranks' shares, in blocks
        device::Slice blocks, rows;
        std::size_t most_chunks = 0;  ///< of a rank
        std::vector<GpuChunk> chunks;

        [[nodiscard]] bool is_first() const { return rank == nullptr || rank->index() == 0; }
        Share(Index n, const GpuPlan& plan) {
            for (int r = 0; r < ranks(); ++r) {
                const device::Slice slice = device::slice_of(r, ranks(), plan.blocks);
                borders.push_back(slice.end);
                auto of_rank = chunks_of(plan, n, static_cast<Index>(slice.begin), static_cast<Index>(slice.end));
                most_chunks = std::max(most_chunks, of_rank.size());
                if (rank != nullptr && rank->index() != r) continue;
                blocks = slice;
                const Offset all = n;
                rows = {std::min(all, slice.begin * plan.block_rows()), std::min(all, slice.end * plan.block_rows())};
                chunks = std::move(of_rank);
            }
        }
    };

    static int ranks() { return device::Rank::current() != nullptr ? device::Rank::current()->count() : 1; }
    /// The points of the share stay in device memory if they take at most half of what is left.
    void hold_points() {
        const std::uint64_t allowed = device::allowance(cuda_);  // all ranks ask
        const auto values = static_cast<std::size_t>(share_.rows.size() * cols_);
        if (values * sizeof(float) > allowed / 2) return;
        cuda_.upload(held_, std::span<const float>(points_.data + share_.rows.begin * cols_, values));
    }
    [[nodiscard]] std::size_t segments_of(Index blocks) const {
        return static_cast<std::size_t>(blocks) * static_cast<std::size_t>(plan_.segments);
    }
    Index* new_label(Index row) { return new_labels_.data() + (row - share_.rows.begin); }

    /// Doubles of the second moments of a component.
    [[nodiscard]] std::size_t width_of_second() const {
        const auto width = static_cast<std::size_t>(cols_);
        return form_ == Covariance::full ? width * width : form_ == Covariance::tied ? 0 : width;
    }
    /// Doubles of all moments and the log likelihood.
    [[nodiscard]] std::size_t sums_of_all() const {
        return static_cast<std::size_t>(components_) * (1 + static_cast<std::size_t>(cols_) + width_of_second()) + 1;
    }

    /// find(rows, begin, count) computes the responsibilities of each chunk. The host waits for sums only at the end.
    template <class Find>
    MomentArrays sum_chunks(bool moments, const Find& find) {
        const Offset width = moments ? static_cast<Offset>(sums_of_all()) : 1;
        for (std::size_t at = 0; at < share_.most_chunks; ++at) {
            if (at < share_.chunks.size()) {
                const GpuChunk& chunk = share_.chunks[at];
                const float* rows = chunk_at(chunk.begin, chunk.rows);
                find(rows, chunk.begin, chunk.rows);
                sum_chunk(rows, chunk, moments);
                if (chunk.ends) add_blocks(chunk, width);
                if (share_.chunks.size() > 1) pace_.step(cuda_);
            }
            stop_if_asked();
        }
        if (share_.rank != nullptr) gather_blocks(width);
        labels_.swap(new_labels_);
        if (!share_.is_first()) return {};
        if (plan_.keeps_blocks) cuda_.each(width, AddBlocks{of_blocks_.data(), width, plan_.blocks, total_.data()});
        return host_sums(moments);
    }

    /// Ranks stop together, so that all have done the same steps.
    void stop_if_asked() {
        if (share_.rank == nullptr) return progress::cancellation_point();
        progress::report_if_due();
        if (device::stops(cuda_.run())) throw progress::Cancelled{};
    }

    void sum_chunk(const float* rows, const GpuChunk& chunk, bool moments) {
        const auto segments = static_cast<Index>(segments_of(chunk.blocks));
        const MomentTask task{rows,
                              chunk.rows,
                              cols_,
                              components_,
                              means_.data(),
                              densities_.data(),
                              plan_.chunk_rows,
                              inverses_.data(),
                              segments,
                              plan_.segment_rows,
                              sums_.data(),
                              static_cast<Offset>(width_of_second()),
                              !chunk.begins};
        if (moments) find_moments(task);
        likelihood_kernel<<<static_cast<unsigned>(segments), block_threads, 0, cuda_.stream()>>>(
            task, log_likelihoods_.data());
        device::cuda_check(cudaGetLastError());
    }

    /// The last `width` sums of the blocks of a chunk.
    void add_blocks(const GpuChunk& chunk, Offset width) {
        const auto pitch = static_cast<Offset>(sums_of_all());
        const BlockTask task{
            sums_.data() + (pitch - width),
            pitch,
            width,
            chunk.blocks,
            plan_.segments,
            plan_.keeps_blocks ? of_blocks_.data() + (chunk.block - share_.blocks.begin) * width : nullptr,
            total_.data(),
            chunk.block > 0};
        const auto rows = static_cast<unsigned>(plan_.keeps_blocks ? chunk.blocks : 1);
        if (plan_.segments <= few_segments) {
            add_blocks_kernel<1>
                <<<dim3(tiles_of(width, block_threads), rows), block_threads, 0, cuda_.stream()>>>(task);
        } else {
            constexpr int values = block_threads / groups_of_segments;
            add_blocks_kernel<groups_of_segments>
                <<<dim3(tiles_of(width, values), rows), block_threads, 0, cuda_.stream()>>>(task);
        }
        device::cuda_check(cudaGetLastError());
    }

    /// The first rank gets the blocks of the others.
    void gather_blocks(Offset width) {
        std::vector<device::RemotePiece> pieces;
        for (int r = 1; share_.is_first() && r < share_.rank->count(); ++r) {
            const Offset begin = share_.borders[static_cast<std::size_t>(r)],
                         blocks = share_.borders[static_cast<std::size_t>(r) + 1] - begin;
            if (blocks == 0) continue;
            pieces.push_back({.from = r,
                              .at = 0,
                              .bytes = static_cast<std::size_t>(blocks * width) * sizeof(double),
                              .to = of_blocks_.data() + begin * width});
        }
        device::exchange(cuda_, *share_.rank, of_blocks_.data(), pieces);
    }

    MomentArrays host_sums(bool moments) {
        MomentArrays all;
        if (moments) {
            const auto components = static_cast<std::size_t>(components_),
                       first = components * static_cast<std::size_t>(cols_);
            all.weights = host_sums(0, components);
            all.first = host_sums(components, first);
            all.second = host_sums(components + first, components * width_of_second());
        }
        all.log_likelihood = host_sums(moments ? sums_of_all() - 1 : 0, 1).front();
        return all;
    }
    /// `count` of the total sums from this one on.
    std::vector<double> host_sums(std::size_t from, std::size_t count) {
        std::vector<double> values(count);
        if (count > 0) cuda_.copy_out(values.data(), total_.data() + from, count * sizeof(double));
        return values;
    }

    const float* chunk_at(Index begin, Index count) {
        if (held_.size() > 0) return held_.data() + (begin - share_.rows.begin) * cols_;
        cuda_.copy_in(streamed_.data(), points_.data + Offset{begin} * cols_,
                      static_cast<std::size_t>(Offset{count} * cols_) * sizeof(float));
        return streamed_.data();
    }

    template <class Real>
    [[nodiscard]] DensityTask<Real> task_of(const Real* rows, Index count, const double* means,
                                            const double* factors) const {
        return {
            rows, count, cols_, components_, means, factors, log_scales_.data(), densities_.data(), plan_.chunk_rows};
    }

    template <class Real, bool HasFactors, int Rows, int Components, bool Shifts>
    void find_diagonal_in_tiles(const DensityTask<Real>& task) {
        diagonal_kernel<Real, HasFactors, Rows, Components, Shifts>
            <<<tiles_of(task.count, 16 * Rows) * tiles_of(components_, 16 * Components), block_threads, 0,
               cuda_.stream()>>>(task);
        device::cuda_check(cudaGetLastError());
    }
    /// Takes the tiles with the fewest components beyond the last; a density is the same in all.
    template <class Real, bool HasFactors, bool Shifts>
    void find_many_diagonal(const DensityTask<Real>& task) {
        const unsigned of_64 = 64 * tiles_of(components_, 64), of_112 = 112 * tiles_of(components_, 112);
        if (of_64 <= of_112) return find_diagonal_in_tiles<Real, HasFactors, 4, 4, Shifts>(task);
        find_diagonal_in_tiles<Real, HasFactors, 4, 7, Shifts>(task);
    }
    template <class Real, bool HasFactors>
    void find_diagonal(const DensityTask<Real>& task) {
        if (components_ <= 16) return find_diagonal_in_tiles<Real, HasFactors, 8, 1, false>(task);
        if (HasFactors && means_are_near_) return find_many_diagonal<Real, HasFactors, HasFactors>(task);
        find_many_diagonal<Real, HasFactors, false>(task);
    }
    /// Whether densities of diagonal covariances may be computed about the mean of the first component.
    [[nodiscard]] bool are_near(const ComponentArrays& components) const {
        const auto cols = static_cast<std::size_t>(cols_);
        if (components.factors.size() != components.means.size()) return false;
        double most = 0;
        for (std::size_t i = 0; i < components.means.size(); i += cols) {
            for (std::size_t col = 0; col < cols; ++col)
                most = std::max(
                    most, std::abs(components.means[i + col] - components.means[col]) * components.factors[i + col]);
        }
        return most <= most_deviations;
    }

    void find_densities(const float* rows, Index count) {
        const DensityTask<float> task = task_of(rows, count, means_.data(), factors_.data());
        const unsigned row_tiles = tiles_of(count, tile_side);
        if (form_ == Covariance::full && cols_ <= few_columns) {
            few_columns_full_kernel<<<tiles_of(count, block_threads) * tiles_of(components_, factors_at_once),
                                      block_threads, 0, cuda_.stream()>>>(task);
            device::cuda_check(cudaGetLastError());
        } else if (form_ == Covariance::full) {
            full_kernel<false>
                <<<row_tiles* static_cast<unsigned>(components_), block_threads, 0, cuda_.stream()>>>(task);
            device::cuda_check(cudaGetLastError());
        } else if (form_ == Covariance::tied) {
            DensityTask<float> whitening = task;
            whitening.densities = white_.data();
            full_kernel<true><<<row_tiles, block_threads, 0, cuda_.stream()>>>(whitening);
            device::cuda_check(cudaGetLastError());
            find_diagonal<double, false>(task_of<double>(white_.data(), count, white_means_.data(), nullptr));
        } else {
            find_diagonal<float, true>(task);
        }
    }

    void normalize(Index begin, Index count) {
        const NormalizeTask task{
            densities_.data(), plan_.chunk_rows,        count,           components_, least_exponent,
            inverses_.data(),  log_likelihoods_.data(), new_label(begin)};
        if (components_ <= 16) {
            normalize_kernel<1><<<tiles_of(count, block_threads), block_threads, 0, cuda_.stream()>>>(task);
        } else {
            normalize_kernel<8><<<tiles_of(count, block_threads / 8), block_threads, 0, cuda_.stream()>>>(task);
        }
        device::cuda_check(cudaGetLastError());
    }

    void find_moments(const MomentTask& task) {
        if (cols_ <= few_columns) {
            sum_products(task);
        } else {
            sum_lists(task);
        }
    }

    void sum_products(const MomentTask& task) {
        const bool full = form_ == Covariance::full;
        const auto segments = static_cast<unsigned>(task.segments);
        const unsigned tiles = tiles_of(components_, components_of_block(components_, products_of(cols_, full)));
        if (full) {
            few_columns_kernel<true><<<segments * tiles, block_threads, 0, cuda_.stream()>>>(task);
        } else {
            few_columns_kernel<false><<<segments * tiles, block_threads, 0, cuda_.stream()>>>(task);
        }
        device::cuda_check(cudaGetLastError());
    }

    void sum_lists(const MomentTask& task) {
        int lanes = 1;
        while (lanes < most_lanes && lanes < cols_) lanes *= 2;
        const unsigned slots = static_cast<unsigned>(task.segments) * static_cast<unsigned>(components_);
        const unsigned blocks = slots * tiles_of(cols_, lanes);
        if (form_ == Covariance::diagonal || form_ == Covariance::spherical) {
            moment_kernel<true><<<blocks, block_threads, 0, cuda_.stream()>>>(task, lanes);
        } else {
            moment_kernel<false><<<blocks, block_threads, 0, cuda_.stream()>>>(task, lanes);
        }
        device::cuda_check(cudaGetLastError());
        if (form_ != Covariance::full) return;
        outer_kernel<<<slots* static_cast<unsigned>(tile_pairs(cols_)), block_threads, 0, cuda_.stream()>>>(task);
        device::cuda_check(cudaGetLastError());
    }

    void copy_responsibilities(Index begin, Index count, float* to) {
        const auto values = static_cast<std::size_t>(count) * static_cast<std::size_t>(components_);
        cuda_.resize(responsibilities_,
                     static_cast<std::size_t>(plan_.chunk_rows) * static_cast<std::size_t>(components_));
        cuda_.each(static_cast<Offset>(values), Responsibility{densities_.data(), plan_.chunk_rows, inverses_.data(),
                                                               components_, responsibilities_.data()});
        cuda_.copy_out(to + Offset{begin} * components_, responsibilities_.data(), values * sizeof(float));
    }

    Covariance form_;
    Index components_, cols_;
    GpuPlan plan_;
    MatrixView<const float> points_;  ///< in host memory
    device::Cuda cuda_;
    Share share_;
    CudaBuffer<float> held_, streamed_, responsibilities_;
    CudaBuffer<double> means_, factors_, white_means_, log_scales_;
    bool means_are_near_ = false;
    CudaBuffer<double> white_, densities_, inverses_, log_likelihoods_;
    CudaBuffer<double> sums_, of_blocks_, total_;  ///< of segments, of blocks, of all rows
    CudaBuffer<Index> labels_, new_labels_;
    ChunkPace pace_;
};

}  // namespace

std::unique_ptr<GpuExpectations> backend::expect_on_gpu(MatrixView<const float> points, Covariance covariance,
                                                        Index components, const Run& run) {
    return std::make_unique<CudaExpectations>(points, covariance, components, run);
}

}  // namespace dunlin::mixture
