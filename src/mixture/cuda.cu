// SPDX-License-Identifier: Apache-2.0
#include "mixture/cuda.hpp"

#include <algorithm>

#include "device/cancel.hpp"
#include "device/cuda.cuh"
#include "device/points.cuh"
#include "mixture/cuda/densities.cuh"
#include "mixture/cuda/moments.cuh"
#include "mixture/formulas.hpp"

namespace dunlin::mixture {

namespace {

using device::CudaBuffer;

unsigned tiles_of(Offset count, int side) { return static_cast<unsigned>((count + side - 1) / side); }

/// parts[i] becomes the sum of all segments' values, in their order.
struct SumSegments {
    double* parts;
    Offset size;
    Index segments;
    __device__ void operator()(Offset i) const {
        double sum = parts[i];
        for (Index segment = 1; segment < segments; ++segment) sum += parts[segment * size + i];
        parts[i] = sum;
    }
};

/// Responsibilities 1 of each row's label, and 0.
struct SharesOfLabels {
    double* shares;
    Offset stride;
    Index count;
    const Index* labels;
    double *sums, *log_likelihoods;
    __device__ void operator()(Offset i) const {
        const Offset k = i / count, row = i % count;
        shares[k * stride + row] = labels[row] == static_cast<Index>(k) ? 1.0 : 0.0;
        if (k == 0) sums[row] = 1, log_likelihoods[row] = 0;
    }
};

struct Responsibility {
    const double* shares;
    Offset stride;
    const double* sums;
    Index components;
    float* responsibilities;
    __device__ void operator()(Offset i) const {
        const Offset row = i / components;
        responsibilities[i] = static_cast<float>(shares[i % components * stride + row] / sums[row]);
    }
};

struct Value {
    const double* values;
    __device__ double operator()(Offset i) const { return values[i]; }
};

class CudaExpectations final : public GpuExpectations {
public:
    CudaExpectations(MatrixView<const float> points, Covariance form, Index components, const Run& run)
        : form_(form),
          components_(components),
          rows_(points.rows),
          cols_(points.cols),
          plan_(gpu_plan(form, components, points.rows, points.cols)),
          cuda_(run),
          points_(device::hold_points(cuda_, points)) {
        const auto chunk = static_cast<std::size_t>(plan_.chunk_rows), width = static_cast<std::size_t>(cols_);
        const std::size_t slots = static_cast<std::size_t>(plan_.segments) * static_cast<std::size_t>(components);
        if (!points_.held()) cuda_.resize(streamed_, chunk * width);
        if (form == Covariance::tied) cuda_.resize(white_, chunk * width);
        cuda_.resize(densities_, chunk * static_cast<std::size_t>(components));
        cuda_.resize(sums_, chunk);
        cuda_.resize(log_likelihoods_, chunk);
        cuda_.resize(labels_, static_cast<std::size_t>(rows_));
        cuda_.resize(new_labels_, static_cast<std::size_t>(rows_));
        cuda_.resize(weights_, slots);
        cuda_.resize(first_, slots * width);
        cuda_.resize(second_, slots * width_of_second());
    }

    MomentArrays nearest(const std::vector<double>& means, const std::vector<Index>& labels) override {
        cuda_.upload(means_, means);
        return sum_chunks(true, [&](const float*, Index begin, Index count) {
            cuda_.copy_in(new_labels_.data() + begin, labels.data() + begin,
                          static_cast<std::size_t>(count) * sizeof(Index));
            cuda_.each(Offset{count} * components_,
                       SharesOfLabels{densities_.data(), plan_.chunk_rows, count, new_labels_.data() + begin,
                                      sums_.data(), log_likelihoods_.data()});
        });
    }

    MomentArrays expect(const ComponentArrays& components, const GpuOutputs& wanted) override {
        cuda_.upload(means_, components.means);
        cuda_.upload(factors_, components.factors);
        cuda_.upload(white_means_, components.white_means);
        cuda_.upload(log_scales_, components.log_scales);
        return sum_chunks(wanted.moments, [&](const float* rows, Index begin, Index count) {
            find_densities(rows, count);
            normalize(begin, count);
            if (wanted.responsibilities != nullptr) copy_responsibilities(begin, count, wanted.responsibilities);
        });
    }

    std::vector<Index> labels() override { return cuda_.host(labels_); }

private:
    /// Doubles of the second moments of a component.
    [[nodiscard]] std::size_t width_of_second() const {
        const auto width = static_cast<std::size_t>(cols_);
        return form_ == Covariance::full ? width * width : form_ == Covariance::tied ? 0 : width;
    }

    /// find(rows, begin, count) computes the responsibilities of each chunk.
    template <class Find>
    MomentArrays sum_chunks(bool moments, const Find& find) {
        if (moments) {
            cuda_.fill(weights_, weights_.size(), 0.0);
            cuda_.fill(first_, first_.size(), 0.0);
            cuda_.fill(second_, second_.size(), 0.0);
        }
        MomentArrays all;
        for (Index begin = 0; begin < rows_; begin += std::min(plan_.chunk_rows, rows_ - begin)) {
            const Index count = std::min(plan_.chunk_rows, rows_ - begin);
            const float* rows = chunk_at(begin, count);
            find(rows, begin, count);
            if (moments) find_moments(rows, count);
            cuda_.sum(count, Value{log_likelihoods_.data()}, log_likelihood_);
            all.log_likelihood += cuda_.read(log_likelihood_);
            device::cancellation_point();
        }
        if (moments) {
            all.weights = total(weights_);
            all.first = total(first_);
            all.second = total(second_);
        }
        labels_.swap(new_labels_);
        return all;
    }

    const float* chunk_at(Index begin, Index count) {
        const Offset at = Offset{begin} * cols_;
        if (points_.held()) return points_.values() + at;
        cuda_.copy_in(streamed_.data(), points_.host.data + at,
                      static_cast<std::size_t>(Offset{count} * cols_) * sizeof(float));
        return streamed_.data();
    }

    template <class Real>
    [[nodiscard]] DensityTask<Real> task_of(const Real* rows, Index count, const double* means,
                                            const double* factors) const {
        return {
            rows, count, cols_, components_, means, factors, log_scales_.data(), densities_.data(), plan_.chunk_rows};
    }

    template <class Real, bool HasFactors>
    void find_diagonal(const DensityTask<Real>& task) {
        if (components_ <= 16) {
            diagonal_kernel<Real, HasFactors, 8, 1>
                <<<tiles_of(task.count, 128) * tiles_of(components_, 16), block_threads, 0, cuda_.stream()>>>(task);
        } else {
            diagonal_kernel<Real, HasFactors, 4, 4>
                <<<tiles_of(task.count, 64) * tiles_of(components_, 64), block_threads, 0, cuda_.stream()>>>(task);
        }
        device::cuda_check(cudaGetLastError());
    }

    void find_densities(const float* rows, Index count) {
        const DensityTask<float> task = task_of(rows, count, means_.data(), factors_.data());
        const unsigned row_tiles = tiles_of(count, tile_side);
        if (form_ == Covariance::full) {
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
        cuda_.each(count, NormalizeTask{densities_.data(), plan_.chunk_rows, count, components_, least_exponent,
                                        sums_.data(), log_likelihoods_.data(), new_labels_.data() + begin});
    }

    void find_moments(const float* rows, Index count) {
        const Index segment_rows =
            static_cast<Index>(tiles_of(plan_.chunk_rows / window_rows, plan_.segments)) * window_rows;
        const MomentTask task{rows,
                              count,
                              cols_,
                              components_,
                              means_.data(),
                              densities_.data(),
                              plan_.chunk_rows,
                              sums_.data(),
                              plan_.segments,
                              segment_rows,
                              weights_.data(),
                              first_.data(),
                              second_.data()};
        int lanes = 1;
        while (lanes < most_lanes && lanes < cols_) lanes *= 2;
        const unsigned slots = static_cast<unsigned>(plan_.segments) * static_cast<unsigned>(components_);
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
        cuda_.each(static_cast<Offset>(values), Responsibility{densities_.data(), plan_.chunk_rows, sums_.data(),
                                                               components_, responsibilities_.data()});
        cuda_.copy_out(to + Offset{begin} * components_, responsibilities_.data(), values * sizeof(float));
    }

    std::vector<double> total(const CudaBuffer<double>& parts) {
        const std::size_t size = parts.size() / static_cast<std::size_t>(plan_.segments);
        cuda_.each(static_cast<Offset>(size), SumSegments{parts.data(), static_cast<Offset>(size), plan_.segments});
        std::vector<double> values(size);
        cuda_.copy_out(values.data(), parts.data(), size * sizeof(double));
        return values;
    }

    Covariance form_;
    Index components_, rows_, cols_;
    GpuPlan plan_;
    device::Cuda cuda_;
    device::DevicePoints points_;
    CudaBuffer<float> streamed_, responsibilities_;
    CudaBuffer<double> means_, factors_, white_means_, log_scales_;
    CudaBuffer<double> white_, densities_, sums_, log_likelihoods_;
    CudaBuffer<double> weights_, first_, second_;  ///< of each segment and component
    CudaBuffer<Index> labels_, new_labels_;
    device::CudaCell<double> log_likelihood_;
};

}  // namespace

std::unique_ptr<GpuExpectations> backend::expect_on_gpu(MatrixView<const float> points, Covariance covariance,
                                                        Index components, const Run& run) {
    return std::make_unique<CudaExpectations>(points, covariance, components, run);
}

}  // namespace dunlin::mixture
