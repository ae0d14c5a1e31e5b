// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include <dunlin/error.hpp>
#include <dunlin/names.hpp>

#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "names/best.hpp"
#include "names/columns_by_home.hpp"
#include "names/formulas.hpp"
#include "names/interval_sums.hpp"
#include "names/naming.hpp"
#include "names/phrases.hpp"
#include "names/run.hpp"

namespace dunlin::naming {

namespace {

constexpr double least_contrast = 3;
constexpr double few_classes = 20;  ///< up to which `automatic` takes contrast

/// The best words first, equal ones in the order of their texts.
struct BetterTerm {
    const std::vector<std::string>* words;
    static double key(const Term& term) { return term.score; }
    bool operator()(const Term& a, const Term& b) const {
        if (a.score != b.score) return a.score > b.score;
        const int order = (*words)[at(a.term)].compare((*words)[at(b.term)]);
        return order != 0 ? order < 0 : a.term < b.term;
    }
};
using BestTerms = Best<Term, BetterTerm>;

/// What the words of a group are ranked with, apart from the word.
struct GroupWords {
    Index base = 0;
    double all = 0;      ///< n(c)
    double classes = 1;  ///< of its base
    Weighting weighting = Weighting::contrast;
};

/// Sums over all words of each group's interval.
std::vector<double> all_words(const GroupTree& tree, const SparseView& counts) {
    std::vector<double> all(tree.groups.size(), 0);
    for (Index row = 0; row < counts.rows; ++row) {
        progress::cancellation_point();
        if (tree.home[at(row)] < 0) continue;
        double& sum = all[at(tree.home[at(row)])];
        for (const float value : counts.row(row).values) sum += static_cast<double>(value);
    }
    return all;
}

std::vector<GroupWords> words_of_groups(const GroupTree& tree, const SparseView& counts, const Options& options) {
    const std::vector<double> own = all_words(tree, counts);
    std::vector<double> all = own;
    sum_upward(tree, all);
    const std::vector<Index> base = bases(tree, options.against);
    // Classes: children with words, and the points in none of them; against the rest, all homes
    std::vector<double> classes(tree.groups.size(), 0);
    for (std::size_t g = 0; g < classes.size(); ++g) {
        if (options.against == Against::rest) {
            classes.front() += own[g] > 0 ? 1 : 0;
        } else {
            classes[g] += own[g] > 0 ? 1 : 0;
            if (g > 0 && all[g] > 0) classes[at(tree.groups[g].parent)] += 1;
        }
    }
    std::vector<GroupWords> groups(tree.groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const double of_base = classes[at(base[g])];
        const Weighting chosen = of_base > few_classes ? Weighting::bm25 : Weighting::contrast;
        groups[g] = {base[g], all[g], of_base, options.weighting == Weighting::automatic ? chosen : options.weighting};
    }
    return groups;
}

double score_of(const CountsInBase& counts, const GroupWords& group, double z) {
    if (group.weighting == Weighting::contrast) return z;
    return group.weighting == Weighting::bm25 ? bm25(counts, group.classes) : c_tf_idf(counts, group.classes);
}

/// Adds a word to the groups that it sets apart.
void rank_word(const std::vector<GroupWords>& groups, const IntervalSums& sums, Index word, BestTerms& best) {
    for (const Index g : sums.visited()) {
        const GroupWords& group = groups[at(g)];
        if (g == group.base) continue;
        const CountsInBase counts{sums[g], sums[group.base], group.all, groups[at(group.base)].all};
        // It is less frequent in the group than in its base: z is below 0
        if (counts.group * counts.all_base <= counts.base * counts.all_group) continue;
        const double z = contrast(counts);
        if (!(z > least_contrast)) continue;
        const double score = score_of(counts, group, z);
        if (best.may_keep(g, score)) best.add(g, {word, score, z, counts.group});
    }
}

void rank_words(device::Cpu& cpu, const GroupTree& tree, const ColumnsByHome& columns,
                const std::vector<GroupWords>& groups, const Options& options, BestTerms& best) {
    constexpr Offset grain = 64;
    std::vector<IntervalSums> scratch;
    scratch.reserve(at(cpu.threads()));
    for (int worker = 0; worker < cpu.threads(); ++worker) scratch.emplace_back(tree);
    const Offset words = std::ssize(columns.begin) - 1;
    cpu.blocks(words, grain, [&](Offset begin, Offset end, int worker) {
        IntervalSums& sums = scratch[at(worker)];
        for (Offset word = begin; word < end; ++word) {
            const auto column = columns.column(static_cast<Index>(word));
            if (std::ssize(column) < options.min_texts) continue;
            sums.add(column);
            rank_word(groups, sums, static_cast<Index>(word), best);
            sums.clear();
        }
    });
}

std::size_t kept_terms(const Options& options) {
    return at(std::max({Index{32}, Index{8} * options.terms, options.listed}));
}

/// The best words of each group.
std::vector<std::vector<Term>> ranked_words(device::Cpu& cpu, const GroupTree& tree, const SparseView& counts,
                                            const std::vector<std::string>& words, const Options& options) {
    const ColumnsByHome columns = columns_by_home(tree, counts, false);
    const std::vector<GroupWords> groups = words_of_groups(tree, counts, options);
    BestTerms best(tree.groups.size(), kept_terms(options), {&words});
    rank_words(cpu, tree, columns, groups, options, best);
    std::vector<std::vector<Term>> ranked;
    for (Index g = 0; g < static_cast<Index>(tree.groups.size()); ++g) ranked.push_back(best.take(g));
    return ranked;
}

Choices choices_among(const std::vector<std::vector<Term>>& ranked, const std::vector<std::string>& words) {
    Choices choices{.keys = static_cast<Index>(words.size()), .ranked = {}, .clashes = {}, .text = {}};
    for (const std::vector<Term>& terms : ranked) choices.ranked.push_back(with_phrases(terms, words));
    choices.clashes = [&](Index a, Index b) {
        return begins_in(words[at(a)], words[at(b)]) || begins_in(words[at(b)], words[at(a)]);
    };
    choices.text = [&](Index word) { return words[at(word)]; };
    return choices;
}

void require_memory(const GroupTree& tree, const SparseView& counts, const Options& options, device::Cpu& cpu,
                    const Run& run) {
    const auto groups = tree.groups.size();
    const auto cols = static_cast<std::uint64_t>(counts.cols);
    const std::uint64_t bytes =
        ColumnsByHome::bytes(static_cast<std::uint64_t>(counts.nonzeros()), tree.home.size(), cols) +
        3 * BestTerms::bytes(groups, kept_terms(options)) + tree.home.size() * sizeof(Index) +
        groups * sizeof(GroupWords) + cols * sizeof(Index) +
        static_cast<std::uint64_t>(cpu.threads()) * IntervalSums::bytes(groups);
    device::require_memory(run, bytes, fmt::format("the names of {} groups of {} points", groups, tree.home.size()),
                           "use fewer words or groups");
}

void check_words(const GroupTree& tree, const SparseView& counts, const std::vector<std::string>& words) {
    check(tree);
    dunlin::check(counts);
    require_rows(tree, counts.rows, "counts");
    if (std::ssize(words) == counts.cols) return;
    throw Error(Fault::bad_input, fmt::format("{} words are given for {} columns of counts; give one for each",
                                              words.size(), counts.cols));
}

}  // namespace

Result of_words(const GroupTree& tree, const SparseView& counts, const std::vector<std::string>& words,
                const Options& wanted, const Run& run) {
    Result result;
    result.options = wanted;
    check_words(tree, counts, words);
    device::Cpu cpu(run);
    return run_named(std::move(result), cpu, run, [&](Result& named) {
        require_memory(tree, counts, named.options, cpu, run);
        named.terms.resize(tree.groups.size());
        const auto choices_of = [&](const GroupTree& part, const std::vector<Index>& groups) {
            const std::vector<std::vector<Term>> ranked = ranked_words(cpu, part, counts, words, named.options);
            for (std::size_t g = 0; g < groups.size(); ++g) named.terms[at(groups[g])] = ranked[g];
            return choices_among(ranked, words);
        };
        named.names = choose_names(tree, choices_of, named.options.terms);
        for (auto& terms : named.terms) terms.resize(std::min(terms.size(), at(named.options.listed)));
    });
}

}  // namespace dunlin::naming
