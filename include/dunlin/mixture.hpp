// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// A mixture of Gaussians, fitted by expectation and maximization (Dempster, Laird and Rubin 1977) from k-means.
namespace dunlin::mixture {

/// diagonal: columns vary on their own within a component. full: they may be correlated.
enum class Covariance { diagonal, full };
constexpr std::array<std::string_view, 2> names(Covariance) { return {"diagonal", "full"}; }

struct Options {
    Index components = 8;
    Covariance covariance = Covariance::diagonal;
    int iterations = 100;
    double tolerance = 1e-3;  ///< stop when the mean log likelihood of a row rises by less, in nats
    double floor = 1e-6;      ///< added to every variance, as a share of the mean variance of the data's columns, or
                              ///< as it is where rows are all the same
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("components", o.components, "number of Gaussians, at most the number of points").at_least(1));
    visit(field("covariance", o.covariance, "form of the covariance matrices"));
    visit(field("iterations", o.iterations, "maximum number of iterations").at_least(0));
    visit(
        field("tolerance", o.tolerance, "stop if the mean log likelihood per row rises by less, in nats").at_least(0));
    visit(field("floor", o.floor, "added to every variance, as a fraction of the data's mean variance").above(0));
}

/// Stages: "start", "optimize".
struct Result : Outcome<Options> {
    std::vector<Index> labels;     ///< the likeliest component of each row
    std::vector<double> shares;    ///< of each component; they sum to 1
    Matrix means;                  ///< components x cols
    std::vector<float> variances;  ///< diagonal: components x cols; full: components x cols x cols
    double log_likelihood = 0;     ///< of a row, on average, in nats
    double bic = 0;                ///< -2 log likelihood + log(n) * free parameters
};

/// Fits a mixture to the rows of `points` (n x d) on the CPU. Responsibilities are held for a block of rows at a time,
/// so that memory does not grow with n * components. Cancelled, it returns the mixture of its last whole iteration,
/// with the labels and the likelihood of the last that all rows were weighed by; without components, if there was none
/// yet. Throws what kmeans::cluster throws, Error{no_device} if CUDA is asked for, Error{out_of_memory} before it
/// starts, and Error{bad_input} for options outside their range and for a floor so small that float64 has no inverse of
/// a component's covariance.
DUNLIN_API Result fit(MatrixView<const float> points, const Options& options = {}, const Run& run = {});

}  // namespace dunlin::mixture
