// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include <dunlin/error.hpp>

#include "mixture/fit_part.hpp"
#include "mixture/split.hpp"
#include "numerics/blas.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::mixture {

namespace {

void check_choice(Offset rows, Index most, const Options& options) {
    if (most < options.components) {
        throw Error(Fault::bad_input,
                    fmt::format("numbers of components from {} to {}: the second must be at least the first",
                                options.components, most));
    }
    Options of_most = options;
    of_most.components = most;
    check(of_most, rows);
}

/// The mixtures of one number of components after another.
class Numbers {
public:
    Numbers(MatrixView<const float> points, const Run& run) : points_(points), run_(run) {}

    /// The next, whose likelihood is at least that of the one before.
    Fitted next(const Options& options) {
        Starts starts{.drawn = options.restarts};
        const bool is_first = last_.state.components.empty();
        if (!is_first && !progress::run_cancellable(run_.stop, [&] { starts.more = halves(options); })) {
            last_.result.stopped = Stopped::cancelled;
            return last_;
        }
        Fitted found = fit_part(points_, options, run_, {}, starts);
        if (found.result.stopped == Stopped::cancelled) return found;
        if (!is_first && !(found.result.log_likelihood >= last_.result.log_likelihood)) found = last_again(options);
        return last_ = std::move(found);
    }

private:
    [[nodiscard]] FitState halves(const Options& options) const {
        const progress::ProgressReporter reporter(run_, "start", points_.rows);
        device::Cpu cpu(run_);
        return split(cpu, points_, last_.result.labels, last_.state, options.covariance);
    }
    [[nodiscard]] Fitted last_again(const Options& options) const {
        Fitted again{last_.result, with_one_twice(last_.state, options.covariance)};
        again.result.options = options;
        describe(again.state, options, points_.rows, points_.cols, again.result);
        return again;
    }

    MatrixView<const float> points_;
    const Run& run_;
    Fitted last_;
};

/// The responsibilities of a mixture; none if cancelled.
Matrix responsibilities_of(MatrixView<const float> points, const Fitted& fitted, const Run& run) {
    Options options = fitted.result.options;
    options.iterations = 0;
    const Starts only{.drawn = 0, .more = {fitted.state.components, fitted.state.floors}};
    return fit_part(points, options, run, {.responsibilities = true}, only).result.responsibilities;
}

}  // namespace

Choice choose(MatrixView<const float> points, Index most, Criterion criterion, const Options& options, const Run& run,
              const Wanted& wanted) {
    check_choice(points.rows, most, options);
    Options now = options;
    now.components = most;
    require_memory_of(now, points, run, wanted, 2, bytes_of_split(points.rows, points.cols, most, now.covariance));
    const auto value_of = [&](const Result& r) { return criterion == Criterion::bic ? r.bic : r.aic; };
    numerics::hold_blas_to_one_thread();
    Numbers numbers(points, run);
    Choice choice;
    Fitted best;
    for (now.components = options.components; now.components <= most; ++now.components) {
        Fitted found = numbers.next(now);
        const bool is_whole = found.result.stopped != Stopped::cancelled;
        const bool is_better = choice.curve.empty() || value_of(found.result) < value_of(best.result);
        if (is_whole) {
            choice.curve.push_back({now.components, found.result.log_likelihood, free_parameters(now, points.cols),
                                    found.result.bic, found.result.aic});
        }
        if (choice.curve.empty() || (is_whole && is_better)) best = std::move(found);
        if (is_whole) continue;
        best.result.stopped = Stopped::cancelled;
        break;
    }
    choice.best = std::move(best.result);
    if (wanted.responsibilities && choice.best.stopped != Stopped::cancelled) {
        best.result.options = choice.best.options;
        choice.best.responsibilities = responsibilities_of(points, best, run);
        if (choice.best.responsibilities.rows() == 0) choice.best.stopped = Stopped::cancelled;
    }
    return choice;
}

std::string sentence_of_choice(const Choice& choice, Index most) {
    const bool is_last = choice.curve.size() > 1 && choice.best.options.components == most;
    if (!is_last || std::cmp_equal(choice.best.labels.size(), most)) return {};
    return fmt::format("the number of components chosen, {}, is the last one tried; more may be better", most);
}

}  // namespace dunlin::mixture
