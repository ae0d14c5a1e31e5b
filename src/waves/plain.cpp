// SPDX-License-Identifier: Apache-2.0
#include "waves/plain.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "progress/cancel.hpp"
#include "waves/saved_state.hpp"
#include "waves/share_vertices.hpp"
#include "waves/spans.hpp"

namespace dunlin::waves {

namespace {

constexpr Offset grain = 8192;

/// Calls body(species, begin, size) for blocks of each species.
template <class Body>
void each_block(device::Cpu& cpu, const Values& like, const Body& body) {
    like.each_species([&](auto species) {
        cpu.blocks(static_cast<Offset>(like.v.size()), grain,
                   [&](Offset begin, Offset end, int) { body(species, begin, end - begin); });
    });
}

}  // namespace

PlainEngine::PlainEngine(device::Cpu& cpu, const Problem& problem, State start)
    : cpu_(cpu), problem_(problem), field_rates_(problem), activation_(std::move(start.activation)) {
    now_.v = std::move(start.v);
    now_.w = std::move(start.w);
    next_ = rate_ = first_ = Values(problem);
    if (problem.options.scheme == Scheme::rkc) last_ = before_ = next_;
}

void PlainEngine::share(Values& values) { share_vertices(cpu_, problem_, values.v.data(), values.w.data()); }

void PlainEngine::find_rates(const Values& values, Values& rates) {
    field_rates_.find(cpu_, values, rates);
    ++evaluations_;
}

void PlainEngine::add_euler(double dt, const Values& from, const Values& rates, Values& to) {
    each_block(cpu_, from, [&](auto species, Offset begin, Offset n) {
        euler_span(dt, (rates.*species).data() + begin, (from.*species).data() + begin, (to.*species).data() + begin,
                   n);
    });
}

void PlainEngine::take_euler(const TimeStep& step) {
    find_rates(now_, rate_);
    add_euler(step.dt, now_, rate_, next_);
    if (problem_.noise > 0) {
        cpu_.blocks(problem_.size(), grain, [&](Offset begin, Offset end, int) {
            add_noise(problem_, step.dt, step.number, begin, next_.v.data() + begin, end - begin);
        });
    }
    hold(problem_, step.end, next_.watched(problem_));
    share(next_);
}

void PlainEngine::take_heun(const TimeStep& step) {
    take_euler(step);
    std::swap(first_, next_);  // first: after one step of Euler's method
    find_rates(first_, rate_);
    add_euler(step.dt, first_, rate_, rate_);
    hold(problem_, step.end, rate_.watched(problem_));
    each_block(cpu_, now_, [&](auto species, Offset begin, Offset n) {
        heun_span(*problem_.options.level, (now_.*species).data() + begin, (rate_.*species).data() + begin,
                  (next_.*species).data() + begin, n);
    });
    hold(problem_, step.end, next_.watched(problem_));
    share(next_);
}

void PlainEngine::take_chebyshev(const TimeStep& step) {
    const int s = chebyshev_count(step.dt * problem_.stiffness);
    if (std::ssize(stages_) != s) stages_ = chebyshev_stages(s);
    find_rates(now_, first_);
    for (std::size_t j = 0; j < stages_.size(); ++j) {
        const bool is_first = j == 0;
        if (!is_first) find_rates(next_, rate_);
        Values& from = is_first ? first_ : rate_;
        each_block(cpu_, now_, [&](auto species, Offset begin, Offset n) {
            double* last = (last_.*species).data() + begin;
            double* before = (before_.*species).data() + begin;
            const double* first = (first_.*species).data() + begin;
            if (is_first) std::fill_n(last, n, 0.0), std::fill_n(before, n, 0.0);  // d_0
            chebyshev_span(stages_[j], step.dt,
                           {.y = (now_.*species).data() + begin,
                            .last = last,
                            .before = before,
                            .rate = (from.*species).data() + begin,
                            .first_rate = first,
                            .difference = before,
                            .out = (next_.*species).data() + begin},
                           n);
        });
        std::swap(last_, before_);
        hold(problem_, step.end, next_.watched(problem_));
        share(next_);
    }
}

void PlainEngine::take(const TimeStep& step) {
    switch (problem_.options.scheme) {
        case Scheme::euler:
            return take_euler(step);
        case Scheme::rkc:
            return take_chebyshev(step);
        default:
            return take_heun(step);
    }
}

void PlainEngine::accept(const TimeStep& step) {
    const std::vector<double>&before = now_.watched(problem_), &after = next_.watched(problem_);
    cpu_.blocks(problem_.size(), grain, [&](Offset begin, Offset end, int) {
        activate_span(step.begin, step.dt, *problem_.options.level, before.data() + begin, after.data() + begin,
                      activation_.data() + begin, end - begin);
    });
    std::swap(now_, next_);
    ++completed_;
}

void PlainEngine::advance(Offset first, Offset steps, double dt) {
    for (Offset k = first; k < first + steps; ++k) {
        const TimeStep step{time_of(dt, k), dt, time_of(dt, k + 1), k};
        take(step);
        const progress::Uncancellable whole;
        accept(step);
        count();
    }
}

void PlainEngine::write(checkpoint::ArchiveWriter& archive, double time) const {
    archive(now_.v), archive(now_.w), write_times(archive, activation_, time);
    archive(completed_), archive(counted_);
}

void PlainEngine::read(checkpoint::ArchiveReader& archive) {
    read_values(archive, now_.v), read_values(archive, now_.w), read_times(archive, activation_);
    read_count(archive, completed_), read_count(archive, counted_);
    evaluations_ = counted_;
}

double PlainEngine::error_of_heun() {
    each_block(cpu_, now_, [&](auto species, Offset begin, Offset n) {
        for (Offset i = begin; i < begin + n; ++i)
            (rate_.*species)[at(i)] = difference((next_.*species)[at(i)], (first_.*species)[at(i)]);
    });
    return largest_magnitude(cpu_, rate_, problem_.own());
}

double PlainEngine::error_of_chebyshev(const TimeStep& step) {
    find_rates(next_, rate_);
    each_block(cpu_, now_, [&](auto species, Offset begin, Offset n) {
        for (Offset i = begin; i < begin + n; ++i) {
            double& rate = (rate_.*species)[at(i)];
            rate = chebyshev_error(step.dt, (now_.*species)[at(i)], (next_.*species)[at(i)], (first_.*species)[at(i)],
                                   rate);
        }
    });
    hold(problem_, step.end, rate_.watched(problem_), 0);  // these are not integrated
    return largest_magnitude(cpu_, rate_, problem_.own());
}

double PlainEngine::attempt(const TimeStep& step) {
    take(step);
    return problem_.options.scheme == Scheme::rkc ? error_of_chebyshev(step) : error_of_heun();
}

double PlainEngine::fastest(double t) { return largest_rate(cpu_, problem_, field_rates_, now_, t, rate_); }

}  // namespace dunlin::waves
