// SPDX-License-Identifier: Apache-2.0
#include "shards/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include <dunlin/error.hpp>

#include "math/ordered_sum.hpp"
#include "progress/cancel.hpp"

namespace dunlin::kmeans {

namespace {

std::string text_of_rows(Offset first, Offset rows) { return fmt::format("rows {} to {}", first, first + rows - 1); }

[[noreturn]] void fail_for_shards(const std::string& sentence) { throw Error(Fault::device_failure, sentence); }

}  // namespace

bool should_stop_waiting() {
    try {
        progress::cancellation_point();
        return false;
    } catch (const progress::Cancelled&) {
        return true;
    }
}

Shape resolved(Shape shape) {
    if (shape.chunk_rows == 0) shape.chunk_rows = chunk_rows(shape.cols);
    if (shape.chunk_rows > 0 && shape.chunk_rows % math::sum_block == 0) return shape;
    throw Error(Fault::bad_input, fmt::format("a chunk has {} rows; the number must be a positive multiple of {}",
                                              shape.chunk_rows, math::sum_block));
}

Index level_of(Offset chunk_rows) {
    Index level = 0;
    for (Offset blocks = chunk_rows / math::sum_block; blocks % math::fan_in == 0; blocks /= math::fan_in) ++level;
    return level;
}

ShardRounds::ShardRounds(ShardSet& shards, const Shape& shape, Metric metric, std::uint64_t epoch)
    : shards_(shards), shape_(resolved(shape)), metric_(metric), epoch_(epoch) {}

ShardRequest ShardRounds::request(MessageKind kind) const {
    ShardRequest request;
    request.header.kind = kind;
    request.header.epoch = epoch_;
    request.metric = metric_;
    request.rows = shape_.rows;
    request.cols = shape_.cols;
    request.level = level_of(shape_.chunk_rows);
    request.weighted = shape_.weighted ? 1 : 0;
    return request;
}

Offset ShardRounds::chunk_of(const Message& response, const MessageHeader& asked) const {
    const MessageHeader header = header_of(response);
    if (header.epoch > epoch_) {
        fail_for_shards(
            fmt::format("a shard has answered a driver of epoch {}, and this one has epoch {}: the run was "
                        "taken over; end this driver",
                        header.epoch, epoch_));
    }
    if (header.epoch != epoch_ || header.step != asked.step || header.kind != asked.kind) return -1;
    const Offset chunk = header.chunk / shape_.chunk_rows, first = chunk * shape_.chunk_rows;
    const Offset wanted = std::min(shape_.chunk_rows, shape_.rows - first);
    if (header.chunk == first && first >= 0 && header.rows == wanted && wanted > 0) return chunk;
    fail_for_shards(
        fmt::format("a shard has answered for {}, which are no chunk: chunks have {} rows, and there are {} "
                    "rows in all",
                    text_of_rows(header.chunk, header.rows), shape_.chunk_rows, shape_.rows));
}

std::vector<ShardResponse> ShardRounds::ask(ShardRequest& request) {
    progress::cancellation_point();
    request.header.step = ++step_;
    const Offset chunks = (shape_.rows + shape_.chunk_rows - 1) / shape_.chunk_rows;
    std::vector<Message> kept(static_cast<std::size_t>(chunks));
    std::vector<Message> asked = shards_.ask(encoded(request));
    progress::cancellation_point();  // shards that saw the stop have answered in part
    for (Message& response : asked) {
        const Offset chunk = chunk_of(response, request.header);
        if (chunk < 0) continue;
        Message& place = kept[static_cast<std::size_t>(chunk)];
        if (place.empty()) {
            place = std::move(response);
            continue;
        }
        if (place == response) continue;
        fail_for_shards(fmt::format(
            "two responses for chunk {} ({}) differ in iteration {}: a worker's memory or data "
            "are damaged, or workers have different rows",
            chunk, text_of_rows(chunk * shape_.chunk_rows, header_of(place).rows), request.header.iteration));
    }
    std::vector<ShardResponse> responses;
    for (Message& message : kept) {
        if (message.empty()) {
            const Offset first = first_of(responses.size());
            fail_for_shards(fmt::format("no shard has answered for chunk {} ({}); every chunk answers every request",
                                        responses.size(),
                                        text_of_rows(first, std::min(shape_.chunk_rows, shape_.rows - first))));
        }
        responses.push_back(decoded<ShardResponse>(message));
        message = {};
    }
    return responses;
}

std::vector<float> ShardRounds::values(const std::vector<Offset>& rows) {
    ShardRequest request = this->request(MessageKind::rows);
    request.ids = rows;
    const auto cols = static_cast<std::size_t>(shape_.cols);
    std::unordered_map<Offset, std::vector<float>> found;
    for (const ShardResponse& response : ask(request)) {
        for (std::size_t i = 0; i < response.ids.size(); ++i) {
            const auto from = response.values.begin() + static_cast<Offset>(i * cols);
            found[response.ids[i]].assign(from, from + static_cast<Offset>(cols));
        }
    }
    std::vector<float> values;
    for (const Offset row : rows) values.insert(values.end(), found[row].begin(), found[row].end());
    return values;
}

}  // namespace dunlin::kmeans
