// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "checkpoint/archive.hpp"
#include "waves/implicit/line.hpp"
#include "waves/implicit/sweeps.hpp"
#include "waves/rates.hpp"

namespace dunlin::waves {

/// Throws Error{bad_input} unless the scheme, crank-nicolson or adi, can integrate this model on this domain.
void check_implicit(const Options& options, const Domain& domain);
constexpr bool is_implicit(Scheme scheme) { return scheme == Scheme::crank_nicolson || scheme == Scheme::adi; }

/// The step below which a step's equations have one solution, for any spacing: 2 / max f' = 6 / (1 - a + a^2), of adi
/// twice that because the reaction is done in halves. Infinity without reaction.
double implicit_limit(Model model, Scheme scheme, const Coefficients& c);

/// Integrates by crank-nicolson (lines and rings) or adi (grids).
class ImplicitEngine {
public:
    ImplicitEngine(device::Cpu& cpu, const Problem& problem, State start);

    /// Does the steps first, first + 1, ... of length dt. Cancelled between steps.
    void advance(Offset first, Offset steps, double dt);

    /// Largest rate of a value that is not held at time t.
    double fastest(double t);

    [[nodiscard]] State state() const& { return {now_.v, now_.w, activation_}; }
    [[nodiscard]] State state() && { return {std::move(now_.v), std::move(now_.w), std::move(activation_)}; }
    [[nodiscard]] const std::vector<double>& activation() const { return activation_; }
    [[nodiscard]] Offset completed() const { return completed_; }
    [[nodiscard]] static Offset skipped() { return 0; }
    [[nodiscard]] Offset evaluations() const { return newton_; }
    [[nodiscard]] Offset newton() const { return newton_; }
    void write(checkpoint::ArchiveWriter& archive, double time) const;
    void read(checkpoint::ArchiveReader& archive);

private:
    void prepare(double dt);
    void take(Offset number, double dt);

    device::Cpu& cpu_;
    const Problem& problem_;
    FieldRates field_rates_;
    Values now_, next_, rate_;
    std::vector<double> activation_;
    double dt_ = 0;
    std::unique_ptr<CrankNicolson> line_;
    std::unique_ptr<Sweeps> sweeps_;
    std::vector<Offset> held_;
    Offset completed_ = 0, newton_ = 0;
};

}  // namespace dunlin::waves
