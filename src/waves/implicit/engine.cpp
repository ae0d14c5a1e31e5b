// SPDX-License-Identifier: Apache-2.0
#include "waves/implicit/engine.hpp"

#include <fmt/format.h>

#include <utility>

#include <dunlin/error.hpp>

#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "waves/drive.hpp"
#include "waves/spans.hpp"

namespace dunlin::waves {

namespace {

constexpr Offset grain = 8192;

bool is_line(const Domain& domain) { return domain.graph == nullptr && domain.nodes[1] == 1 && domain.nodes[2] == 1; }

}  // namespace

void check_implicit(const Options& options, const Domain& domain) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Fault::bad_input, fmt::format("scheme {} {}", name_of(options.scheme), why), {.option = "scheme"});
    };
    if (domain.graph != nullptr) refuse("is for lines, rings and grids; use rkc for a graph");
    if (options.model == Model::gray_scott) refuse("has no model gray-scott; use heun or rkc");
    if (options.scheme == Scheme::adi) return;
    if (!is_line(domain)) refuse("is for lines and rings; use adi for a grid");
    if (options.recovery_diffusion.value_or(0) > 0) refuse("eliminates w, which must not diffuse; use adi");
}

double implicit_limit(Model model, Scheme scheme, const Coefficients& c) {
    if (model == Model::diffusion) return forever;
    const double limit = 2 / steepest(c.threshold);
    return scheme == Scheme::adi ? 2 * limit : limit;
}

ImplicitEngine::ImplicitEngine(device::Cpu& cpu, const Problem& problem, State start)
    : cpu_(cpu), problem_(problem), field_rates_(problem), activation_(std::move(start.activation)) {
    now_.v = std::move(start.v);
    now_.w = std::move(start.w);
    next_ = Values(problem);
}

void ImplicitEngine::prepare(double dt) {
    if (dt == dt_) return;
    dt_ = dt;
    const Domain& domain = problem_.domain;
    if (problem_.options.scheme == Scheme::crank_nicolson) {
        const ImplicitConstants constants =
            implicit_constants(problem_.options.model, problem_.coefficients, problem_.coefficients.diffusion, dt);
        line_ = std::make_unique<CrankNicolson>(cpu_, constants, problem_.size(), domain.periodic[0],
                                                problem_.options.solver);
    } else {
        sweeps_ = std::make_unique<Sweeps>(cpu_, problem_.options.model, problem_.coefficients, domain, dt,
                                           problem_.options.solver);
    }
}

void ImplicitEngine::take(Offset number, double dt) {
    const double end = time_of(dt, number + 1);
    held_.clear();
    for (const Stimulus& s : problem_.stimuli) {
        if (!is_held(s.from, s.to, s.every, end)) continue;
        if (held_.empty() || held_.back() != s.vertex) held_.push_back(s.vertex);
    }
    if (line_) {
        hold(problem_, end, next_.v);
        const int iterations = line_->step(now_.v, now_.w, problem_.current, held_, next_.v, next_.w);
        newton_ += iterations;
        if (iterations > 0) return;
    } else {
        next_ = now_;
        hold(problem_, end, next_.v);
        if (sweeps_->step(number, next_.v, next_.w, problem_.current, held_)) return;
    }
    refuse_newton(time_of(dt, number), dt);
}

void ImplicitEngine::advance(Offset first, Offset steps, double dt) {
    prepare(dt);
    for (Offset k = first; k < first + steps; ++k) {
        take(k, dt);
        const progress::Uncancellable whole;
        cpu_.blocks(problem_.size(), grain, [&](Offset begin, Offset end, int) {
            activate_span(time_of(dt, k), dt, *problem_.options.level, now_.v.data() + begin, next_.v.data() + begin,
                          activation_.data() + begin, end - begin);
        });
        std::swap(now_, next_);
        ++completed_;
    }
}

void ImplicitEngine::write(checkpoint::ArchiveWriter& archive, double time) const {
    archive(now_.v), archive(now_.w), write_times(archive, activation_, time);
    archive(completed_), archive(newton_);
}

void ImplicitEngine::read(checkpoint::ArchiveReader& archive) {
    read_values(archive, now_.v), read_values(archive, now_.w), read_times(archive, activation_);
    read_count(archive, completed_), read_count(archive, newton_);
}

double ImplicitEngine::fastest(double t) { return largest_rate(cpu_, problem_, field_rates_, now_, t, rate_); }

}  // namespace dunlin::waves
