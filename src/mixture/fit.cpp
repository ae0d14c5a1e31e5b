#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/kmeans.hpp>

#include "device/choose.hpp"
#include "device/cpu.hpp"
#include "device/ticker.hpp"
#include "mixture/component.hpp"

namespace dunlin::mixture {

namespace {

/// Parts of the rows, each summed in order, so that threads change nothing: up to 64, whose sums take up to 256 MB.
Offset parts_of(const Options& o, Index cols) {
    const double wide = o.covariance == Covariance::diagonal ? 1 : cols;
    return static_cast<Offset>(std::clamp(256e6 / (8.0 * o.components * cols * (wide + 1)), 1.0, 64.0));
}

void require(bool holds, const std::string& sentence) {
    if (!holds) throw Error(Fault::bad_input, sentence);
}

void check(const Options& o, Index rows) {
    require(o.components >= 1, fmt::format("components is {}; it must be at least 1", o.components));
    require(o.components <= rows,
            fmt::format("components is {}, but there are {} points; it must be at most that", o.components, rows));
    require(o.iterations >= 0, fmt::format("iterations is {}; it must be at least 0", o.iterations));
    require(o.tolerance >= 0, fmt::format("tolerance is {}; it must be at least 0", o.tolerance));
    require(o.floor > 0, fmt::format("floor is {}; it must be above 0, or a component may shrink to a point", o.floor));
}

/// What a part of the rows says about every component.
struct Share {
    std::vector<Moments> moments;
    double log_likelihood = 0;
};

class Fit {
public:
    Fit(MatrixView<const float> points, const Options& options, const Run& run)
        : points_(points), options_(options), cpu_(run), parts_(parts_of(options, points.cols)) {
        start(run);
        grain_ = (points.rows + parts_ - 1) / parts_;
    }

    /// Returns the mean log likelihood of the components before they change.
    double step() {
        return look(
            [&](Offset, double responsibility, Index k, const float* x, Share& share, Vector& scratch) {
                const auto at = static_cast<std::size_t>(k);
                if (responsibility > 0) share.moments[at].add(responsibility, x, components_[at].mean, scratch);
            },
            true);
    }

    /// Returns the mean log likelihood; labels are the likeliest components.
    double finish(std::vector<Index>& labels) {
        labels.assign(static_cast<std::size_t>(points_.rows), 0);
        std::vector<double> best(labels.size(), -1);
        return look(
            [&](Offset row, double responsibility, Index k, const float*, Share&, Vector&) {
                const auto at = static_cast<std::size_t>(row);
                if (responsibility > best[at]) best[at] = responsibility, labels[at] = k;
            },
            false);
    }

    [[nodiscard]] const std::vector<Component>& components() const { return components_; }

private:
    [[nodiscard]] Share empty_share() const {
        return {std::vector<Moments>(static_cast<std::size_t>(options_.components),
                                     Moments(points_.cols, options_.covariance)),
                0};
    }

    [[nodiscard]] Square unit_spread() const {
        const Index cols = points_.cols;
        if (options_.covariance == Covariance::diagonal) return Square::Ones(cols, 1);
        return Square::Identity(cols, cols);
    }

    /// Moments of the clusters of k-means, as if each row belonged to its cluster alone.
    void start(const Run& run) {
        Run on_cpu = run;
        on_cpu.device = Device::cpu;
        const kmeans::Result clusters = kmeans::cluster(points_, {.clusters = options_.components}, on_cpu);
        Share all = empty_share();
        Vector scratch;
        double variance = 0;
        for (Index k = 0; k < options_.components; ++k) {
            const auto mean = clusters.centroids.row(k);
            components_.push_back(
                {0, Eigen::Map<const Eigen::VectorXf>(mean.data(), points_.cols).cast<double>(), unit_spread(), {}, 0});
        }
        for (Index r = 0; r < points_.rows; ++r) {
            const auto label = static_cast<std::size_t>(clusters.labels[static_cast<std::size_t>(r)]);
            all.moments[label].add(1, points_.row(r).data(), components_[label].mean, scratch);
        }
        for (const Moments& moments : all.moments) {
            variance += options_.covariance == Covariance::diagonal ? moments.second.sum() : moments.second.trace();
        }
        variance /= static_cast<double>(points_.rows) * points_.cols;
        floor_ = options_.floor * variance + std::numeric_limits<float>::min();
        change(all);
    }

    void change(const Share& all) {
        for (std::size_t k = 0; k < components_.size(); ++k) {
            maximise(components_[k], all.moments[k], points_.rows, floor_);
            settle(components_[k]);
        }
    }

    /// take(row, responsibility, component, x, share, scratch) for every row and component.
    template <class Take>
    double look(const Take& take, bool changes) {
        std::vector<Share> shares(static_cast<std::size_t>((points_.rows + grain_ - 1) / grain_), empty_share());
        cpu_.blocks(points_.rows, grain_, [&](Offset begin, Offset end, int) {
            Share& share = shares[static_cast<std::size_t>(begin / grain_)];
            Vector scratch, logs(options_.components);
            for (Offset r = begin; r < end; ++r) {
                const float* x = points_.row(static_cast<Index>(r)).data();
                for (Index k = 0; k < options_.components; ++k) {
                    logs[k] = components_[static_cast<std::size_t>(k)].log_density(x, scratch);
                }
                const double most = logs.maxCoeff(), sum = (logs.array() - most).exp().sum();
                share.log_likelihood += most + std::log(sum);
                for (Index k = 0; k < options_.components; ++k) {
                    take(r, std::exp(logs[k] - most) / sum, k, x, share, scratch);
                }
            }
        });
        for (std::size_t p = 1; p < shares.size(); ++p) {
            shares[0].log_likelihood += shares[p].log_likelihood;
            for (std::size_t k = 0; k < components_.size() && changes; ++k)
                shares[0].moments[k].add(shares[p].moments[k]);
        }
        if (changes) change(shares[0]);
        return shares[0].log_likelihood / points_.rows;
    }

    MatrixView<const float> points_;
    Options options_;
    device::Cpu cpu_;
    Offset parts_, grain_ = 1;
    double floor_ = 0;
    std::vector<Component> components_;
};

double free_parameters(const Options& o, Index cols) {
    const double spread = o.covariance == Covariance::diagonal ? cols : 0.5 * cols * (cols + 1.0);
    return o.components - 1.0 + o.components * (cols + spread);
}

void describe(const Fit& fit, Index cols, Result& result) {
    std::vector<float> means;
    for (const Component& component : fit.components()) {
        result.shares.push_back(component.share);
        for (const double value : component.mean) means.push_back(static_cast<float>(value));
        const Square whole =
            component.spread.cols() == 1 ? component.spread : Square(component.spread.selfadjointView<Eigen::Lower>());
        for (const double value : whole.reshaped()) result.variances.push_back(static_cast<float>(value));
    }
    result.means = Matrix(static_cast<Index>(result.shares.size()), cols, std::move(means));
}

}  // namespace

Result fit(MatrixView<const float> points, const Options& options, const Run& run) {
    check(options, points.rows);
    device::require_cpu(run, "mixtures are");
    Result result;
    result.options = options;
    Fit fit(points, options, run);
    device::Ticker ticker(run, "mixture", options.iterations);
    double last = -std::numeric_limits<double>::infinity();
    while (result.iterations < options.iterations && result.stopped == Stopped::budget) {
        if (run.stop.stop_requested()) {
            result.stopped = Stopped::cancelled;
            break;
        }
        const double now = fit.step();
        ticker.cost(-now);
        ticker.tick(++result.iterations);
        if (now - last < options.tolerance) result.stopped = Stopped::converged;
        last = now;
    }
    result.log_likelihood = fit.finish(result.labels);
    result.bic = -2 * result.log_likelihood * points.rows +
                 free_parameters(options, points.cols) * std::log(static_cast<double>(points.rows));
    describe(fit, points.cols, result);
    return result;
}

}  // namespace dunlin::mixture
