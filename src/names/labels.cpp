// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include <dunlin/names.hpp>

#include "device/fail.hpp"
#include "names/interval_sums.hpp"
#include "names/naming.hpp"
#include "names/run.hpp"
#include "names/shown.hpp"

namespace dunlin::naming {

namespace {

/// The most frequent label of each group so far, and how often it is there.
struct Majority {
    Index label = no_label;
    double count = 0;
};

/// Adds a label, whose counts in groups these are.
void add_label(const Labels& labels, Index label, const IntervalSums& sums, std::vector<Majority>& groups) {
    for (const Index g : sums.visited()) {
        Majority& group = groups[at(g)];
        const bool is_first = sums[g] == group.count && labels.names[at(label)] < labels.names[at(group.label)];
        if (sums[g] > group.count || is_first) group = {label, sums[g]};
    }
}

void check_labels(const GroupTree& tree, const Labels& labels) {
    check(tree);
    require_rows(tree, std::ssize(labels.of), "labels");
    for (std::size_t p = 0; p < labels.of.size(); ++p) {
        if (labels.of[p] == no_label || (labels.of[p] >= 0 && labels.of[p] < std::ssize(labels.names))) continue;
        device::bad_row(static_cast<Offset>(p), fmt::format("point {} has the label {}, and there are {}", p,
                                                            labels.of[p], labels.names.size()));
    }
}

}  // namespace

Result of_labels(const GroupTree& tree, const Labels& labels, const Run& run) {
    check_labels(tree, labels);
    device::Cpu cpu(run);
    return run_named({}, cpu, run, [&](Result& named) {
        std::vector<std::vector<HomeValue>> homes(labels.names.size());
        std::vector<Index> labeled(tree.groups.size(), 0);
        for (const Index p : rows_by_home(tree).rows) {
            if (labels.of[at(p)] == no_label) continue;
            homes[at(labels.of[at(p)])].push_back({tree.home[at(p)], 1});
            ++labeled[at(tree.home[at(p)])];
        }
        sum_upward(tree, labeled);
        std::vector<Majority> majority(tree.groups.size());
        IntervalSums sums(tree);
        for (std::size_t l = 0; l < homes.size(); ++l) {
            progress::cancellation_point();
            sums.add(homes[l]);
            add_label(labels, static_cast<Index>(l), sums, majority);
            sums.clear();
        }
        const NamesByNumber by_number(tree);
        for (std::size_t g = 0; g < majority.size(); ++g) {
            const auto [label, count] = majority[g];
            const bool has_name = g > 0 && label != no_label;
            named.labels.push_back(label);
            named.purity.push_back(label == no_label ? std::nan("") : count / labeled[g]);
            named.names.push_back(has_name ? labels.names[at(label)] : by_number.of(static_cast<Index>(g)));
        }
        tell_equal_apart(tree, named.names);
    });
}

}  // namespace dunlin::naming
