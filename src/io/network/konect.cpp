// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "io/dense.hpp"
#include "io/memory.hpp"
#include "io/network/konect.hpp"
#include "io/network/optional_weights.hpp"

namespace dunlin::io {

namespace {

constexpr Offset largest = Offset{1} << 53;

/// Parser of a bipartite graph, whose two columns count the vertices of each side from 1.
class BipartiteReader {
public:
    BipartiteReader(const Bytes& bytes, const NetworkOptions& options)
        : bytes_(bytes), without_weights_(ignores_weights(options)) {
        parsed_.network.kind = "konect";
        if (!without_weights_ && !options.weights_from.empty() && options.weights_from != "3")
            bad_option("weights-from", "the weights of '{}' are its column 3; leave the option out, or say none",
                       bytes.name());
    }

    ParsedNetwork read() && {
        const KonectHead head = konect_head(bytes_);
        left_ = std::max(head.left, 0), right_ = std::max(head.right, 0);
        TextLines lines(bytes_);
        for (std::string_view line; lines.next_but("%#", line);) read_edge(line);
        if (Offset{left_} + right_ > most_items) bad_file("'{}' has more than {} vertices", bytes_.name(), most_items);
        join_sides();
        if (!without_weights_) weights_.settle(parsed_);
        say_what_was_read(head);
        return std::move(parsed_);
    }

private:
    void read_edge(std::string_view line) {
        std::string_view rest = line;
        const Index left = vertex(line, take_word(rest)), right = vertex(line, take_word(rest));
        left_ = std::max(left_, left), right_ = std::max(right_, right);
        parsed_.source->edges.add(left, right);
        const std::string_view word = take_word(rest);
        has_times_ |= !rest.empty();
        if (without_weights_) return;
        if (word.empty()) return weights_.add_none(parsed_.source->edges);
        weights_.add(parsed_.source->edges, weight_in(bytes_, word, [&] { return fmt::format("{} {}", left, right); }));
    }

    Index vertex(std::string_view line, std::string_view word) const {
        const Offset number = whole_number(word, most_items);
        if (number > 0) return static_cast<Index>(number);
        bad_file("{}: '{}' does not begin with two numbers of vertices, which count from 1; correct the line",
                 place_of(bytes_, line), shown(line));
    }

    /// The right side is numbered behind the left one.
    void join_sides() {
        EdgeList& edges = parsed_.source->edges;
        for (std::size_t e = 0; e < edges.ends.size(); ++e) {
            graph::Edge& edge = edges.ends.data()[e];
            edge = {edge.source - 1, left_ + edge.target - 1};
        }
        parsed_.source->vertices = left_ + right_;
        parsed_.network.ids = ids_from_one(parsed_.source->vertices);
    }

    void say_what_was_read(const KonectHead& head) {
        std::vector<std::string>& warnings = parsed_.network.warnings;
        warnings.push_back(fmt::format(
            "a bipartite graph (% bip): its left side has the ids 1 to {}, its right side the ids {} to {}, "
            "{} more than in the file",
            left_, left_ + 1, left_ + right_, left_));
        if (has_times_) warnings.push_back("columns that are not used: 4, of times");
        say_wrong_counts(head, parsed_);
        if (head.left >= 0 && (left_ != head.left || right_ != head.right)) {
            warnings.push_back(fmt::format("its head announces {} and {} vertices, and there are {} and {}", head.left,
                                           head.right, left_, right_));
        }
    }

    const Bytes& bytes_;
    bool without_weights_;
    ParsedNetwork parsed_;
    OptionalWeights weights_;
    Index left_ = 0, right_ = 0;
    bool has_times_ = false;
};

}  // namespace

KonectHead konect_head(const Bytes& bytes) {
    KonectHead head;
    TextLines lines(bytes);
    for (std::string_view line; lines.next(line) && (line.empty() || line[0] == '%');) {
        if (line.empty()) continue;
        std::string_view rest = without_blanks(line.substr(1));
        const std::string word = lower(take_word(rest));
        if (head.form.empty() && is_one_of(word, {"bip", "sym", "asym"})) {
            head.form = word;
        } else if (!head.form.empty() && head.edges < 0 && is_whole(word)) {
            const Offset left = whole_number(take_word(rest), most_items),
                         right = whole_number(take_word(rest), most_items);
            head.edges = whole_number(word, largest);
            if (left >= 0 && right >= 0) head.left = static_cast<Index>(left), head.right = static_cast<Index>(right);
        }
    }
    return head;
}

void say_wrong_counts(const KonectHead& head, ParsedNetwork& parsed) {
    const auto listed = static_cast<Offset>(parsed.source->edges.ends.size());
    if (head.edges < 0 || head.edges == listed) return;
    parsed.network.warnings.push_back(fmt::format("its head announces {} edges, and there are {}", head.edges, listed));
}

ParsedNetwork parse_bipartite(const Bytes& bytes, const NetworkOptions& options) {
    return BipartiteReader(bytes, options).read();
}

}  // namespace dunlin::io
