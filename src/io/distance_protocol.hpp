// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <dunlin/feed.hpp>

namespace dunlin::io {

/// Encodes the request for a batch of pairs.
std::string encode_pairs(FeedFormat format, std::span<const Index> i, std::span<const Index> j);

/// Incremental parser of the response to a batch of pairs.
class DistanceParser {
public:
    /// server: name of the server in messages.
    DistanceParser(FeedFormat format, std::span<float> out, std::string_view server)
        : format_(format), out_(out), server_(server) {}

    /// Parses the next bytes. Throws Error{bad_file} for a value that is no distance, or more values than pairs.
    void parse(std::string_view bytes);

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t size() const { return out_.size(); }
    [[nodiscard]] bool complete() const { return count_ == out_.size() && rest_.empty(); }

private:
    void parse_line(const std::string& line);
    void add(float value);

    FeedFormat format_;
    std::span<float> out_;
    std::string_view server_;
    std::size_t count_ = 0;
    std::string rest_;  ///< bytes of an incomplete value
};

}  // namespace dunlin::io
