// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/metric.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// exact: brute force, with pairs pruned only by proven bounds. approximate: only near partitions of the data are
/// searched. automatic: exact up to a fixed limit on rows and columns (docs/neighbors.md), approximate above.
enum class Method { automatic, exact, approximate };
constexpr std::array<std::string_view, 3> names(Method) { return {"auto", "exact", "approximate"}; }

/// Default recall that an approximate search has to reach.
constexpr double default_recall = 0.99;
/// Default refine ratio of the search by codes: rerank * k candidates are ranked by their true distances.
constexpr Index default_rerank = 3;
/// Largest number of cells.
constexpr Index most_cells = 16384;

struct Options {
    Index k = 15;
    Metric metric = Metric::euclidean;
    Method method = Method::automatic;
    std::optional<Index> probes = {};   ///< approximate: cells searched for a query, of `cells` (nprobe of nlist)
    std::optional<double> recall = {};  ///< recall to reach at least, in (0, 1]; default 0.99
    std::optional<Index> cells = {};    ///< approximate, on a GPU or with codes: k-means cells (nlist), 1 to 16,384;
                                        ///< default sqrt(n), also the unit of probes on a CPU without codes
    Index codes = 0;                    ///< approximate: bytes of a row's code, 1 to columns; 0: no codes
    std::optional<Index> rerank = {};   ///< codes: refine ratio, rerank * k candidates are ranked exactly; default 3
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    const auto approximate = when("method", o.method, {Method::approximate});

    visit(field("k", o.k, "neighbors per point").at_least(1));
    visit(field("metric", o.metric, "distance between two points"));
    visit(field("method", o.method, "all pairs, near partitions of the data, or chosen by size"));
    visit(field("probes", o.probes, "cells that a query searches (nprobe)")
              .at_least(1)
              .read(approximate)
              .by_rule("as recall needs"));
    visit(field("recall", o.recall,
                "share of the true neighbors to find, estimated on a sample; the exact search finds all")
              .above(0)
              .at_most(1)
              .read(when("method", o.method, {Method::automatic, Method::approximate}))
              .otherwise(default_recall, when("no probes are given", !o.probes))
              .by_rule("0.99, unless probes are given"));
    visit(field("cells", o.cells, "on a GPU or with codes: cells into which the points are partitioned (nlist)")
              .at_least(1)
              .at_most(most_cells)
              .read(approximate)
              .by_rule("sqrt(n), up to 16384"));
    visit(field("codes", o.codes, "bytes of a point's product-quantization code; 0: no codes")
              .at_least(0)
              .read(approximate));
    visit(field("rerank", o.rerank, "refine ratio: rerank * k candidates by codes are ranked by distance")
              .at_least(1)
              .read(approximate)
              .read(when("codes is above 0", o.codes > 0))
              .otherwise(default_rerank));
}

struct Result : Outcome<Options> {
    /// A row per point of exactly min(k, n - 1) neighbors, or per query of min(k, n), nearest first, ties by id.
    /// Weights are distances in the metric's unit, or inner products, largest first. A point is not its own neighbor
    /// and no neighbor appears twice.
    Graph graph;
    Index probes = 0;      ///< cells searched for a query, in the unit of Options::probes; 0 when exact
    double recall = 1;     ///< recall, estimated on a sample of the points (copies included) when approximate
    double recall_se = 0;  ///< standard error of `recall`; 0 when exact
};

/// The k nearest neighbors of every row of `points` (n x d), by exact or approximate search. Equal rows are found first
/// and searched once. After a stop through `run` the Result has an empty graph, and `stopped` is cancelled.
/// Throws Error{bad_input}, with the row where there is one, for
/// - n = 0, k < 1, NaN, infinity, or values so large that distances overflow float32;
/// - recall with the exact search; probes together with recall; probes, cells, codes or rerank with a search that is
///   not approximate, or that turns out to be exact (probes on a CPU with up to 4 columns and no codes; probes or cells
///   on a GPU that does not hold the points, or with fewer than 256 distinct rows); cells on a CPU without codes;
/// - codes above the number of columns, a recall that codes cannot reach, rerank * k above what a GPU ranks in one list
///   (about 2,900), a metric other than euclidean, cosine and correlation with the approximate search;
/// - values that the metric does not take (metric_table), with the row and the column: negative ones of hellinger,
///   latitudes beyond +-pi/2 or other than 2 columns of haversine.
/// Throws Error{out_of_memory} with the amount that was needed.
DUNLIN_API Result search(MatrixView<const float> points, const Options& options = {}, const Run& run = {});

/// The k nearest rows of `points` (n x d) for every row of `queries` (m x d): row q of the graph has min(k, n) ids of
/// points, none excluded; a query that equals a point finds it at distance 0. The list of a query depends on the
/// points, the options and the seed, never on other queries or on threads: searching queries one at a time gives the
/// same bytes (on one device; Device::automatic chooses by the sizes). Whether the search is exact follows from n and
/// d. An approximate one is calibrated on a sample of the points, as if these were searched for each other, and
/// Result::recall is the estimate for them: queries unlike the points may have another recall. Without queries (m = 0)
/// the graph has no rows. Throws as the search above, and Error{bad_input} with the query row for NaN, infinity or too
/// large values in a query, and for another number of columns.
DUNLIN_API Result search(MatrixView<const float> points, MatrixView<const float> queries, const Options& options = {},
                         const Run& run = {});

}  // namespace dunlin::neighbors
