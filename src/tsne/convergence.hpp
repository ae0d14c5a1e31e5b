// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <dunlin/tsne.hpp>

namespace dunlin::tsne {

/// The stopping rules of a descent that depend on its cost. They hold at the checks after early exaggeration; patience
/// is scikit-learn's n_iter_without_progress.
class Convergence {
public:
    explicit Convergence(const Options& options)
        : begin_(options.exaggerated_iterations),
          tolerance_(static_cast<double>(options.tolerance)),
          patience_(options.patience.value_or(std::numeric_limits<int>::max())),
          best_iteration_(begin_) {}

    /// Takes the cost before the step of an iteration; returns whether a rule says to stop there.
    bool is_reached(int iteration, double cost) {
        if (iteration < begin_) return false;
        const bool levels_off = tolerance_ > 0 && last_ - cost < tolerance_ * cost && iteration > begin_;
        const bool is_progress = cost < best_;
        if (is_progress) best_ = cost, best_iteration_ = iteration;
        last_ = cost;
        return levels_off || (!is_progress && iteration - best_iteration_ > patience_);
    }

private:
    int begin_;
    double tolerance_;
    int patience_;
    int best_iteration_;
    double best_ = std::numeric_limits<double>::infinity(), last_ = best_;
};

}  // namespace dunlin::tsne
