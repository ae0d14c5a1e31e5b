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
    std::string question;
    if (format == FeedFormat::binary) append(question, static_cast<std::int32_t>(i.size()));
    for (std::size_t k = 0; k < i.size(); ++k) {
        if (format == FeedFormat::binary) {
            append(question, i[k]);
            append(question, j[k]);
        } else {
            fmt::format_to(std::back_inserter(question), "{} {}\n", i[k], j[k]);
        }
    }
    return format == FeedFormat::binary ? question : question + "\n";
}

void DistanceParser::take(std::string_view bytes) {
    rest_ += bytes;
    std::size_t taken = 0;
    if (format_ == FeedFormat::binary) {
        for (; rest_.size() - taken >= sizeof(float); taken += sizeof(float)) {
            float value = 0;
            std::memcpy(&value, rest_.data() + taken, sizeof(float));
            add(value);
        }
        if (count_ == out_.size() && taken < rest_.size()) bad_file("{} answered more than it was asked for", who_);
    } else {
        for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', taken)) {
            take_line(rest_.substr(taken, end - taken));
            taken = end + 1;
        }
        if (rest_.size() - taken > longest_line) {
            bad_file("{} answered '{}'; a line holds one number", who_, shown(std::string_view(rest_).substr(taken)));
        }
    }
    rest_.erase(0, taken);
}

void DistanceParser::take_line(const std::string& line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) return;
    double value = 0;
    const char* const end = parse_number(line.c_str() + first, value);
    const bool whole =
        end != nullptr &&
        line.find_first_not_of(" \t\r", static_cast<std::size_t>(end - line.c_str())) == std::string::npos;
    if (!whole) bad_file("{} answered '{}' to pair {} of a batch; it must be a number", who_, shown(line), count_ + 1);
    add(static_cast<float>(value));
}

void DistanceParser::add(float value) {
    if (count_ == out_.size()) bad_file("{} answered more than the {} pairs it was asked for", who_, out_.size());
    if (!(value >= 0 && std::isfinite(value))) {
        bad_file("{} answered {} to pair {} of a batch; a distance is a finite number of at least 0", who_, value,
                 count_ + 1);
    }
    out_[count_++] = value;
}

}  // namespace dunlin::io
