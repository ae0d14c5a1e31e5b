// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checkpoint/archive.hpp"
#include "device/cpu.hpp"
#include "waves/rates.hpp"

/// Euler's method on some of the nodes of a line, chosen anew before each step (Lewellen, The Antimatroid, 2015-16):
/// every 8th, every 2nd around steep places, all where v changes fast and around inflections.
namespace dunlin::waves {

/// Throws Error{bad_input} unless the domain is a line.
void check_adaptive_grid(const Domain& domain);

/// Second derivative of the parabola through three nodes at unequal distances; of order 1, with equal ones of order 2.
double second_derivative(double before, double v, double after, double distance_before, double distance_after);

/// What the choice of nodes reads: all nodes, those not in use interpolated.
struct LineState {
    std::span<const double> v, rate;  ///< rate: of v in the last step
    double spacing = 1;
};

/// Ascending numbers of the nodes to use. A place is steep where |v_x| > slope, fast where |v_t| > slope; around an
/// inflection with |v_x| > 10 slope all nodes within `radius` are taken. The first and last two nodes and `always` are.
void choose_nodes(const LineState& state, double slope, double radius, std::span<const Stimulus> always,
                  std::vector<Index>& nodes);

/// Integrates by scheme adaptive, on one thread.
class AdaptiveEngine {
public:
    AdaptiveEngine(device::Cpu& cpu, const Problem& problem, State start);

    /// Does the steps first, first + 1, ... of length dt. Cancelled between steps.
    void advance(Offset first, Offset steps, double dt);

    /// Largest rate of a value that is not held at time t.
    double fastest(double t);

    [[nodiscard]] State state() const& { return {now_.v, now_.w, activation_}; }
    [[nodiscard]] State state() && { return {std::move(now_.v), std::move(now_.w), std::move(activation_)}; }
    [[nodiscard]] const std::vector<double>& activation() const { return activation_; }
    [[nodiscard]] Offset completed() const { return completed_; }
    [[nodiscard]] Offset skipped() const { return skipped_; }
    [[nodiscard]] Offset evaluations() const { return completed_; }
    void write(checkpoint::ArchiveWriter& archive, double time) const;
    void read(checkpoint::ArchiveReader& archive);

private:
    template <class Law>
    void take_step(double dt);
    [[nodiscard]] double laplacian(const std::vector<double>& values, std::size_t k) const;
    void interpolate(std::vector<double>& values) const;

    device::Cpu& cpu_;
    const Problem& problem_;
    FieldRates field_rates_;
    Values now_, next_, scratch_;
    std::vector<double> activation_, rate_;
    std::vector<Index> nodes_;
    Offset completed_ = 0, skipped_ = 0;
};

}  // namespace dunlin::waves
