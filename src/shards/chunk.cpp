// SPDX-License-Identifier: Apache-2.0
#include "shards/chunk.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <dunlin/error.hpp>

#include "device/ordered.hpp"
#include "kmeans/d2_sampling.hpp"
#include "kmeans/start.hpp"
#include "kmeans/tile_distances.hpp"
#include "shards/components.hpp"

namespace dunlin::kmeans {

namespace {

/// Values of the tree's nodes (math/ordered_sum.hpp) that have `group` of these values each; stride columns.
template <class T>
std::vector<T> folded(const std::vector<T>& values, Offset group, std::size_t stride = 1) {
    const auto count = static_cast<Offset>(values.size() / stride);
    std::vector<T> nodes;
    for (Offset begin = 0; begin < count; begin += group) {
        for (std::size_t c = 0; c < stride; ++c) {
            nodes.push_back(math::tree_sum<T>(begin, std::min(begin + group, count), [&](Offset i) {
                return values[static_cast<std::size_t>(i) * stride + c];
            }));
        }
    }
    return nodes;
}

Offset power_of_fan_in(Index exponent) {
    Offset power = 1;
    while (exponent-- > 0) power *= math::fan_in;
    return power;
}

void check_sums(const ShardRequest& request) {
    if (request.node <= 0 || request.node % mixture::leaf_rows != 0) fail_for_message("its sums have no rows");
    if (static_cast<std::size_t>(request.covariance) >= names(request.covariance).size()) {
        fail_for_message("its form of covariance is unknown");
    }
}

bool same(const Scales& a, const Scales& b) {
    return a.columns == b.columns && a.weights == b.weights && a.means == b.means;
}

}  // namespace

ChunkOfRows::Assigned::Assigned(ShardWorkspace& workspace, const Rows& chunk, const Scales& all,
                                const std::vector<float>& centroids)
    : rows(chunk), scales(all), lloyd(workspace.cpu, rows, scales, centroids, workspace.lloyd) {
    workspace.lloyd = lloyd.workspaces();
    workspace.lloyd_size = centroids.size();
}

void ChunkOfRows::check(const ShardRequest& request) const {
    const auto cols = static_cast<std::size_t>(rows_.cols());
    const auto require = [](bool holds, const char* why) {
        if (!holds) fail_for_message(why);
    };
    require(request.cols == rows_.cols(), "its number of columns is not that of the rows here");
    require(request.metric == rows_.metric, "its metric is not that of the shard");
    require((request.weighted != 0) == !rows_.weights.empty(),
            "it and the rows here differ in whether there are weights");
    require(first_ + rows_.count() <= request.rows, "the rows here lie beyond the rows of all chunks");
    require(request.level >= 0 && request.level < 8, "its level of sums is out of range");
    require(request.centroids.size() % cols == 0 && request.candidates.size() % cols == 0,
            "its centroids have another number of columns");
    switch (request.header.kind) {
        case MessageKind::measure:
            require(request.origin.size() == cols, "its origin has another number of columns");
            break;
        case MessageKind::weights:
            require(request.ids.size() == 2, "it asks for no range of rows");
            break;
        case MessageKind::expect:
            check_sums(request);
            require(request.count > 0 && request.count <= static_cast<std::uint64_t>(request.rows) &&
                        request.components.size() == numbers_of_components(request),
                    "its components have another number of columns");
            break;
        case MessageKind::moments:
            check_sums(request);
            [[fallthrough]];
        case MessageKind::weigh:
        case MessageKind::labels:
            require(!request.centroids.empty(), "it has no centroids");
            break;
        case MessageKind::assign:
        case MessageKind::far: {
            const std::size_t clusters = request.centroids.size() / cols;
            require(clusters > 0, "it has no centroids");
            require(request.scales.columns.size() == cols && request.scales.means.size() == cols,
                    "its scales have another number of columns");
            require(request.previous.empty() || request.previous.size() == request.centroids.size(),
                    "its numbers of clusters differ");
            for (const FilledCluster& fill : request.fills) {
                require(fill.cluster >= 0 && fill.cluster < static_cast<Offset>(clusters) && !request.previous.empty(),
                        "it fills a cluster that there is not");
            }
            require(request.header.kind == MessageKind::assign || request.sums.size() == clusters,
                    "its numbers of clusters differ");
            break;
        }
        default:
            break;
    }
}

ShardResponse ChunkOfRows::respond(ShardWorkspace& workspace, const ShardRequest& request) {
    check(request);
    ShardResponse response;
    response.header = request.header;
    response.header.chunk = first_;
    response.header.rows = rows_.count();
    switch (request.header.kind) {
        case MessageKind::survey:
            survey(workspace.cpu, request, response);
            break;
        case MessageKind::measure:
            measure(workspace.cpu, request, response);
            break;
        case MessageKind::rows:
            find_rows(request.ids, response);
            break;
        case MessageKind::weights:
            for (Offset row = std::max(request.ids[0], first_); row < std::min(request.ids[1], first_ + rows_.count());
                 ++row) {
                response.values.push_back(static_cast<float>(rows_.weight(row - first_)));
            }
            break;
        case MessageKind::weigh: {
            const auto count = static_cast<Index>(request.centroids.size() / static_cast<std::size_t>(rows_.cols()));
            response.sums =
                integer_weights(rows_, labels_of(workspace.cpu, rows_, request.centroids), count, request.scale);
            break;
        }
        case MessageKind::nearest:
            find_nearest(workspace, request, response);
            break;
        case MessageKind::assign:
            assign(workspace, request, response);
            break;
        case MessageKind::far:
            find_far(workspace, request, response);
            break;
        case MessageKind::labels:
            find_labels(workspace, request, response);
            break;
        case MessageKind::moments:
            find_moments(workspace, request, response);
            break;
        case MessageKind::expect:
            find_expectations(workspace, request, response);
            break;
        default:
            sample(workspace.cpu, request, response);
    }
    return response;
}

void ChunkOfRows::survey(device::Cpu& cpu, const ShardRequest&, ShardResponse& response) const {
    Offset first = 0;
    if (!rows_.weights.empty()) {
        response.bad = bad_weight(rows_);
        if (response.bad.row >= 0) {
            response.bad.row += first_;
            return;
        }
        response.most = static_cast<double>(*std::max_element(rows_.weights.begin(), rows_.weights.end()));
        response.parts = device::block_sums<double>(cpu, rows_.count(), [&](Offset row) { return rows_.weight(row); });
        if (response.most == 0) return;
        first = first_weighted(rows_);
    }
    find_rows({first_ + first}, response);
}

void ChunkOfRows::measure(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) const {
    try {
        const auto blocks = statistics_of(cpu, rows_, request.origin);
        response.stats = folded(blocks, power_of_fan_in(request.level), static_cast<std::size_t>(rows_.cols()));
    } catch (const Error&) {
        response.bad = bad_number(rows_);
        if (response.bad.row < 0) throw;
        response.bad.row += first_;
    }
}

void ChunkOfRows::find_rows(const std::vector<Offset>& wanted, ShardResponse& response) const {
    std::vector<Offset> here;
    for (const Offset row : wanted) {
        if (row < first_ || row >= first_ + rows_.count()) continue;
        response.ids.push_back(row);
        here.push_back(row - first_);
    }
    const std::vector<float> values = values_of(rows_, here);
    response.values.insert(response.values.end(), values.begin(), values.end());
}

void ChunkOfRows::update_nearest(device::Cpu& cpu, const std::vector<float>& chosen) {
    assigned_.reset();
    const bool begins_so =
        chosen_.size() <= chosen.size() && std::equal(chosen_.begin(), chosen_.end(), chosen.begin());
    if (!begins_so || nearest_.empty()) {
        chosen_.clear();
        nearest_.assign(static_cast<std::size_t>(rows_.count()), std::numeric_limits<float>::infinity());
    }
    const std::size_t known = std::exchange(chosen_, {}).size();  // empty while nearest_ changes: it may be cancelled
    const auto count = static_cast<Index>((chosen.size() - known) / static_cast<std::size_t>(rows_.cols()));
    if (count > 0) {
        std::vector<float> nearest = std::exchange(nearest_, {});
        each_tile_of_distances(cpu, rows_, chosen.data() + known, count,
                               [&](Offset first, Index here, const float* distances) {
                                   for (Index j = 0; j < count; ++j)
                                       lower_nearest(distances + Offset{j} * tile_rows, here, nearest.data() + first);
                               });
        nearest_ = std::move(nearest);
    }
    chosen_ = chosen;
}

double ChunkOfRows::d2_weight(Offset row) const {
    return d2_weight_of(rows_.weight(row), nearest_[static_cast<std::size_t>(row)]);
}

std::vector<Sum> ChunkOfRows::d2_sums(device::Cpu& cpu, double scale) const {
    const Offset grain = grain_of(rows_.cols());
    std::vector<Sum> sums(static_cast<std::size_t>((rows_.count() + grain - 1) / grain));
    cpu.blocks(rows_.count(), grain, [&](Offset begin, Offset end, int) {
        double most = 0;
        add_d2_weights(nearest_.data() + begin, nullptr, rows_.weights_from(begin), end - begin, scale,
                       &sums[static_cast<std::size_t>(begin / grain)], &most);
    });
    return sums;
}

void ChunkOfRows::sample(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) {
    if (request.centroids.empty()) fail_for_message("it has no centroids");
    update_nearest(cpu, request.centroids);
    if (request.header.kind == MessageKind::spread) {
        for (Offset row = 0; row < rows_.count(); ++row) response.most = std::max(response.most, d2_weight(row));
    } else if (request.header.kind == MessageKind::share) {
        const std::vector<Sum> sums = d2_sums(cpu, request.scale);
        response.sums = {std::accumulate(sums.begin(), sums.end(), Sum{0})};
    } else if (request.header.kind == MessageKind::pick) {
        pick(cpu, request, response);
    } else if (request.header.kind == MessageKind::score) {
        score(cpu, request, response);
    } else {
        draw(request, response);
    }
}

void ChunkOfRows::pick(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) const {
    const std::vector<Sum> sums = d2_sums(cpu, request.scale);
    const Offset grain = grain_of(rows_.cols());
    std::vector<Offset> rows;
    for (const DrawTarget& draw : request.draws) {
        if (draw.chunk != first_) continue;
        Sum target = draw.target;
        std::size_t block = 0;
        while (block + 1 < sums.size() && target >= sums[block]) target -= sums[block++];
        Offset row = static_cast<Offset>(block) * grain;
        while (row + 1 < rows_.count()) {
            const Sum here = to_integer(d2_weight(row), request.scale);
            if (target < here) break;
            target -= here;
            ++row;
        }
        rows.push_back(first_ + row);
    }
    find_rows(rows, response);
}

void ChunkOfRows::score(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) const {
    const auto count = static_cast<Index>(request.candidates.size() / static_cast<std::size_t>(rows_.cols()));
    response.sums.assign(static_cast<std::size_t>(count), 0);
    response.parts.assign(static_cast<std::size_t>(count), 0.0);
    const Offset grain = grain_of(rows_.cols());
    const auto blocks = static_cast<std::size_t>((rows_.count() + grain - 1) / grain);
    std::vector<Sum> sums(blocks * static_cast<std::size_t>(count));
    std::vector<double> most(sums.size());
    each_tile_of_distances(cpu, rows_, request.candidates.data(), count,
                           [&](Offset first, Index here, const float* distances) {
                               for (Index j = 0; j < count; ++j, distances += tile_rows) {
                                   const auto at = static_cast<std::size_t>(first / grain * count + j);
                                   add_d2_weights(nearest_.data() + first, distances, rows_.weights_from(first), here,
                                                  request.scale, &sums[at], &most[at]);
                               }
                           });
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t j = i % static_cast<std::size_t>(count);
        response.sums[j] += sums[i];
        response.parts[j] = std::max(response.parts[j], most[i]);
    }
}

void ChunkOfRows::draw(const ShardRequest& request, ShardResponse& response) const {
    std::vector<Offset> drawn;
    for (Offset row = 0; row < rows_.count(); ++row) {
        const Sum weight = to_integer(d2_weight(row), request.scale);
        if (is_drawn(request.draw_count, weight, request.sum, request.seed, first_ + row,
                     static_cast<int>(request.count))) {
            drawn.push_back(first_ + row);
        }
    }
    find_rows(drawn, response);
}

std::unique_ptr<ChunkOfRows::Assigned> ChunkOfRows::assigned_to(ShardWorkspace& workspace, const Scales& scales,
                                                                const std::vector<float>& centroids) {
    chosen_ = {}, nearest_ = {};
    std::unique_ptr<Assigned> now = std::exchange(assigned_, nullptr);
    if (now && same(now->scales, scales) && now->lloyd.centroids() == centroids) return now;
    if (workspace.lloyd_size != centroids.size()) workspace.lloyd = nullptr;
    now = std::make_unique<Assigned>(workspace, rows_, scales, centroids);
    now->lloyd.assign_with(nullptr);
    return now;
}

void ChunkOfRows::assign(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response) {
    std::vector<double> folds;
    std::vector<double>* const wanted = request.wanted != 0 ? &folds : nullptr;
    std::unique_ptr<Assigned> now;
    if (request.previous.empty()) {
        chosen_ = {}, nearest_ = {}, assigned_ = nullptr;
        if (workspace.lloyd_size != request.centroids.size()) workspace.lloyd = nullptr;
        now = std::make_unique<Assigned>(workspace, rows_, request.scales, request.centroids);
    } else {
        now = assigned_to(workspace, request.scales, request.previous);
        for (const FilledCluster& fill : request.fills) {
            const Offset row = fill.row - first_;
            if (row >= 0 && row < rows_.count()) now->lloyd.fill(row, static_cast<Index>(fill.cluster));
        }
        now->lloyd.place(request.centroids);
    }
    response.changed = now->lloyd.assign_with(wanted);
    response.sums = now->lloyd.sums().values();
    response.parts = folded(folds, power_of_fan_in(request.level + 1));
    assigned_ = std::move(now);
}

void ChunkOfRows::find_far(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response) {
    std::unique_ptr<Assigned> now = assigned_to(workspace, request.scales, request.centroids);
    response.far = farthest_rows(workspace.cpu, rows_, request.scales, request.centroids, now->lloyd.labels(),
                                 request.sums, request.count);
    std::vector<Offset> rows;
    rows.reserve(response.far.size());
    for (FarRow& far : response.far) rows.push_back(far.row += first_);
    find_rows(rows, response);
    assigned_ = std::move(now);
}

void ChunkOfRows::find_moments(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response) {
    std::vector<Index> labels;
    if (assigned_ && assigned_->lloyd.centroids() == request.centroids) {
        labels = assigned_->lloyd.labels();
    } else {
        labels = labels_of(workspace.cpu, rows_, request.centroids);
    }
    chosen_ = {}, nearest_ = {}, assigned_ = nullptr;
    append_sums(mixture::expect_labels(workspace.cpu, rows_.points, components_at(request.centroids, rows_.cols()),
                                       request.covariance, labels, request.node),
                response.parts);
}

void ChunkOfRows::find_expectations(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response) {
    chosen_ = {}, nearest_ = {}, assigned_ = nullptr;
    if (request.wanted != 0) response.labels.resize(static_cast<std::size_t>(rows_.count()));
    const mixture::ExpectedOutputs wanted{request.covariance, request.moments != 0,
                                          request.wanted != 0 ? response.labels.data() : nullptr};
    append_sums(mixture::expect(workspace.cpu, rows_.points, components_of(request), wanted, request.node),
                response.parts);
}

void ChunkOfRows::find_labels(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response) {
    if (!assigned_ || assigned_->lloyd.centroids() != request.centroids) {
        response.labels = labels_of(workspace.cpu, rows_, request.centroids);
    } else {
        response.labels = assigned_->lloyd.labels();
    }
    response.sums.assign(request.centroids.size() / static_cast<std::size_t>(rows_.cols()), 0);
    for (const Index label : response.labels) ++response.sums[static_cast<std::size_t>(label)];
    if (request.wanted == 0) response.labels.clear();
}

}  // namespace dunlin::kmeans
