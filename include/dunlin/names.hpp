// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/group_tree.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/types.hpp>

/// Names of the groups of a GroupTree without a model: by the words of their texts, by the columns that set them apart,
/// or by labels. The base of a group is what it is compared within: its parent, or all points; its others are the
/// points of the base that it does not hold. The root, which has no others, is called "All"; a group that nothing sets
/// apart is called by its number, "Group 7". Siblings of one name are told apart by further terms, or by "(2)", as are
/// groups of a layer.
namespace dunlin::naming {

/// siblings: the base is the parent. rest: the base is the root.
enum class Against { siblings, rest };
constexpr std::array<std::string_view, 2> names(Against) { return {"siblings", "rest"}; }

/// How the words of a group are ranked. With y(x, u) the count of word x in u, n(u) the sum of all words, and the
/// classes of a base its children, and the points that are in none of them:
/// c-tf-idf: y(x, c) / n(c) * log(1 + A / y(x, base)), A = floor(n(base) / classes) (Grootendorst 2022).
/// bm25: the same with log(1 + (A - f + 0.5) / (f + 0.5)), f = y(x, base).
/// contrast: the log-odds ratio of the group and its others over its standard error, with a Dirichlet prior of
/// min(n(base), 500) words spread as in the base (Monroe, Colaresi and Quinn 2008).
/// automatic: contrast among at most 20 classes, where weights of classes keep words that all have; else bm25.
/// Any of them ranks words whose contrast is above 3, and no others.
enum class Weighting { automatic, contrast, c_tf_idf, bm25 };
constexpr std::array<std::string_view, 4> names(Weighting) { return {"auto", "contrast", "c-tf-idf", "bm25"}; }

/// Which columns are listed first: those with the AUC farthest from a half, or with the largest z.
enum class Order { extent, high };
constexpr std::array<std::string_view, 2> names(Order) { return {"extent", "high"}; }

struct Options {
    Against against = Against::siblings;
    Weighting weighting = Weighting::automatic;
    int terms = 3;
    Index min_texts = 3;
    Index listed = 10;
    Order order = Order::extent;
    bool log1p = false;
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("against", o.against, "what a group is compared with: its parent's other points, or all others"));
    visit(field("weighting", o.weighting, "rank of words; auto: contrast, and bm25 among more than 20 groups"));
    visit(field("terms", o.terms, "words or columns in a name").at_least(1).at_most(10));
    visit(field("min-texts", o.min_texts, "texts that a word is in at least").at_least(1));
    visit(field("listed", o.listed, "words or columns per group that the result lists").at_least(1));
    visit(field("order", o.order, "columns that come first: AUC farthest from a half, or z largest"));
    visit(field("log1p", o.log1p, "the columns are log(1 + x), so that fold changes are defined"));
}

/// A word that sets a group apart.
struct Term {
    Index term = 0;
    double score = 0;  ///< by which words are ranked
    double z = 0;      ///< contrast
    double count = 0;  ///< in the group
};

/// A column in a group and in its others.
struct Feature {
    Index column = 0;
    double z = 0;           ///< rank sum, ties taken into account, without a correction for continuity
    double auc = 0.5;       ///< probability that the group's value is the larger one, ties half (Mann and Whitney 1947)
    double difference = 0;  ///< of the means
    double effect = 0;      ///< the difference over the pooled standard deviation (Cohen's d)
    double fold = 0;        ///< log2((expm1(mean) + 1e-9) / (expm1(mean of the others) + 1e-9)); NaN unless log1p
    double p = 1;           ///< two-sided, normal approximation
    double adjusted = 1;    ///< of all columns (Benjamini and Hochberg 1995)
};

/// Everything is per group of the tree. If cancelled, there are no names.
struct Result : Outcome<Options> {
    std::vector<std::string> names;
    std::vector<std::vector<Term>> terms;        ///< of_words: the best first, at most Options::listed
    std::vector<std::vector<Feature>> features;  ///< of_columns: in Options::order, at most Options::listed
    std::vector<Index> labels;                   ///< of_labels: the most frequent one; no_label: no point has any
    std::vector<double> purity;                  ///< of_labels: its share of the group's points that have labels
};

/// Names groups by words: the best `terms` ones of contrast above 3, none that a group above has in its name, and none
/// at the beginning of another or of a word of it. A phrase takes the place of its words where it makes up half of
/// their occurrences or more. counts: a row per point, a column per word; words: their names. Throws Error{bad_input}
/// for a count that is negative or not finite, with the row, and for sizes that do not fit; Error{out_of_memory} before
/// the run. Stage: "names". Runs on the CPU; the same bytes for any number of threads.
DUNLIN_API Result of_words(const GroupTree& tree, const SparseView& counts, const std::vector<std::string>& words,
                           const Options& options = {}, const Run& run = {});

/// Names groups by columns, "CD3E high, MS4A1 low": the `terms` ones with the AUC farthest from a half, adjusted p <
/// 0.01 , none that a group above has in its name. Groups that were found in the same columns differ in them by
/// construction: then p is no evidence that they exist. columns: their names; empty: x1, x2, .. Throws as of_words();
/// values may be negative.
DUNLIN_API Result of_columns(const GroupTree& tree, MatrixView<const float> points,
                             const std::vector<std::string>& columns, const Options& options = {}, const Run& run = {});
DUNLIN_API Result of_columns(const GroupTree& tree, const SparseView& points, const std::vector<std::string>& columns,
                             const Options& options = {}, const Run& run = {});

/// Names groups by their most frequent label, of equal ones the first in the order of texts. No option is read.
DUNLIN_API Result of_labels(const GroupTree& tree, const Labels& labels, const Run& run = {});

}  // namespace dunlin::naming
