// SPDX-License-Identifier: Apache-2.0
#include "shards/start.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kmeans/d2_sampling.hpp"
#include "kmeans/start.hpp"

namespace dunlin::kmeans {

namespace {

/// Throws Error{bad_input} for the first row of all that has a number that cannot be used.
const BadNumber* first_bad(const std::vector<ShardResponse>& responses) {
    for (const ShardResponse& response : responses) {
        if (response.bad.row >= 0) return &response.bad;  // chunks are in order
    }
    return nullptr;
}

/// The sampler of d2_sampling.hpp over shards. A request has all centroids so far, so every chunk can answer it.
class ShardedD2Sampler {
public:
    explicit ShardedD2Sampler(ShardRounds& rounds) : rounds_(rounds) {}

    void begin(Offset row) {
        chosen_ = drawn_ = {row};
        chosen_values_ = drawn_values_ = rounds_.values(chosen_);
        near_.clear();
        most_.reset();
    }

    void update(const std::vector<Offset>& rows) {
        add_near(rows == drawn_ ? drawn_values_ : rounds_.values(rows));
        most_.reset();
        add_up();
    }

    void add(Index k, std::uint64_t seed, int draws) {
        add_near({chosen_values_.end() - rounds_.cols(), chosen_values_.end()});
        add_up();
        std::vector<double> numbers;
        numbers.reserve(static_cast<std::size_t>(draws));
        for (int draw = 0; draw < draws; ++draw) numbers.push_back(draw_number(seed, k, draw));
        draw_rows(numbers);
        const std::size_t best = best_drawn();
        const auto from = drawn_values_.begin() + static_cast<Offset>(best) * rounds_.cols();
        chosen_.push_back(drawn_[best]);
        chosen_values_.insert(chosen_values_.end(), from, from + rounds_.cols());
    }

    std::vector<Offset> draw_many(double wanted, std::uint64_t seed, int round) {
        ShardRequest request = request_of(MessageKind::draw);
        request.draw_count = wanted;
        request.sum = sum_;
        request.seed = seed;
        request.count = static_cast<std::uint64_t>(round);
        drawn_.clear(), drawn_values_.clear();
        for (const ShardResponse& response : rounds_.ask(request)) {
            drawn_.insert(drawn_.end(), response.ids.begin(), response.ids.end());
            drawn_values_.insert(drawn_values_.end(), response.values.begin(), response.values.end());
        }
        return drawn_;
    }

    [[nodiscard]] const std::vector<Offset>& chosen() const { return chosen_; }
    [[nodiscard]] const std::vector<float>& chosen_values() const { return chosen_values_; }
    /// Coordinates of the rows of all updates.
    [[nodiscard]] const std::vector<float>& updated_values() const { return near_; }

private:
    [[nodiscard]] ShardRequest request_of(MessageKind kind) const {
        ShardRequest request = rounds_.request(kind);
        request.centroids = near_;
        request.scale = scale_;
        return request;
    }
    void add_near(const std::vector<float>& values) { near_.insert(near_.end(), values.begin(), values.end()); }

    /// The sums of the D^2 weights of the chunks as integers, scaled by the largest weight of all.
    void add_up() {
        if (!most_) {
            most_ = 0;
            ShardRequest request = request_of(MessageKind::spread);
            for (const ShardResponse& response : rounds_.ask(request)) most_ = std::max(*most_, response.most);
        }
        scale_ = integer_scale(*std::exchange(most_, std::nullopt), rounds_.rows());
        ShardRequest request = request_of(MessageKind::share);
        sums_.clear(), sum_ = 0;
        for (const ShardResponse& response : rounds_.ask(request)) {
            sums_.push_back(response.sums.at(0));
            sum_ += sums_.back();
        }
    }

    /// drawn_: the rows at which the running sum of D^2 weights exceeds these shares of the whole.
    void draw_rows(const std::vector<double>& numbers) {
        drawn_.clear(), drawn_values_.clear();
        if (sum_ == 0) {
            for (const double u : numbers) drawn_.push_back(any_row(u, rounds_.rows()));
            drawn_values_ = rounds_.values(drawn_);
            return;
        }
        ShardRequest request = request_of(MessageKind::pick);
        std::vector<std::size_t> chunks;
        for (const double u : numbers) {
            Sum target = target_of(u, sum_);
            std::size_t chunk = 0;
            while (target >= sums_[chunk]) target -= sums_[chunk++];
            chunks.push_back(chunk);
            request.draws.push_back({rounds_.first_of(chunk), target});
        }
        const std::vector<ShardResponse> responses = rounds_.ask(request);
        std::vector<Offset> next(responses.size());
        for (const std::size_t chunk : chunks) {
            const Offset at = next[chunk]++;
            const auto from = responses[chunk].values.begin() + at * rounds_.cols();
            drawn_.push_back(responses[chunk].ids.at(static_cast<std::size_t>(at)));
            drawn_values_.insert(drawn_values_.end(), from, from + rounds_.cols());
        }
    }

    /// The drawn row that lowers the sum of D^2 weights most. The largest weight with it is then known.
    std::size_t best_drawn() {
        ShardRequest request = request_of(MessageKind::score);
        request.candidates = drawn_values_;
        std::vector<Sum> sums(drawn_.size());
        std::vector<double> most(drawn_.size());
        for (const ShardResponse& response : rounds_.ask(request)) {
            for (std::size_t j = 0; j < sums.size(); ++j) {
                sums[j] += response.sums.at(j);
                most[j] = std::max(most[j], response.parts.at(j));
            }
        }
        const auto best = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
        most_ = most[best];
        return best;
    }

    ShardRounds& rounds_;
    std::vector<float> near_;             ///< the centroids that D^2 weights belong to
    std::vector<Offset> chosen_, drawn_;  ///< drawn_: by the last draws
    std::vector<float> chosen_values_, drawn_values_;
    std::vector<Sum> sums_;  ///< of D^2 weights by chunk
    Sum sum_ = 0;
    double scale_ = 1;            ///< of integer D^2 weights
    std::optional<double> most_;  ///< the largest D^2 weight
};

Offset draw_over_shards(ShardRounds& rounds, const ShardedData& data, std::uint64_t seed) {
    const auto in_block = [&](Offset begin, Offset end) {
        ShardRequest request = rounds.request(MessageKind::weights);
        request.ids = {begin, end};
        std::vector<float> weights;
        for (const ShardResponse& response : rounds.ask(request)) {
            weights.insert(weights.end(), response.values.begin(), response.values.end());
        }
        return weights;
    };
    return draw_by_blocks(rounds.rows(), data.blocks, in_block, seed);
}

std::vector<float> start_by_draws(ShardRounds& rounds, const ShardedData& data, Index clusters, std::uint64_t seed,
                                  const Run& run) {
    ShardedD2Sampler sampler(rounds);
    plus_plus(sampler, draw_over_shards(rounds, data, seed), clusters, seed, run);
    return sampler.chosen_values();
}

/// The candidates lie with the driver, which chooses among them as one process does.
std::vector<float> start_by_rounds(device::Cpu& cpu, ShardRounds& rounds, const ShardedData& data, Index clusters,
                                   std::uint64_t seed, const Run& run) {
    ShardedD2Sampler sampler(rounds);
    const auto chosen = parallel_candidates(sampler, draw_over_shards(rounds, data, seed), clusters, seed);
    const auto count = static_cast<Index>(chosen.size());
    if (count < clusters) return start_by_draws(rounds, data, clusters, seed, run);
    ShardRequest request = rounds.request(MessageKind::weigh);
    request.centroids = sampler.updated_values();
    request.scale = data.weights.scale;
    std::vector<Sum> sums(static_cast<std::size_t>(count));
    for (const ShardResponse& response : rounds.ask(request)) {
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += response.sums.at(j);
    }
    const std::vector<float> weights = weights_of(sums, data.weights.scale);
    const Rows candidates{{request.centroids.data(), count, rounds.cols()}, weights};
    return start_centroids(cpu, candidates, clusters, Start::plusplus, math::random_bits(seed, 1), run);
}

}  // namespace

ShardedData measure_shards(device::Cpu& cpu, ShardRounds& rounds) {
    ShardedData data;
    ShardRequest request = rounds.request(MessageKind::survey);
    const std::vector<ShardResponse> surveys = rounds.ask(request);
    if (const BadNumber* bad = first_bad(surveys)) fail_for_weight(bad->row, bad->number);
    double heaviest = 0;
    request = rounds.request(MessageKind::measure);
    for (const ShardResponse& survey : surveys) {
        heaviest = std::max(heaviest, survey.most);
        data.blocks.insert(data.blocks.end(), survey.parts.begin(), survey.parts.end());
        if (request.origin.empty()) request.origin.assign(survey.values.begin(), survey.values.end());
    }
    if (rounds.weighted() && heaviest == 0) fail_for_no_weight();
    data.weights = rounds.weighted() ? weight_totals(rounds.rows(), data.blocks, heaviest)
                                     : WeightTotals{rounds.rows(), static_cast<double>(rounds.rows()), 1};
    const std::vector<ShardResponse> measured = rounds.ask(request);
    if (const BadNumber* bad = first_bad(measured)) {
        fail_for_number(bad->row, static_cast<Index>(bad->column), static_cast<float>(bad->number));
    }
    std::vector<ColumnStatistics> nodes;
    for (const ShardResponse& response : measured) {
        nodes.insert(nodes.end(), response.stats.begin(), response.stats.end());
    }
    data.scales = scales_of(cpu, data.weights, request.origin, nodes);
    require_not_tiny(data.scales);
    return data;
}

std::vector<float> start_over_shards(device::Cpu& cpu, ShardRounds& rounds, const ShardedData& data, Index clusters,
                                     Start start, std::uint64_t seed, const Run& run) {
    if (start == Start::random) return rounds.values(random_rows(rounds.rows(), clusters, seed));
    if (start == Start::parallel) return start_by_rounds(cpu, rounds, data, clusters, seed, run);
    return start_by_draws(rounds, data, clusters, seed, run);
}

}  // namespace dunlin::kmeans
