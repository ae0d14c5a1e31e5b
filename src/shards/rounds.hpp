// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "shards/message.hpp"

namespace dunlin::kmeans {

/// Rounds of a driver: one request to all shards and one response of each chunk.
class ShardRounds {
public:
    /// Throws Error{bad_input} for a shape that cannot be divided into chunks.
    ShardRounds(ShardSet& shards, const Shape& shape, Metric metric, std::uint64_t epoch);

    [[nodiscard]] Offset rows() const { return shape_.rows; }
    [[nodiscard]] Index cols() const { return shape_.cols; }
    [[nodiscard]] Offset first_of(std::size_t chunk) const { return static_cast<Offset>(chunk) * shape_.chunk_rows; }
    [[nodiscard]] bool weighted() const { return shape_.weighted; }
    [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

    /// A request of this run; its content is the caller's.
    [[nodiscard]] ShardRequest request(MessageKind kind) const;
    /// The responses in the order of chunks. Begins with a cancellation point.
    std::vector<ShardResponse> ask(ShardRequest& request);
    /// Coordinates of these rows, in this order.
    std::vector<float> values(const std::vector<Offset>& rows);

private:
    /// The chunk that this message is a response of, or -1 if it answers another request.
    [[nodiscard]] Offset chunk_of(const Message& response, const MessageHeader& asked) const;

    ShardSet& shards_;
    Shape shape_;
    Metric metric_;
    std::uint64_t epoch_, step_ = 0;
};

/// The shape with its default resolved. Throws Error{bad_input} for chunks of other sizes than multiples of 1,024.
Shape resolved(Shape shape);

/// The exponent L of the largest power of 32 of blocks that a chunk consists of: sums of so many blocks are nodes of
/// the tree of math/ordered_sum.hpp, for all chunks.
Index level_of(Offset chunk_rows);

}  // namespace dunlin::kmeans
