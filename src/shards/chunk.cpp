// SPDX-License-Identifier: Apache-2.0
#include "shards/chunk.hpp"

#include <algorithm>
#include <utility>

#include <dunlin/error.hpp>

#include "kmeans/start.hpp"
#include "numerics/ordered.hpp"
#include "shards/components.hpp"

namespace dunlin::kmeans {

namespace {

void check_sums(const ShardRequest& request) {
    if (request.node <= 0 || request.node % mixture::leaf_rows != 0) fail_for_message("its sums have no rows");
}

bool same(const Scales& a, const Scales& b) {
    return a.columns == b.columns && a.weights == b.weights && a.means == b.means;
}

}  // namespace

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

ShardResponse ChunkOfRows::respond(device::Cpu& cpu, const ShardRequest& request) {
    check(request);
    ShardResponse response;
    response.header = request.header;
    response.header.chunk = first_;
    response.header.rows = rows_.count();
    switch (request.header.kind) {
        case MessageKind::survey:
            survey(cpu, response);
            break;
        case MessageKind::measure:
            measure(cpu, request, response);
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
            response.sums = integer_weights(rows_, labels_for(request.centroids), count, request.scale);
            break;
        }
        case MessageKind::nearest:
            find_nearest(cpu, request, response);
            break;
        case MessageKind::assign:
            assign(request, response);
            break;
        case MessageKind::far:
            find_far(cpu, request, response);
            break;
        case MessageKind::labels:
            response.labels = labels_for(request.centroids);
            response.sums.assign(request.centroids.size() / static_cast<std::size_t>(rows_.cols()), 0);
            for (const Index label : response.labels) ++response.sums[static_cast<std::size_t>(label)];
            if (request.wanted == 0) response.labels.clear();
            break;
        case MessageKind::moments:
            find_moments(cpu, request, response);
            break;
        case MessageKind::expect:
            find_expectations(cpu, request, response);
            break;
        default:
            sample(request, response);
    }
    return response;
}

void ChunkOfRows::survey(device::Cpu& cpu, ShardResponse& response) const {
    Offset first = 0;
    if (!rows_.weights.empty()) {
        response.bad = bad_weight(rows_);
        if (response.bad.row >= 0) {
            response.bad.row += first_;
            return;
        }
        response.most = static_cast<double>(*std::max_element(rows_.weights.begin(), rows_.weights.end()));
        response.parts =
            numerics::block_sums<double>(cpu, rows_.count(), [&](Offset row) { return rows_.weight(row); });
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

void ChunkOfRows::find_own_rows(const std::vector<Index>& wanted, ShardResponse& response) const {
    std::vector<Offset> rows;
    rows.reserve(wanted.size());
    for (const Index row : wanted) rows.push_back(first_ + row);
    find_rows(rows, response);
}

void ChunkOfRows::forget() { labeled_.reset(), chosen_.clear(); }

void ChunkOfRows::update_distances(const std::vector<float>& chosen) {
    std::vector<float> known = std::exchange(chosen_, {});
    forget();
    if (known.empty() || known.size() > chosen.size() || !std::equal(known.begin(), known.end(), chosen.begin())) {
        known.clear();
        engine_->begin_distances();
    }
    if (known.size() < chosen.size()) {
        engine_->lower_distances({chosen.begin() + static_cast<Offset>(known.size()), chosen.end()});
    }
    chosen_ = chosen;
}

void ChunkOfRows::sample(const ShardRequest& request, ShardResponse& response) {
    if (request.centroids.empty()) fail_for_message("it has no centroids");
    update_distances(request.centroids);
    if (request.header.kind == MessageKind::spread) {
        response.most = engine_->largest_weight();
    } else if (request.header.kind == MessageKind::share) {
        response.sums = {engine_->sum_of_weights(request.scale)};
    } else if (request.header.kind == MessageKind::pick) {
        pick(request, response);
    } else if (request.header.kind == MessageKind::score) {
        engine_->score(request.candidates, request.scale, response.sums, response.parts);
    } else {
        find_own_rows(engine_->draw(request.draw_count, request.sum, request.scale, request.seed,
                                    static_cast<int>(request.count), first_),
                      response);
    }
}

void ChunkOfRows::pick(const ShardRequest& request, ShardResponse& response) {
    std::vector<Sum> targets;
    for (const DrawTarget& draw : request.draws) {
        if (draw.chunk == first_) targets.push_back(draw.target);
    }
    if (!targets.empty()) find_own_rows(engine_->pick(targets, request.scale), response);
}

void ChunkOfRows::take_labels_to(const Scales& scales, const std::vector<float>& centroids) {
    const std::optional<Labeled> known = std::exchange(labeled_, std::nullopt);
    forget();
    if (known && same(known->scales, scales) && known->centroids == centroids) return;
    engine_->begin(scales, centroids);
    engine_->assign(0, nullptr);
}

std::vector<Index> ChunkOfRows::labels_for(const std::vector<float>& centroids) {
    if (labeled_ && labeled_->centroids == centroids) return engine_->labels();
    forget();
    return engine_->labels_of(centroids);
}

void ChunkOfRows::assign(const ShardRequest& request, ShardResponse& response) {
    if (request.previous.empty()) {
        forget();
        engine_->begin(request.scales, request.centroids);
    } else {
        take_labels_to(request.scales, request.previous);
        for (const FilledCluster& fill : request.fills) {
            const Offset row = fill.row - first_;
            if (row >= 0 && row < rows_.count())
                engine_->fill(static_cast<Index>(row), static_cast<Index>(fill.cluster));
        }
        engine_->place(request.centroids);
    }
    response.changed = engine_->assign(request.level, request.wanted != 0 ? &response.parts : nullptr);
    response.sums = engine_->sums();
    labeled_ = {request.scales, request.centroids};
}

void ChunkOfRows::find_far(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) {
    take_labels_to(request.scales, request.centroids);
    response.far =
        farthest_rows(cpu, rows_, request.scales, request.centroids, engine_->labels(), request.sums, request.count);
    std::vector<Offset> rows;
    rows.reserve(response.far.size());
    for (FarRow& far : response.far) rows.push_back(far.row += first_);
    find_rows(rows, response);
    labeled_ = {request.scales, request.centroids};
}

void ChunkOfRows::find_moments(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) {
    const std::vector<Index> labels = labels_for(request.centroids);
    forget();
    engine_->forget();
    append_sums(mixture::expect_labels(cpu, rows_.points, components_at(request.centroids, rows_.cols()),
                                       request.covariance, labels, request.node),
                response.parts);
}

void ChunkOfRows::find_expectations(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) {
    forget();
    engine_->forget();
    if (request.wanted != 0) response.labels.resize(static_cast<std::size_t>(rows_.count()));
    const mixture::ExpectedOutputs wanted{request.covariance, request.moments != 0,
                                          request.wanted != 0 ? response.labels.data() : nullptr};
    append_sums(mixture::expect(cpu, rows_.points, components_of(request), wanted, request.node), response.parts);
}

}  // namespace dunlin::kmeans
