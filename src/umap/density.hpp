// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "device/cpu.hpp"
#include "umap/density_kernels.hpp"
#include "umap/membership_edges.hpp"
#include "umap/objective.hpp"

/// densMAP as an objective of descent/descend.hpp.
namespace dunlin::umap {

/// The force that raises the correlation of the log radii in the map, re_i, with those in the data, standardized, R_i:
///   s^2 = var(re) + dens_var_shift,  c = sum_i re_i R_i / (n - 1),  w_i = R_i - c (re_i - mean re) / s^2,
///   force on i = 1 / s * sum_j (w_i d re_i / dr + w_j d re_j / dr) (y_i - y_j),
/// the gradient of c / s up to a factor, over the edges of i. Points without edges have no part in it.
class DensityForce {
public:
    /// radii: R_i by input number.
    DensityForce(std::vector<float> radii, const forces::Fuzzy& law, float variance_shift)
        : radii_(std::move(radii)), law_(law), shift_(static_cast<double>(variance_shift)) {}

    /// Adds `factor` times the force to state.repulsion.
    void add(device::Cpu& cpu, const Graph& edges, DescentState<device::Cpu>& state, double factor);

private:
    /// Sets sums_ and log_radii_ of the map.
    template <int D>
    void measure(device::Cpu& cpu, const Graph& edges, MatrixView<const float> y);
    /// Sets shares_. Returns 1 / s, or 0 if there is no force.
    double weigh(device::Cpu& cpu, const std::vector<Index>& original);
    template <int D>
    void add_pulls(device::Cpu& cpu, const Graph& edges, DescentState<device::Cpu>& state, double factor);

    std::vector<float> radii_, force_;
    forces::Fuzzy law_;
    double shift_;
    std::vector<double> sums_, log_radii_;  ///< by row: P_i, 0 without edges; re_i
    std::vector<DensityShare> shares_;
};

/// UMAP's objective, with this force in the last dens_frac of the iterations. In units of umap-learn's update it is 2
/// lambda M / n times it, M the sum of all memberships; this divided by 4 times the mean degree M / n, as the rest.
class DensityObjective : public Objective<device::Cpu> {
public:
    DensityObjective(device::Cpu& cpu, DescentState<device::Cpu>& state, const MembershipEdges& edges,
                     const Options& wanted)
        : Objective(cpu, state, edges, wanted), force_(edges.radii, law(), wanted.dens_var_shift) {}

    bool prepare(device::Cpu&, int t) {
        acts_ = acts_at(options(), t);
        return false;
    }

    /// While the force acts the rate falls in a line, as that of umap-learn does, and there is no momentum: where a
    /// radius is small its logarithm is steep, and faster points would swing around the places where they belong.
    [[nodiscard]] bool changes_at(int t) const { return acts_at(options(), t) || Objective::changes_at(t); }
    [[nodiscard]] descent::StepParameters parameters_at(int t) const {
        descent::StepParameters parameters = Objective::parameters_at(t);
        if (!acts_at(options(), t)) return parameters;
        parameters.learning_rate = options().learning_rate * static_cast<float>(options().iterations - t) /
                                   static_cast<float>(options().iterations);
        parameters.momentum = 0;
        return parameters;
    }

    template <class Edges, class Repeller>
    void find_forces(device::Cpu& cpu, DescentState<device::Cpu>& state, const Edges& edges, Repeller& repeller) {
        Objective::find_forces(cpu, state, edges, repeller);
        if (acts_) force_.add(cpu, edges, state, 0.5 * static_cast<double>(options().dens_lambda));
    }

    /// Whether the force acts: t + 1 > (1 - dens_frac) * iterations, as in umap-learn; a float's rounding is none.
    static bool acts_at(const Options& o, int t) {
        return o.dens_lambda > 0 && t + 1 > (1 - static_cast<double>(o.dens_frac) + 1e-6) * o.iterations;
    }

private:
    DensityForce force_;
    bool acts_ = false;
};

}  // namespace dunlin::umap
