// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <dunlin/names.hpp>

#include "math/rng.hpp"
#include "names/adjusted.hpp"
#include "names/formulas.hpp"
#include "names/naming.hpp"
#include "names/phrases.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin::naming {
namespace {

using Texts = std::vector<std::string>;
using Partition = std::vector<Index>;
constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// Rows of counts, many times over, so that words are significant.
Matrix repeated(const std::vector<std::vector<float>>& rows, int times) {
    std::vector<float> values;
    for (const auto& row : rows) {
        for (int t = 0; t < times; ++t) values.insert(values.end(), row.begin(), row.end());
    }
    return {static_cast<Index>(rows.size()) * times, static_cast<Index>(rows.front().size()), std::move(values)};
}

Partition repeated_labels(const Partition& labels, int times) {
    Partition all;
    for (const Index label : labels) all.insert(all.end(), static_cast<std::size_t>(times), label);
    return all;
}

Result named(const GroupTree& tree, const Matrix& counts, const Texts& words, const Options& options = {},
             const Run& run = {}) {
    return of_words(tree, view_of(sparse_of(counts.view())), words, options, run);
}

TEST(NamesFormulas, ContrastByHand) {
    // 10 of the group's 20 words, 2 of the 40 others: a prior of 60 words, 12 of them this one
    const double z = (std::log(22.0 / 58) - std::log(14.0 / 86)) / std::sqrt(1.0 / 22 + 1.0 / 14);
    EXPECT_NEAR(contrast({10, 12, 20, 60}), z, 1e-14);
    EXPECT_NEAR(contrast({2, 12, 40, 60}), -z, 1e-14);
    // The prior has 500 words at most: 1 of 100 here
    const double large = (std::log(55.0 / (500 + 500 - 55)) - std::log(55.0 / (9500 + 500 - 55))) / std::sqrt(2.0 / 55);
    EXPECT_NEAR(contrast({50, 100, 500, 10000}), large, 1e-12);
    EXPECT_TRUE(std::isnan(contrast({0, 5, 0, 60})));
    EXPECT_TRUE(std::isnan(contrast({5, 5, 60, 60})));
}

TEST(NamesFormulas, WeightsOfClassesByHand) {
    // 12 of 60 words in 4 classes: 15 a class
    EXPECT_NEAR(c_tf_idf({10, 12, 20, 60}, 4), 0.5 * std::log(1 + 15.0 / 12), 1e-15);
    EXPECT_NEAR(bm25({10, 12, 20, 60}, 4), 0.5 * std::log(1 + 3.5 / 12.5), 1e-15);
    EXPECT_NEAR(c_tf_idf({10, 12, 20, 61}, 4), 0.5 * std::log(1 + 15.0 / 12), 1e-15);  // the whole part of 15.25
}

TEST(NamesFormulas, RankSumsByHand) {
    // {1, 2} against {3, 4}; {1, 2, 2} of {1, 2, 2, 2, 3}: ranks 1, 3, 3
    EXPECT_NEAR(rank_test(3, 2, 4, 0).z, -2 / std::sqrt(2 * 2 * 5 / 12.0), 1e-14);
    EXPECT_EQ(rank_test(3, 2, 4, 0).auc, 0);
    const RankTest tied = rank_test(7, 3, 5, 24);
    EXPECT_NEAR(tied.auc, 1.0 / 6, 1e-14);
    EXPECT_NEAR(tied.z, (7 - 9) / std::sqrt((1 - 24.0 / 120) * 3 * 2 * 6 / 12), 1e-14);
    EXPECT_EQ(rank_test(6, 3, 3, 0).z, 0);     // no others
    EXPECT_EQ(rank_test(7.5, 3, 4, 60).z, 0);  // all are equal
    EXPECT_NEAR(two_sided(1.959963984540054), 0.05, 1e-12);
}

TEST(NamesFormulas, EffectsByHand) {
    // {1, 3} and {4, 6}: variances 2 and 2
    EXPECT_NEAR(effect_size({2, 4, 10}, {2, 10, 52}), -3 / std::sqrt(2.0), 1e-14);
    EXPECT_EQ(effect_size({2, 4, 8}, {3, 6, 12}), 0);
    EXPECT_EQ(effect_size({2, 4, 8}, {2, 2, 2}), std::numeric_limits<double>::infinity());
    EXPECT_NEAR(log2_fold(std::log(9.0), std::log(3.0)), 2, 1e-8);  // 8 / 2
}

TEST(NamesFormulas, AdjustedByHand) {
    const auto z_of = [](double p) {  // by bisection
        double low = 0, high = 40;
        for (int i = 0; i < 200; ++i) (two_sided((low + high) / 2) > p ? low : high) = (low + high) / 2;
        return low;
    };
    // 0.005 4 / 1, 0.009 4 / 2 and 0.03 4 / 3, of which the second is the least up to it
    const std::vector<double> adjusted = adjusted_p(std::vector{z_of(0.03), -z_of(0.009), z_of(0.005), z_of(0.5)});
    EXPECT_NEAR(adjusted[0], 0.04, 1e-9);
    EXPECT_NEAR(adjusted[1], 0.018, 1e-9);
    EXPECT_NEAR(adjusted[2], 0.018, 1e-9);
    EXPECT_NEAR(adjusted[3], 0.5, 1e-9);
    EXPECT_TRUE(adjusted_p({}).empty());
}

TEST(NamesPhrases, BeginInWords) {
    EXPECT_TRUE(begins_in("car", "cars"));
    EXPECT_TRUE(begins_in("car", "old cars"));
    EXPECT_FALSE(begins_in("art", "party"));
    EXPECT_TRUE(begins_in("art", "party art"));
    EXPECT_FALSE(begins_in("cars", "car"));
}

TEST(NamesPhrases, TakeThePlaceOfTheirWords) {
    const Texts words{"york", "new", "city", "new york", "york city", "old york"};
    // "new york" is half of "york" and all of "new"; "york city" is less of both; of "old york" a word is unknown
    const std::vector<Term> terms{{0, 9, 9, 20}, {2, 8, 8, 30}, {1, 7, 7, 10},
                                  {3, 6, 6, 10}, {4, 5, 5, 9},  {5, 4, 4, 20}};
    EXPECT_EQ(with_phrases(terms, words), (std::vector<Index>{3, 2, 3, 3, 4, 5}));
}

TEST(Names, OfWordsByHand) {
    // Two groups that share a word, one that has another besides; a word that all have alike
    const Texts words{"fox", "bear", "forest", "the"};
    const Matrix counts = repeated({{3, 0, 2, 5}, {0, 3, 2, 5}, {0, 0, 0, 9}}, 40);
    const GroupTree tree = tree_of_partitions({repeated_labels({0, 1, 2}, 40), repeated_labels({0, 0, 1}, 40)});
    const Result result = named(tree, counts, words);
    // The root, {0, 1}, {0}, {1}, {2}
    EXPECT_EQ(result.names, (Texts{"All", "forest, bear, fox", "Group 0, part 1", "Group 0, part 2", "the"}));
    EXPECT_EQ(result.stopped, Stopped::converged);
    EXPECT_EQ(result.terms[1][0].term, 2);
    EXPECT_EQ(result.terms[1][0].count, 160);
    EXPECT_NEAR(result.terms[1][0].z, contrast({160, 160, 800, 1160}), 1e-12);
    // A name of one word leaves the others to the children
    const Result one = named(tree, counts, words, {.terms = 1});
    EXPECT_EQ(one.names, (Texts{"All", "forest", "fox", "bear", "the"}));
    EXPECT_EQ(one.terms[2][0].score, one.terms[2][0].z);
    const Result weighed = named(tree, counts, words, {.weighting = Weighting::c_tf_idf});
    EXPECT_NEAR(weighed.terms[2][0].score, c_tf_idf({120, 120, 400, 800}, 2), 1e-15);
    const Result bm = named(tree, counts, words, {.against = Against::rest, .weighting = Weighting::bm25});
    EXPECT_NEAR(bm.terms[2][0].score, bm25({120, 120, 400, 1160}, 3), 1e-15);  // of the three homes
    // Against the rest the children have the same words as before, and more of them
    EXPECT_EQ(named(tree, counts, words, {.against = Against::rest, .terms = 2}).names[2], "fox");
}

TEST(Names, ManyGroupsAreWeighedAsClasses) {
    // 20 groups with a word each, then 21
    for (const Index groups : {20, 21}) {
        std::vector<std::vector<float>> rows;
        Partition labels;
        Texts words{"all"};
        for (Index g = 0; g < groups; ++g) {
            rows.emplace_back(static_cast<std::size_t>(groups) + 1, 0.0F);
            rows.back()[0] = 2;
            rows.back()[static_cast<std::size_t>(g) + 1] = 3;
            labels.push_back(g);
            words.push_back("w" + std::to_string(g));
        }
        const Result result = named(tree_of_partitions({repeated_labels(labels, 20)}), repeated(rows, 20), words);
        const Term& best = result.terms[1][0];
        EXPECT_EQ(result.names[1], "w0");
        const double all = 100.0 * groups;
        EXPECT_NEAR(best.score, groups == 20 ? best.z : bm25({60, 60, 100, all}, groups), 1e-12) << groups;
    }
}

TEST(Names, EqualSiblingsGetTheirNextWords) {
    const Texts words{"alpha", "beta", "gamma", "delta", "noise"};
    // The first two groups share the best word
    const Matrix counts = repeated({{9, 2, 0, 0, 1}, {9, 0, 2, 0, 1}, {0, 0, 0, 3, 9}}, 50);
    const GroupTree tree = tree_of_partitions({repeated_labels({0, 1, 2}, 50)});
    EXPECT_EQ(named(tree, counts, words, {.terms = 1}).names, (Texts{"All", "alpha, beta", "alpha, gamma", "noise"}));
    // Without a next word they are numbered
    const Matrix same = repeated({{9, 1}, {9, 1}, {0, 9}}, 50);
    EXPECT_EQ(named(tree, same, {"alpha", "noise"}, {.terms = 1}).names, (Texts{"All", "alpha", "alpha (2)", "noise"}));
}

/// Pairs of groups within two groups, of which only the four are shown.
GroupTree shown_four(const Partition& fine, const Partition& coarse) {
    GroupTree tree = tree_of_partitions({fine, coarse});
    tree.layers = {tree.layers.front()};
    for (Group& group : tree.groups) group.number = -1;
    for (std::size_t i = 0; i < tree.layers[0].size(); ++i)
        tree.groups[static_cast<std::size_t>(tree.layers[0][i])].number = static_cast<Index>(i);
    return tree;
}

TEST(Names, ShownGroupsAreNamedApartFromThoseThatAreShown) {
    // What sets a pair apart from the other pair says most of its groups, too, and only there are they alike
    const Texts words{"sea", "ship", "wave", "field", "cow", "corn"};
    const Matrix counts =
        repeated({{9, 4, 0, 0, 0, 0}, {9, 0, 2, 0, 0, 0}, {0, 0, 0, 9, 4, 0}, {0, 0, 0, 9, 0, 2}}, 40);
    const Partition fine = repeated_labels({0, 1, 2, 3}, 40), coarse = repeated_labels({0, 0, 1, 1}, 40);
    const GroupTree tree = shown_four(fine, coarse), flat = tree_of_partitions({fine});
    for (const Options& options : {Options{}, Options{.terms = 1}, Options{.weighting = Weighting::bm25}}) {
        const Result of_tree = named(tree, counts, words, options), of_flat = named(flat, counts, words, options);
        for (std::size_t c = 0; c < 4; ++c) {
            const auto shown = static_cast<std::size_t>(tree.layers[0][c]),
                       alone = static_cast<std::size_t>(flat.layers[0][c]);
            EXPECT_EQ(of_tree.names[shown], of_flat.names[alone]);
            ASSERT_EQ(of_tree.terms[shown].size(), of_flat.terms[alone].size());
            EXPECT_EQ(of_tree.terms[shown][0].z, of_flat.terms[alone][0].z);
        }
        EXPECT_FALSE(of_tree.names[1].empty());
    }
    EXPECT_EQ(named(tree, counts, words, {.terms = 1}).names,
              (Texts{"All", "sea", "sea, ship", "sea, wave", "field", "field, cow", "field, corn"}));
    // By columns and labels
    const Result by_columns = of_columns(tree, counts.view(), words);
    EXPECT_EQ(by_columns.names[2], of_columns(flat, counts.view(), words).names[1]);
    const Labels labels{repeated_labels({0, 1, 0, 2}, 40), {"a", "b", "c"}};
    EXPECT_EQ(of_labels(tree, labels).names, (Texts{"All", "a", "a", "b", "a (2)", "a (2)", "c"}));
}

TEST(Names, GroupsWithoutNumbersAreCalledByThoseNearThem) {
    const Matrix none(8, 0, std::vector<float>{});
    const GroupTree tree = shown_four({0, 0, 1, 1, 2, 2, 3, 3}, {0, 0, 0, 0, 1, 1, 1, 1});
    EXPECT_EQ(named(tree, none, {}).names,
              (Texts{"All", "Groups 0 to 1", "Group 0", "Group 1", "Groups 2 to 3", "Group 2", "Group 3"}));
    EXPECT_EQ(tree.label_layers("none")[0][7], "3");
    GroupTree coarse = tree_of_partitions({{0, 0, 1, 1}, {7, 7, 9, 9}});
    EXPECT_EQ(coarse.groups[1].number, 7);
    coarse.layers = {coarse.layers.back()};
    EXPECT_EQ(named(coarse, Matrix(4, 0, std::vector<float>{}), {}).names[1], "Group 7");
    coarse.groups[1].number = -1;
    EXPECT_EQ(named(coarse, Matrix(4, 0, std::vector<float>{}), {}).names[1], "Part 1");
}

TEST(Names, WordsOfFewTextsDoNotCount) {
    std::vector<float> values(60 * 2, 0);
    for (std::size_t row = 0; row < 60; ++row) values[2 * row + 1] = 1;
    values[0] = values[2] = 500;  // two rows of the first group
    const Matrix counts(60, 2, values);
    const GroupTree tree = tree_of_partitions({repeated_labels({0, 1}, 30)});
    EXPECT_EQ(named(tree, counts, {"rare", "common"}).names[1], "Group 0");
    EXPECT_EQ(named(tree, counts, {"rare", "common"}, {.min_texts = 2}).names[1], "rare");
}

/// The definition, over all pairs of a word and a group.
std::map<std::pair<Index, Index>, Term> all_terms(const GroupTree& tree, const Matrix& counts, const Options& o) {
    const auto sum = [&](Index group, Index word) {  // word -1: all
        double total = 0;
        for (Index p = 0; p < counts.rows(); ++p) {
            for (Index w = word < 0 ? 0 : word; tree.contains(group, p) && w < (word < 0 ? counts.cols() : word + 1);
                 ++w)
                total += static_cast<double>(counts.view()(p, w));
        }
        return total;
    };
    std::map<std::pair<Index, Index>, Term> all;
    for (Index g = 1; g < std::ssize(tree.groups); ++g) {
        const Index base = o.against == Against::rest ? 0 : tree.groups[static_cast<std::size_t>(g)].parent;
        for (Index w = 0; w < counts.cols(); ++w) {
            const double z = contrast({sum(g, w), sum(base, w), sum(g, -1), sum(base, -1)});
            if (z > 3) all[{g, w}] = {w, z, z, sum(g, w)};
        }
    }
    return all;
}

TEST(Names, EqualTheDefinition) {
    constexpr Index n = 600, cols = 30;
    std::vector<float> values;
    Partition fine, coarse;
    for (Index p = 0; p < n; ++p) {
        const auto row = static_cast<std::uint64_t>(p);
        fine.push_back(static_cast<Index>(math::random_below(9, 1, row)) - 1);  // -1: at home above
        coarse.push_back(fine.back() < 0 ? static_cast<Index>(math::random_below(3, 2, row)) : fine.back() / 3);
        for (Index w = 0; w < cols; ++w) {
            const bool own = w % 8 == fine.back() || w % 3 == coarse.back();
            values.push_back(math::random_below(own ? 3 : 8, 3, row, static_cast<std::uint64_t>(w)) == 0 ? 2.0F : 0.0F);
        }
    }
    const Matrix counts(n, cols, values);
    const GroupTree tree = tree_of_partitions({fine, coarse});
    Texts words;
    for (Index w = 0; w < cols; ++w) words.push_back("w" + std::to_string(w));
    for (const Against against : {Against::siblings, Against::rest}) {
        const Options options{.against = against, .weighting = Weighting::contrast, .listed = cols};
        const Result result = named(tree, counts, words, options);
        const auto wanted = all_terms(tree, counts, options);
        std::size_t listed = 0;
        for (std::size_t g = 0; g < result.terms.size(); ++g) {
            for (const Term& term : result.terms[g]) {
                const auto found = wanted.find({static_cast<Index>(g), term.term});
                ASSERT_NE(found, wanted.end()) << g;
                EXPECT_NEAR(term.z, found->second.z, 1e-12);
                EXPECT_EQ(term.count, found->second.count);
                ++listed;
            }
        }
        EXPECT_EQ(listed, wanted.size());
        EXPECT_GT(listed, 20U);
        for (const int threads : {2, 3, 8}) {
            const Result other = named(tree, counts, words, options, {.threads = threads});
            EXPECT_EQ(other.names, result.names);
            for (std::size_t g = 0; g < result.terms.size(); ++g) {
                ASSERT_EQ(other.terms[g].size(), result.terms[g].size());
                for (std::size_t t = 0; t < result.terms[g].size(); ++t)
                    EXPECT_EQ(std::tie(other.terms[g][t].term, other.terms[g][t].score),
                              std::tie(result.terms[g][t].term, result.terms[g][t].score));
            }
        }
    }
}

TEST(Names, OfNothing) {
    EXPECT_TRUE(named({}, Matrix(0, 0, std::vector<float>{}), {}).names.empty());
    EXPECT_TRUE(named({}, Matrix(0, 2, std::vector<float>{}), {"a", "b"}).names.empty());
    EXPECT_EQ(named(tree_of_partitions({{0}}), Matrix(1, 1, std::vector<float>{3}), {"a"}).names, Texts{"All"});
    const GroupTree two = tree_of_partitions({{0, 1}});
    EXPECT_EQ(named(two, Matrix(2, 0, std::vector<float>{}), {}).names, (Texts{"All", "Group 0", "Group 1"}));
    EXPECT_EQ(named(two, Matrix(2, 1, std::vector<float>{0, 0}), {"a"}).names, (Texts{"All", "Group 0", "Group 1"}));
    EXPECT_TRUE(of_columns({}, MatrixView<const float>{nullptr, 0, 3}, {}).names.empty());
    EXPECT_TRUE(of_labels({}, {}).names.empty());
}

TEST(Names, RefuseWhatDoesNotFit) {
    const GroupTree two = tree_of_partitions({{0, 1}});
    const auto says = [&](const Matrix& counts, const Texts& words, const Options& options = {}) {
        return refusal(Fault::bad_input, [&] { named(two, counts, words, options); });
    };
    EXPECT_EQ(says(Matrix(2, 1, std::vector<float>{1, -2}), {"a"}),
              "row 2 has the value -2 in column 1; counts must be finite and at least 0");
    EXPECT_EQ(says(Matrix(2, 1, std::vector<float>{1, missing}), {"a"}),
              "row 2 has the value nan in column 1; counts must be finite and at least 0");
    EXPECT_EQ(says(Matrix(3, 1, std::vector<float>{1, 2, 3}), {"a"}),
              "the counts have 3 rows, and the groups are of 2 points; give one row per point");
    EXPECT_EQ(says(Matrix(2, 1, std::vector<float>{1, 2}), {}),
              "0 words are given for 1 columns of counts; give one for each");
    EXPECT_EQ(says(Matrix(2, 1, std::vector<float>{1, 2}), {"a"}, {.terms = 0}), "terms is 0; it must be from 1 to 10");
    GroupTree wrong = two;
    wrong.groups[2].parent = 2;
    EXPECT_NE(refusal(Fault::bad_input, [&] { of_labels(wrong, {{0, 0}, {"a"}}); }), "");
    wrong = two;
    wrong.home[1] = 3;
    EXPECT_EQ(refusal(Fault::bad_input, [&] { of_labels(wrong, {{0, 0}, {"a"}}); }),
              "point 1 is at home in group 3; the tree has the groups 0 to 2");
}

TEST(Names, AStopGivesNone) {
    std::stop_source stop;
    stop.request_stop();
    const GroupTree two = tree_of_partitions({{0, 1}});
    const Result result = named(two, Matrix(2, 1, std::vector<float>{1, 2}), {"a"}, {}, {.stop = stop.get_token()});
    EXPECT_TRUE(result.names.empty());
    EXPECT_EQ(result.stopped, Stopped::cancelled);
}

TEST(Names, MemoryIsEstimated) {
    const GroupTree two = tree_of_partitions({{0, 1}});
    const Matrix counts(2, 1, std::vector<float>{1, 2});
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { named(two, counts, {"a"}, {}, {.memory = 100}); }), "");
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { of_columns(two, counts.view(), {}, {}, {.memory = 100}); }), "");
}

TEST(Names, OfLabelsAreThoseOfMost) {
    //                                  a  a  b  c  c  b  -
    const Labels labels{{0, 0, 1, 2, 2, 1, no_label}, {"a", "b", "c"}};
    const GroupTree tree = tree_of_partitions({{0, 0, 0, 1, 1, 1, 2}, {0, 0, 0, 1, 1, 1, 1}});
    const Result result = of_labels(tree, labels);
    // The root, {0 1 2}, {3 .. 6}, {3 4 5}, {6}
    EXPECT_EQ(result.names, (Texts{"All", "a", "c", "c", "Group 1, part 2"}));
    EXPECT_EQ(result.labels, (std::vector<Index>{0, 0, 2, 2, no_label}));  // of the root all are as frequent
    EXPECT_NEAR(result.purity[0], 2.0 / 6, 1e-15);
    EXPECT_NEAR(result.purity[2], 2.0 / 3, 1e-15);
    EXPECT_TRUE(std::isnan(result.purity[4]));
    // Siblings of one label are numbered
    EXPECT_EQ(of_labels(tree_of_partitions({{0, 1}}), {{0, 0}, {"a"}}).names, (Texts{"All", "a", "a (2)"}));
}

}  // namespace
}  // namespace dunlin::naming
