// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
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
          memory_{begin_} {}

    /// Takes the cost before the step of an iteration; returns whether a rule says to stop there.
    bool is_reached(int iteration, double cost) {
        if (iteration < begin_) return false;
        auto& [best_iteration, best, last] = memory_;
        const bool levels_off = tolerance_ > 0 && last - cost < tolerance_ * cost && iteration > begin_;
        const bool is_progress = cost < best;
        if (is_progress) best = cost, best_iteration = iteration;
        last = cost;
        return levels_off || (!is_progress && iteration - best_iteration > patience_);
    }

    /// The costs so far, of which the rules depend.
    struct Memory {
        Offset best_iteration = 0;
        double best = std::numeric_limits<double>::infinity(), last = best;
        [[nodiscard]] bool fits() const {
            return best_iteration >= 0 && best_iteration <= std::numeric_limits<int>::max() && !std::isnan(best) &&
                   !std::isnan(last);
        }
    };
    [[nodiscard]] const Memory& memory() const { return memory_; }
    void recall(const Memory& memory) {
        memory_ = memory;
        memory_.best_iteration = std::max(memory_.best_iteration, Offset{begin_});
    }

private:
    int begin_;
    double tolerance_;
    int patience_;
    Memory memory_;
};

}  // namespace dunlin::tsne
