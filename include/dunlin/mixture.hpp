// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/normalize.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// A mixture of Gaussians, fitted by expectation maximization (Dempster, Laird and Rubin 1977), initialized by k-means.
namespace dunlin::mixture {

/// Covariance of a component. diagonal: columns are uncorrelated. full: they may be correlated. spherical: a multiple
/// of the identity. tied: one full covariance matrix of all components.
enum class Covariance { diagonal, full, spherical, tied };
constexpr std::array<std::string_view, 4> names(Covariance) { return {"diagonal", "full", "spherical", "tied"}; }

/// Unit of the floor. spread: of each column its variance without wild cells (docs/kmeans.md), so that the unit of a
/// column does not matter, or 1 for a constant column. data: the square of the unit of the data.
enum class FloorUnit { spread, data };
constexpr std::array<std::string_view, 2> names(FloorUnit) { return {"spread", "data"}; }

struct Options {
    Index components = 8;
    Covariance covariance = Covariance::diagonal;
    int restarts = 1;
    int iterations = 100;
    double tolerance = 1e-3;  ///< stop when the mean log likelihood of a row rises by less, in nats
    double floor = 1e-6;      ///< added to every variance, times the unit; spherical: the mean of the columns'
    FloorUnit floor_unit = FloorUnit::spread;
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("components", o.components, "number of Gaussians, at most the number of points").at_least(1));
    visit(field("covariance", o.covariance,
                "covariance of a component; diagonal: uncorrelated columns; full: any; spherical: one variance for all "
                "columns; tied: one full matrix for all components"));
    visit(field("restarts", o.restarts, "number of runs from different starts; the result has the greatest likelihood")
              .at_least(1));
    visit(field("iterations", o.iterations, "maximum number of iterations of a run").at_least(0));
    visit(
        field("tolerance", o.tolerance, "stop if the mean log likelihood per row rises by less, in nats").at_least(0));
    visit(field("floor", o.floor, "added to every variance of a column, times floor-unit").above(0));
    visit(field("floor-unit", o.floor_unit,
                "unit of the floor; spread: the variance of the column, without cells far from all others; data: the "
                "square of the data's unit"));
}

/// Optional outputs besides the components and labels.
struct Wanted {
    bool responsibilities = false;
};

/// Stages: "start", "optimize", summed over restarts; iterations: of the best run.
struct Result : Outcome<Options> {
    std::vector<Index> labels;   ///< the likeliest component of each row
    std::vector<double> shares;  ///< of each component; they sum to 1
    Matrix means;                ///< components x cols
    /// diagonal: components x cols; full: components x cols x cols; spherical: one of each component; tied: cols x cols
    std::vector<double> variances;
    /// For each column, in how many components the floor makes a tenth or more of its variance; tied: 0 or 1
    std::vector<Index> floored;
    Matrix responsibilities;    ///< rows x components, each row sums to 1; empty unless wanted, and if cancelled
    double log_likelihood = 0;  ///< of a row, on average, in nats
    double bic = 0;             ///< -2 log likelihood of all rows + log(n) * free parameters
    double aic = 0;             ///< -2 log likelihood of all rows + 2 * free parameters
};

/// Fits a mixture to the rows of `points` (n x d). Responsibilities are stored only if wanted, so that memory does not
/// grow with n * components. Sums over blocks of rows are added in an order that depends on n alone (on a GPU also on
/// components and columns): the same bytes for any number of threads. If cancelled, it returns the mixture of the last
/// completed iteration, with the labels and the likelihood of the last completed expectation step; without components
/// if there was none. Throws what kmeans::cluster throws, Error{out_of_memory} before it starts, and Error{bad_input}
/// for options outside their range and for a floor so small that a component's covariance is singular in float64.
DUNLIN_API Result fit(MatrixView<const float> points, const Options& options = {}, const Run& run = {},
                      const Wanted& wanted = {});

/// Criteria for the number of components; the least is best (Schwarz 1978; Akaike 1974).
enum class Criterion { bic, aic };
constexpr std::array<std::string_view, 2> names(Criterion) { return {"bic", "aic"}; }

struct Choice {
    struct Tried {
        Index components;
        double log_likelihood;  ///< of a row, on average, in nats
        Offset parameters;      ///< free ones: shares but one, means, and what the form of covariance has
        double bic, aic;
    };
    std::vector<Tried> curve;  ///< ascending in components
    Result best;
};

/// Fits a mixture with each number of components from options.components to `most` and returns the best by the
/// criterion; of equal ones the smaller. Each number after the first has one more run than options.restarts: from the
/// best mixture of one component fewer, with one component in two halves. If no run is as likely as that mixture, the
/// number has its density, with a component twice; so the likelihood never falls along the curve. Each number runs
/// where fit() would; components are halved on the CPU. Throws what fit throws, and Error{bad_input} if most <
/// options.components. If cancelled, the curve ends early and may be empty, and best.stopped is Stopped::cancelled.
DUNLIN_API Choice choose(MatrixView<const float> points, Index most, Criterion criterion, const Options& options = {},
                         const Run& run = {}, const Wanted& wanted = {});

/// Says that the number chosen is the last of those up to `most`; empty: it is not, or rows are as many.
DUNLIN_API std::string sentence_of_choice(const Choice& choice, Index most);

/// Says where the floor acts: the column with the most components, and how many others; name_of(column). Empty:
/// nowhere.
DUNLIN_API std::string sentence_of_floor(const Result& result, const std::function<std::string(Index)>& name_of);

/// The variances of a mixture of scaled points in the units that the columns had before, in the order of
/// Result::variances; spherical: components x cols, since the columns of a component have different variances then.
DUNLIN_API std::vector<double> unscaled_variances(const Result& result, const ColumnScales& scales);

}  // namespace dunlin::mixture
