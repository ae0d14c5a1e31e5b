// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// euclidean: |x - y|; manhattan: sum |x_c - y_c|; cosine: 1 - x.y / (|x||y|), 1 where a row is zero (0 between two
/// zero rows); correlation: cosine after each row's mean is taken from it. inner_product: x.y, of which the largest are
/// nearest, so that a row may be nearer to others than to its own copy; no distance, hence for the search alone.
enum class Metric { euclidean, cosine, manhattan, correlation, inner_product };
constexpr std::array<std::string_view, 5> names(Metric) {
    return {"euclidean", "cosine", "manhattan", "correlation", "inner-product"};
}

/// exact: every pair is looked at. approximate: only near parts of the data. automatic: exact where it is affordable,
/// by a fixed threshold on rows and columns (docs/neighbors.md has the measurements).
enum class Method { automatic, exact, approximate };
constexpr std::array<std::string_view, 3> names(Method) { return {"auto", "exact", "approximate"}; }

/// The share of the true neighbors that an approximate search is to find unless told otherwise.
constexpr double default_recall = 0.99;
/// And by codes, how many times k rows are chosen by them and then ranked by their distances.
constexpr Index default_rerank = 3;
/// At most so many cells are cut.
constexpr Index most_cells = 4096;

struct Options {
    Index k = 15;
    Metric metric = Metric::euclidean;
    Method method = Method::automatic;
    std::optional<Index> probes = {};   ///< approximate: cells that a query looks at, of `cells` (nprobe of nlist)
    std::optional<double> recall = {};  ///< share of the true neighbors to find at least, in (0, 1]; default 0.99
    std::optional<Index> cells = {};    ///< approximate, GPU or codes: what k-means cuts the points into, 1 to 4,096;
                                        ///< default sqrt(n), the unit of probes on the CPU without codes too
    Index codes = 0;                    ///< approximate: bytes that stand for a row, 1 to columns; 0: rows themselves
    std::optional<Index> rerank = {};   ///< codes: how many times k rows are chosen by them, to be ranked; default 3
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    const auto approximate = when("method", o.method, {Method::approximate});

    visit(field("k", o.k, "neighbors per point").at_least(1));
    visit(field("metric", o.metric, "distance between two points"));
    visit(field("method", o.method, "exact or approximate search; auto: chosen by size"));
    visit(field("probes", o.probes, "partitions or inverted lists that a query searches (nprobe)")
              .at_least(1)
              .read(approximate)
              .by_rule("calibrated to the recall"));
    visit(field("recall", o.recall,
                "target recall: fraction of the true neighbors found, estimated on a sample; exact: 1")
              .above(0)
              .at_most(1)
              .read(when("method", o.method, {Method::automatic, Method::approximate}))
              .otherwise(default_recall, when("no probes are given", !o.probes))
              .by_rule("0.99, unless probes are given"));
    visit(field("cells", o.cells, "on a GPU or with codes: number of inverted lists (nlist)")
              .at_least(1)
              .at_most(most_cells)
              .read(approximate)
              .by_rule("sqrt(n), up to 4096"));
    visit(field("codes", o.codes, "bytes of a point's product-quantization code; 0: no codes")
              .at_least(0)
              .read(approximate));
    visit(field("rerank", o.rerank, "refine ratio: rerank * k candidates by their codes are ranked by exact distance")
              .at_least(1)
              .read(approximate)
              .read(when("codes is above 0", o.codes > 0))
              .otherwise(default_rerank));
}

struct Result : Outcome<Options> {
    /// n rows of exactly min(k, n - 1) neighbors; weights are distances in the metric's unit (inner products
    /// themselves, largest first); nearest first, ties by id; no point is its own neighbor and no neighbor appears
    /// twice.
    Graph graph;
    Index probes = 0;      ///< cells that a query looked at, as Options::probes; 0 when exact
    double recall = 1;     ///< share of the true neighbors found, measured on a sample of rows (copies included) when
                           ///< approximate
    double recall_se = 0;  ///< standard error of `recall`; 0 when exact
};

/// The k nearest neighbors of every row of `points` (n x d), by exact or approximate search. Rows that are the same
/// are found first and searched once. A stop asked for through `run` gives a Result whose graph is empty (half a list
/// is of no use): look at run.stop afterwards. Throws Error{bad_input} for n = 0, k < 1, NaN, infinity or values too
/// large for float32 distances (with the row), recall given to the exact search, probes, cells, codes or rerank to
/// another than the approximate one or to one that turns out exact (probes on the CPU for up to 4 columns without
/// codes; probes or cells on a GPU that does not hold the points, or where fewer than 256 differ), probes and recall
/// both given, cells given on the CPU without codes, codes beyond the columns, a recall that codes cannot reach, rerank
/// times k beyond what a GPU ranks together (some 2,900), or manhattan or inner products given to the approximate
/// search; Error{out_of_memory} says how much was wanted.
DUNLIN_API Result search(MatrixView<const float> points, const Options& options = {}, const Run& run = {});

}  // namespace dunlin::neighbors
