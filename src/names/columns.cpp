// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/names.hpp>

#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "names/adjusted.hpp"
#include "names/best.hpp"
#include "names/naming.hpp"
#include "names/rank_sums.hpp"
#include "names/run.hpp"

namespace dunlin::naming {

namespace {

constexpr double most_p = 0.01;  ///< adjusted, of a column in a name
constexpr std::uint64_t most_z_bytes = std::uint64_t{1}
                                       << 30;  ///< z of all columns are kept for so many groups at once

double key_of(Order order, const RankTest& test) { return order == Order::high ? test.z : std::abs(test.auc - 0.5); }

/// Equal ones in the order of the names of columns.
struct BetterFeature {
    const std::vector<std::string>* columns;
    Order order;
    [[nodiscard]] double key(const Feature& feature) const { return key_of(order, {feature.z, feature.auc}); }
    bool operator()(const Feature& a, const Feature& b) const {
        const double of_a = key(a), of_b = key(b);
        if (of_a != of_b) return of_a > of_b;
        const int texts = (*columns)[at(a.column)].compare((*columns)[at(b.column)]);
        return texts != 0 ? texts < 0 : a.column < b.column;
    }
};
using BestFeatures = Best<Feature, BetterFeature>;

/// The columns of dense or sparse points.
class ColumnSource {
public:
    ColumnSource(const GroupTree& tree, MatrixView<const float> points)
        : tree_(tree), dense_(points), rows_(rows_by_home(tree).rows) {}
    ColumnSource(const GroupTree& tree, const SparseView& points)
        : tree_(tree), sparse_(columns_by_home(tree, points, true)) {}

    /// The entries of a column that are not 0. `scratch` may hold them.
    [[nodiscard]] std::span<const HomeValue> column(Index c, std::vector<HomeValue>& scratch) const {
        if (dense_.data == nullptr) return sparse_.column(c);
        scratch.clear();
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (r % 65536 == 0) progress::cancellation_point();
            const Index row = rows_[r];
            const float value = dense_(row, c);
            if (!std::isfinite(value)) refuse_value(row, c, value, true);
            if (value != 0) scratch.push_back({tree_.home[at(row)], value});
        }
        return scratch;
    }

private:
    const GroupTree& tree_;
    MatrixView<const float> dense_{};
    ColumnsByHome sparse_;
    std::vector<Index> rows_;
};

/// What all passes over the columns share.
struct Task {
    const GroupTree& tree;
    const ColumnSource& source;
    Index cols;
    const Options& options;
    std::vector<Offset> sizes;  ///< points that take part, per group
    Children children;
};

Feature feature_of(const ColumnInGroup& found, Index column, const Options& options) {
    const Moments others = found.base - found.inside;
    const double mean = found.inside.mean(), of_others = others.mean();
    return {.column = column,
            .z = found.test.z,
            .auc = found.test.auc,
            .difference = mean - of_others,
            .effect = effect_size(found.inside, others),
            .fold = options.log1p ? log2_fold(mean, of_others) : std::nan("")};
}

/// Tests the groups [first, end) in all columns. `z`: of a column in a row of these groups.
void test_groups(device::Cpu& cpu, const Task& task, Index first, Index end, std::vector<double>& z,
                 BestFeatures& best) {
    constexpr Offset grain = 16;
    struct Scratch {
        RankSums sums;
        std::vector<HomeValue> column;
    };
    std::vector<std::unique_ptr<Scratch>> scratch(at(cpu.threads()));
    cpu.blocks(task.cols, grain, [&](Offset begin, Offset last, int worker) {
        auto& own = scratch[at(worker)];
        if (!own)
            own = std::make_unique<Scratch>(
                Scratch{RankSums(task.tree, task.children, task.sizes, task.options.against), {}});
        for (Offset c = begin; c < last; ++c) {
            progress::cancellation_point();
            const auto column = static_cast<Index>(c);
            own->sums.visit(task.source.column(column, own->column), first, end, [&](const ColumnInGroup& found) {
                z[at(column) * at(end - first) + at(found.group - first)] = found.test.z;
                if (best.may_keep(found.group, key_of(task.options.order, found.test)))
                    best.add(found.group, feature_of(found, column, task.options));
            });
        }
    });
}

/// Takes the listed columns of the groups [begin, end) of those whose z are given, and fills in their p.
void take_listed(const std::vector<double>& z, Index first, Index groups, Offset begin, Offset end, BestFeatures& best,
                 std::vector<std::vector<Feature>>& features) {
    const std::size_t columns = z.size() / at(groups);
    std::vector<std::vector<double>> z_of(at(end - begin), std::vector<double>(columns));
    for (std::size_t c = 0; c < columns; ++c) {
        for (Offset g = begin; g < end; ++g) z_of[at(g - begin)][c] = z[c * at(groups) + at(g)];
    }
    for (Offset g = begin; g < end; ++g) {
        progress::cancellation_point();
        std::vector<Feature>& listed = features[at(first + g)];
        listed = best.take(first + static_cast<Index>(g));
        const std::vector<double> adjusted = adjusted_p(z_of[at(g - begin)]);
        for (Feature& feature : listed) {
            feature.p = two_sided(feature.z);
            feature.adjusted = adjusted[at(feature.column)];
        }
    }
}

/// The columns of each group that are listed, tested.
std::vector<std::vector<Feature>> tested(device::Cpu& cpu, const Task& task, const std::vector<std::string>& columns,
                                         std::size_t most) {
    const auto groups = static_cast<Index>(task.tree.groups.size());
    const std::uint64_t row = std::max<std::uint64_t>(1, at(task.cols) * sizeof(double));
    const auto at_once = static_cast<Index>(std::clamp<std::uint64_t>(most_z_bytes / row, 1, at(groups)));
    std::vector<std::vector<Feature>> features(at(groups));
    std::vector<double> z;
    BestFeatures best(at(groups), most, {&columns, task.options.order});
    for (Index first = 0; first < groups; first += at_once) {
        const Index end = std::min(groups, first + at_once);
        z.assign(at(end - first) * at(task.cols), 0);
        test_groups(cpu, task, first, end, z, best);
        constexpr Offset of_a_cache_line = 8;
        cpu.blocks(end - first, of_a_cache_line, [&](Offset begin, Offset last, int) {
            take_listed(z, first, end - first, begin, last, best, features);
        });
    }
    return features;
}

/// Keys: twice the column, and 1 for high.
Choices choices_of(const std::vector<std::vector<Feature>>& features, const std::vector<std::string>& columns) {
    Choices choices{.keys = static_cast<Index>(2 * columns.size()),
                    .ranked = std::vector<std::vector<Index>>(features.size()),
                    .clashes = [](Index a, Index b) { return a / 2 == b / 2; },
                    .text = {}};
    for (std::size_t g = 0; g < features.size(); ++g) {
        std::vector<Feature> kept;
        for (const Feature& each : features[g]) {
            if (each.adjusted < most_p) kept.push_back(each);
        }
        std::sort(kept.begin(), kept.end(), BetterFeature{&columns, Order::extent});
        for (const Feature& each : kept) choices.ranked[g].push_back(2 * each.column + (each.auc > 0.5 ? 1 : 0));
    }
    choices.text = [&](Index key) { return columns[at(key / 2)] + (key % 2 == 1 ? " high" : " low"); };
    return choices;
}

void require_memory(const GroupTree& tree, Index cols, std::uint64_t source, std::size_t most, device::Cpu& cpu,
                    const Run& run) {
    const std::uint64_t groups = tree.groups.size(), columns = at(cols);
    const std::uint64_t z = std::min(groups * columns * sizeof(double), std::max(most_z_bytes, columns * 8));
    const std::uint64_t worker = RankSums::bytes(groups, tree.home.size()) + columns * 24;
    const std::uint64_t bytes = source + z + tree.home.size() * sizeof(Index) +
                                3 * BestFeatures::bytes(groups, std::min<std::uint64_t>(most, columns)) +
                                static_cast<std::uint64_t>(cpu.threads()) * worker;
    device::require_memory(run, bytes,
                           fmt::format("columns that set {} groups of {} points apart", groups, tree.home.size()),
                           "use fewer points or groups, or list fewer columns");
}

std::vector<std::string> names_of_columns(const std::vector<std::string>& given, Index cols) {
    if (!given.empty() && std::ssize(given) != cols)
        throw Error(Fault::bad_input,
                    fmt::format("{} names are given for {} columns; give one for each", given.size(), cols));
    std::vector<std::string> all = given;
    for (Index c = std::ssize(all) == cols ? cols : 0; c < cols; ++c) all.push_back(fmt::format("x{}", c + 1));
    return all;
}

/// source_bytes: of the columns, made for a tree by make_source().
template <class MakeSource>
Result name_by_columns(const GroupTree& tree, Index cols, const std::vector<std::string>& given,
                       std::uint64_t source_bytes, const Options& wanted, const Run& run,
                       const MakeSource& make_source) {
    const std::vector<std::string> columns = names_of_columns(given, cols);
    Result result;
    result.options = wanted;
    device::Cpu cpu(run);
    return run_named(std::move(result), cpu, run, [&](Result& named) {
        const Options& o = named.options;
        const std::size_t most = at(std::max({Index{32}, Index{8} * o.terms, o.listed}));
        require_memory(tree, cols, source_bytes, most, cpu, run);
        named.features.resize(tree.groups.size());
        const auto choices_among = [&](const GroupTree& part, const std::vector<Index>& groups) {
            const ColumnSource source = make_source(part);
            Task task{part, source, cols, o, std::vector<Offset>(part.groups.size(), 0), Children(part)};
            for (const Index home : part.home) {
                if (home >= 0) ++task.sizes[at(home)];
            }
            sum_upward(part, task.sizes);
            const std::vector<std::vector<Feature>> features = tested(cpu, task, columns, most);
            for (std::size_t g = 0; g < groups.size(); ++g) named.features[at(groups[g])] = features[g];
            return choices_of(features, columns);
        };
        named.names = choose_names(tree, choices_among, o.terms);
        for (auto& features : named.features) features.resize(std::min(features.size(), at(o.listed)));
    });
}

}  // namespace

Result of_columns(const GroupTree& tree, MatrixView<const float> points, const std::vector<std::string>& columns,
                  const Options& options, const Run& run) {
    check(tree);
    require_rows(tree, points.rows, "points");
    return name_by_columns(tree, points.cols, columns, tree.home.size() * sizeof(Index), options, run,
                           [&](const GroupTree& part) { return ColumnSource(part, points); });
}

Result of_columns(const GroupTree& tree, const SparseView& points, const std::vector<std::string>& columns,
                  const Options& options, const Run& run) {
    check(tree);
    dunlin::check(points);
    require_rows(tree, points.rows, "points");
    const std::uint64_t bytes = ColumnsByHome::bytes(static_cast<std::uint64_t>(points.nonzeros()), tree.home.size(),
                                                     static_cast<std::uint64_t>(points.cols));
    return name_by_columns(tree, points.cols, columns, bytes, options, run,
                           [&](const GroupTree& part) { return ColumnSource(part, points); });
}

}  // namespace dunlin::naming
