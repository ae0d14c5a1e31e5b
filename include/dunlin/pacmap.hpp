// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include <dunlin/descent.hpp>
#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// PaCMAP: Wang, Huang, Rudin and Shaposhnik 2021. Near pairs and mid-near pairs of points attract each other; the
/// expected repulsion of random further pairs is summed over all pairs, so that nothing but the mid-near pairs is drawn
/// (docs/pacmap.md).
namespace dunlin::pacmap {

using descent::Given;
using descent::Repulsion;
using descent::Start;

struct Options {
    int dim = 2;                    ///< 1 to 64
    std::optional<Index> k = {};    ///< near pairs of a point, chosen from its k + 50 nearest neighbors, or all that
                                    ///< are given; default 10
    Index mid_near = 5;             ///< mid-near pairs of a point: each the second nearest of 6 random points
    float further = 20;             ///< further pairs of a point whose mean effect the repulsion has
    std::optional<Index> pca = {};  ///< reduce the points to this many principal components first
    neighbors::Metric metric = neighbors::Metric::euclidean;
    neighbors::Method search = neighbors::Method::automatic;
    std::optional<double> recall = {};       ///< of the neighbors an approximate search finds; default 0.99
    Start start = Start::pca;                ///< initial map, scaled to a standard deviation of 0.01
    std::string iterations = "100,100,250";  ///< of the three phases, see phases_of
    float learning_rate = 1;                 ///< of Adam
    Repulsion repulsion = Repulsion::automatic;
    std::optional<float> theta = {};    ///< tree: largest cell side over distance; default 0.5
    std::optional<float> spacing = {};  ///< grid: largest distance between nodes; default 0.45, in 3-D 0.55
    std::optional<Index> draws = {};    ///< drawn: points that repel a point in an iteration; default 20
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("dim", o.dim, "dimensions of the map").at_least(1).at_most(descent::most_dimensions));
    visit(field("k", o.k, "near pairs per point, chosen from its k + 50 nearest neighbors").at_least(1).by_rule("10"));
    visit(field("mid-near", o.mid_near, "mid-near pairs per point: each the second nearest of 6 random points")
              .at_least(0));
    visit(field("further", o.further, "repulsion: expected effect of this many further pairs per point").at_least(0));
    descent::search_fields(visit, o);
    visit(field("start", o.start,
                "initial positions, scaled to a standard deviation of 0.01, or a file with a map, scaled so if it is "
                "far wider than maps")
              .or_file());
    visit(field("iterations", o.iterations,
                "iterations of three phases: mid-near weight from 1000 to 3, mid-near weight 3, near pairs alone"));
    visit(field("learning-rate", o.learning_rate, "learning rate of Adam").above(0).may_change());
    descent::repulsion_fields(visit, o, {0.45F, 0.55F, "0.45, in 3-D 0.55"});
    descent::draws_field(visit, o, 20);
}

/// The numbers of options.iterations. Weights of near, mid-near and further pairs: 2, 1000 falling to 3, 1 in the first
/// phase; 3, 3, 1 in the second; 1, 0, 1 in the third. Throws Error{bad_input} unless there are three numbers, at least
/// 0, separated by commas.
DUNLIN_API std::array<int, 3> phases_of(const std::string& iterations);

/// Stages: "start", "neighbors", "pairs", "optimize".
struct Result : descent::EmbeddingResult<Options> {
    double loss = 0;     ///< per point, of near and further pairs with weights 1: d / (10 + d) and 1 / (1 + d), d = 1 +
                         ///< r^2, with the expected number of further pairs; NaN: cancelled before it was computed
    double loss_se = 0;  ///< standard error if the repulsion was sampled; 0: exact
};

/// All stages: neighbors, pairs, start, optimization. Pairs need the points also if the neighbors are given.
/// Throws Error{bad_input} for options that contradict each other or the data, Error{out_of_memory} before it starts.
/// If cancelled, it returns the map so far; before the descent, the initial map, or a random one if there is none yet.
DUNLIN_API Result embed(MatrixView<const float> points, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

}  // namespace dunlin::pacmap
