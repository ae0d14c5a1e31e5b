// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Cases that tests/unit, tests/agree, tests/quality and bench share, and their tolerances. A number is typed here
/// once, with the reason for it; tests/cases/once.txt lists expressions that would be second copies. Generators of the
/// inputs and reference results are in the other headers of this folder; bench/tolerances.py reads the numbers for
/// scripts.
namespace dunlin::cases {

// Repulsion

/// Bounds of the relative errors of the forces, root mean square over root mean square, and of the normalizer.
struct RepulsionTolerance {
    double force, mass;
};

/// Rounding: float32 terms, summed in blocks of some thousand.
constexpr RepulsionTolerance all_pairs{2e-6, 1e-6};

/// The same where forces nearly cancel: points on a line, arms of a star, a map a millionth as wide as the kernel.
constexpr RepulsionTolerance all_pairs_cancelling{5e-6, 1e-6};

/// Multipole error of a tree at theta = 0.5. Measured on clusters, copies, outliers and lines.
constexpr RepulsionTolerance tree_at_half{1e-2, 1e-3};

/// The same in a map so small that each term of the normalizer is 1 up to rounding.
constexpr RepulsionTolerance tree_at_half_of_dust{1e-2, 1e-6};

/// theta = 5 accepts every cell but those of the point itself: only the magnitude is right.
constexpr RepulsionTolerance tree_at_five{0.5, 0.1};

/// Quantiles of the relative errors of single forces.
struct ErrorQuantiles {
    double median, p99;
};

/// Width of a map of 2,000 points, and bounds of the errors of the grid at its default spacing. Measured; from 20 on
/// the grid has its largest number of nodes, and the error grows with the width. A GPU adds charges as integers, hence
/// its wider bounds where errors are smallest.
struct GridCase {
    int dim;
    double span;
    ErrorQuantiles cpu, cuda;
};
constexpr GridCase grid_cases[] = {
    {2, 1e-4, {1e-5, 1e-4}, {1e-5, 1e-4}}, {2, 1e-3, {1e-4, 1e-3}, {5e-4, 3e-3}}, {2, 2e-3, {1e-4, 1e-3}, {5e-4, 3e-3}},
    {2, 0.1, {1e-4, 1e-3}, {5e-4, 3e-3}},  {2, 1, {1e-4, 1e-3}, {5e-4, 3e-3}},    {2, 5, {1e-4, 1e-3}, {1e-4, 1e-3}},
    {2, 20, {2e-3, 5e-2}, {2e-3, 5e-2}},   {2, 50, {2e-3, 2e-2}, {2e-3, 2e-2}},   {2, 100, {4e-3, 5e-2}, {4e-3, 5e-2}},
    {2, 200, {8e-3, 0.1}, {8e-3, 0.1}},    {2, 400, {8e-3, 0.2}, {8e-3, 0.2}},    {3, 1e-3, {1e-4, 1e-3}, {2e-4, 2e-3}},
    {3, 0.1, {1e-4, 1e-3}, {2e-4, 2e-3}},  {3, 1, {1e-4, 1e-3}, {1e-4, 1e-3}},    {3, 5, {1e-3, 1e-2}, {1e-3, 1e-2}},
    {3, 20, {8e-3, 0.1}, {8e-3, 0.1}},     {3, 50, {8e-3, 0.1}, {8e-3, 0.1}}};

/// Relative error of the grid's normalizer on these maps. Measured; in 3-D there are fewer nodes per axis.
constexpr double grid_mass(int dim) { return dim == 2 ? 1e-4 : 5e-4; }

/// Up to 33 points in a map of width 10: absolute errors of a coordinate of a force, and of the normalizer per unit of
/// its sum and of n. Measured.
constexpr int few_points[] = {0, 1, 2, 31, 32, 33};
constexpr RepulsionTolerance grid_of_few(int dim) {
    return dim == 2 ? RepulsionTolerance{2e-3, 1e-4} : RepulsionTolerance{3e-2, 1e-3};
}

/// Median error on points of a line along any axis, 60 wide. Measured.
constexpr double grid_on_a_line = 0.01;

/// Laws other than Student's t: median error of the grid's forces, error of its normalizer; error of a tree's
/// normalizer at theta = 0.3. Measured at 0.5 to 5 degrees of freedom.
constexpr RepulsionTolerance grid_of_any_law{2e-2, 5e-3};
constexpr double tree_mass_of_any_law = 1e-3;

// Neighbors

/// Distances are computed from double sums and rounded to float: a few units in the last place.
constexpr double distance_rounding = 1e-6;

/// An absolute error: distances by cosine are 1 minus a product, and those of rows far from 0 cancel.
constexpr double first_distance = 1e-5;

/// Bound of |estimate of the recall - recall of all rows|: four standard errors, once in 16,000 runs by chance, and the
/// bias from rows that calibrate the search.
constexpr double recall_margin(double se) { return 4 * se + 0.002; }

/// The estimate is the recall of the test rows, but for ties at the k-th distance.
constexpr double recall_of_test_rows = 2e-4;

/// The same where all rows are measured: the rounding of a mean.
constexpr double recall_rounding = 1e-12;

/// Recall by default options, which ask for 0.99, less the error of its estimate.
constexpr double min_default_recall = 0.98;

// k-means

/// Inertias of equal assignments, summed in another order or from centroids that differ by rounding.
constexpr double inertia_rounding = 1e-6;

// t-SNE

/// Maps of the same points that differ by rounding (other device, engine or order of sums) end with KL divergences this
/// close; a map may exceed a peer's best cost by as much.
constexpr double kl_spread = 0.02;

/// The same for trustworthiness and label accuracy; the standard error that scores may have (docs/scores.md).
constexpr double score_spread = 0.003;

/// Rounding of a float32 sum of affinities, whose exact value is 1.
constexpr double affinity_sum = 1e-6;

// Multidimensional scaling: upper bounds of normalized_stress, the best known values from long runs of several programs

constexpr double eurodist_stress = 0.005220;
constexpr double cancer_stress = 0.0168;
constexpr double swissroll_stress = 0.02545;
constexpr double shuttle_small_stress = 0.0083;
constexpr double shuttle_big_stress = 0.0044;

/// Points of a plane have stress 0 up to rounding of float32 coordinates.
constexpr double flat_stress = 1e-10;

// Layouts

/// Random graphs of the sizes of Chan, So and Teper 2009 (random, actors, actors2, random).
struct GraphSize {
    int vertices, edges;
};
constexpr GraphSize eades_graphs[] = {{32, 31}, {100, 260}, {232, 698}, {256, 1599}};

/// Kinetic energy per vertex, the sum of squared velocities, below which a drawing by Eades' model has converged: 0.01
/// edge lengths a unit of time.
constexpr double converged_kinetic_energy = 1e-4;

// Scores

/// Relative standard error that a sampled stress may have (docs/scores.md).
constexpr double stress_error = 0.01;

// Parametric maps

/// Error of an entry of a GPU's product over the sum of its terms' magnitudes: two parts of 11 bits have 2^-21 of a
/// factor, and the third product of parts is left out.
constexpr double split_product = 2e-6;

/// Gradients of a network, a step of contrastive divergence and places of rows on a GPU against those of a CPU, over
/// their root mean square: products in float, through some layers.
constexpr double gradient_rounding = 5e-5;

/// The same where the repulsion comes from two grids of different nodes: their errors, as in grid_cases.
constexpr double gradient_by_grids = 2e-2;

}  // namespace dunlin::cases
