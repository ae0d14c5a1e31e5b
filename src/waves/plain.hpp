// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checkpoint/archive.hpp"
#include "device/cpu.hpp"
#include "waves/chebyshev.hpp"
#include "waves/rates.hpp"

namespace dunlin::waves {

struct TimeStep {
    double begin, dt, end;
    Offset number = 0;
};

/// Integrates one step after the other over the whole domain: euler, heun and rkc, with error estimates for the last
/// two. The reference for tiles, and the engine of graphs.
class PlainEngine {
public:
    PlainEngine(device::Cpu& cpu, const Problem& problem, State start);

    /// Does the steps first, first + 1, ... of length dt. Cancelled between steps.
    void advance(Offset first, Offset steps, double dt);

    /// A step whose result is kept aside until accept(). Returns the largest estimated error of a value.
    double attempt(const TimeStep& step);
    void accept(const TimeStep& step);

    /// Largest rate of a value that is not held at time t.
    double fastest(double t);

    [[nodiscard]] State state() const& { return {now_.v, now_.w, activation_}; }
    [[nodiscard]] State state() && { return {std::move(now_.v), std::move(now_.w), std::move(activation_)}; }
    [[nodiscard]] const std::vector<double>& activation() const { return activation_; }
    [[nodiscard]] ValuePointers values() { return {now_.v.data(), now_.w.data()}; }
    [[nodiscard]] const double* times() const { return activation_.data(); }
    [[nodiscard]] Offset completed() const { return completed_; }
    [[nodiscard]] Offset skipped() const { return 0; }
    [[nodiscard]] Offset evaluations() const { return evaluations_; }
    void write(checkpoint::ArchiveWriter& archive, double time) const;
    void read(checkpoint::ArchiveReader& archive);
    /// Counts the evaluations so far as those of finished steps and attempts, which alone a checkpoint has.
    void count() { counted_ = evaluations_; }

private:
    void share(Values& values);
    void find_rates(const Values& values, Values& rates);
    void add_euler(double dt, const Values& from, const Values& rates, Values& to);
    void take_euler(const TimeStep& step);
    void take_heun(const TimeStep& step);
    void take_chebyshev(const TimeStep& step);
    void take(const TimeStep& step);
    double error_of_heun();
    double error_of_chebyshev(const TimeStep& step);

    device::Cpu& cpu_;
    const Problem& problem_;
    FieldRates field_rates_;
    Values now_, next_, rate_, first_, last_, before_;
    std::vector<double> activation_;
    std::vector<ChebyshevStage> stages_;
    Offset completed_ = 0, evaluations_ = 0, counted_ = 0;
};

}  // namespace dunlin::waves
