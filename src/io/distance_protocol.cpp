// SPDX-License-Identifier: Apache-2.0
#include "io/distance_protocol.hpp"

#include <cmath>
#include <cstring>

#include "io/fail.hpp"
#include "io/number.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t longest_line = 1000;

template <class T>
void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

std::string encode_pairs(FeedFormat format, std::span<const Index> i, std::span<const Index> j) {
    std::string request;
    if (format == FeedFormat::binary) append(request, static_cast<std::int32_t>(i.size()));
    for (std::size_t k = 0; k < i.size(); ++k) {
        if (format == FeedFormat::binary) {
            append(request, i[k]);
            append(request, j[k]);
        } else {
            fmt::format_to(std::back_inserter(request), "{} {}\n", i[k], j[k]);
        }
    }
    return format == FeedFormat::binary ? request : request + "\n";
}

void DistanceParser::parse(std::string_view bytes) {
    rest_ += bytes;
    std::size_t used = 0;
    if (format_ == FeedFormat::binary) {
        for (; rest_.size() - used >= sizeof(float); used += sizeof(float)) {
            float value = 0;
            std::memcpy(&value, rest_.data() + used, sizeof(float));
            add(value);
        }
        if (count_ == out_.size() && used < rest_.size()) bad_file("{} answered more than it was asked for", server_);
    } else {
        for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', used)) {
            parse_line(rest_.substr(used, end - used));
            used = end + 1;
        }
        if (rest_.size() - used > longest_line) {
            bad_file("{} answered '{}'; a line holds one number", server_, shown(std::string_view(rest_).substr(used)));
        }
    }
    rest_.erase(0, used);
}

void DistanceParser::parse_line(const std::string& line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) return;
    double value = 0;
    const char* const end = parse_number(line.c_str() + first, value);
    const bool whole =
        end != nullptr &&
        line.find_first_not_of(" \t\r", static_cast<std::size_t>(end - line.c_str())) == std::string::npos;
    if (!whole)
        bad_file("{} answered '{}' to pair {} of a batch; it must be a number", server_, shown(line), count_ + 1);
    add(static_cast<float>(value));
}

void DistanceParser::add(float value) {
    if (count_ == out_.size()) bad_file("{} answered more than the {} pairs it was asked for", server_, out_.size());
    if (!(value >= 0 && std::isfinite(value))) {
        bad_file("{} answered {} to pair {} of a batch; a distance is a finite number of at least 0", server_, value,
                 count_ + 1);
    }
    out_[count_++] = value;
}

}  // namespace dunlin::io
