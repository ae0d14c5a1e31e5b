// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "io/dense.hpp"
#include "io/network/numbered_vertices.hpp"
#include "io/network/optional_weights.hpp"

namespace dunlin::io {

namespace {

/// "p edge 4 3": the problem and its numbers of vertices and edges.
struct DimacsHead {
    std::string problem;
    Index vertices = 0;
    Offset edges = 0;
};

/// Parser of DIMACS' lines of edges: "e 1 2", "a 1 2 7", and "1 2" as in PACE's challenges.
class DimacsReader {
public:
    DimacsReader(const Bytes& bytes, const NetworkOptions& options)
        : bytes_(bytes),
          numbers_(bytes),
          lengths_(options.lengths),
          without_weights_(ignores_unnamed_weights(options, bytes.name())) {
        parsed_.network.kind = "dimacs";
    }

    ParsedNetwork read() && {
        TextLines lines(bytes_);
        for (std::string_view line; lines.next_but("", line);) read_line(line);
        const Index others = numbers_.settle(parsed_, head_ ? head_->vertices : 0);
        if (!without_weights_) weights_.settle(parsed_);
        check_counts(others);
        say_what_was_read();
        return std::move(parsed_);
    }

private:
    void read_line(std::string_view line) {
        std::string_view rest = line;
        const std::string kind = lower(take_word(rest));
        if (kind == "c") return;
        if (kind == "p") return read_head(line, rest);
        if (kind == "e" || kind == "a") return read_edge(line, rest, kind == "a");
        if (is_whole(kind)) return read_edge(line, line, false);
        if (!is_one_of(kind, {"n", "d", "v", "x", "s", "t"}))
            fail(line, fmt::format("'{}' is no line of DIMACS, which begins with c, p, e, a or n", shown(line)));
        ++others_;
    }

    void read_head(std::string_view line, std::string_view rest) {
        if (head_) fail(line, "there is a second line p; keep each graph in a file of its own");
        DimacsHead head{lower(take_word(rest))};
        if (head.problem == "cnf") fail(line, "the file holds a formula (p cnf), which is no graph");
        head.vertices = static_cast<Index>(count(line, take_word(rest), most_items));
        head.edges = rest.empty() ? -1 : count(line, take_word(rest), largest);
        head_ = head;
    }

    void read_edge(std::string_view line, std::string_view rest, bool arc) {
        parsed_.network.directed |= arc;
        const Index source = numbers_.read(take_word(rest));
        if (rest.empty()) fail(line, fmt::format("'{}' names one end of an edge; name both", shown(line)));
        const Index target = numbers_.read(take_word(rest));
        parsed_.source->edges.add(source, target);
        if (without_weights_) return;
        const std::string_view word = take_word(rest);
        if (!rest.empty()) return leave_numbers_out();
        if (word.empty()) return weights_.add_none(parsed_.source->edges);
        weights_.add(parsed_.source->edges,
                     weight_in(bytes_, word, [&] { return fmt::format("{} {}", source, target); }));
    }

    /// Ignores the numbers of an arc of a flow: it has several, and none is its weight.
    void leave_numbers_out() {
        weights_.add_none(parsed_.source->edges);
        ++with_numbers_;
    }

    void check_counts(Index others) {
        std::vector<std::string>& warnings = parsed_.network.warnings;
        if (!head_) {
            warnings.push_back("there is no line p, so the vertices are those that edges name");
            return;
        }
        const auto listed = static_cast<Offset>(parsed_.source->edges.ends.size());
        if (others > 0) {
            warnings.push_back(
                fmt::format("the line p announces {} vertices, and edges name {} others", head_->vertices, others));
        }
        if (head_->edges >= 0 && head_->edges != listed)
            warnings.push_back(fmt::format("the line p announces {} edges, and there are {}", head_->edges, listed));
    }

    void say_what_was_read() {
        std::vector<std::string>& warnings = parsed_.network.warnings;
        if (parsed_.network.weighted && head_ && head_->problem == "sp" && !lengths_)
            warnings.push_back("the weights are lengths (p sp)");
        if (with_numbers_ > 0)
            warnings.push_back(fmt::format("edges with several numbers, which are not used: {}", with_numbers_));
        if (others_ > 0) warnings.push_back(fmt::format("lines that are not of edges, and left out: {}", others_));
    }

    Offset count(std::string_view line, std::string_view word, Offset most) const {
        const Offset number = whole_number(word, most);
        if (number < 0)
            fail(line,
                 fmt::format("'{}' does not count vertices and edges, as in p edge 4 3; correct it", shown(line)));
        return number;
    }

    [[noreturn]] void fail(std::string_view line, const std::string& what) const {
        bad_file("{}: {}", place_of(bytes_, line), what);
    }

    static constexpr Offset largest = Offset{1} << 53;

    const Bytes& bytes_;
    NumberedVertices numbers_;
    bool lengths_, without_weights_;
    ParsedNetwork parsed_;
    OptionalWeights weights_;
    std::optional<DimacsHead> head_;
    Offset with_numbers_ = 0, others_ = 0;
};

}  // namespace

ParsedNetwork parse_dimacs(const Bytes& bytes, const NetworkOptions& options) {
    return DimacsReader(bytes, options).read();
}

}  // namespace dunlin::io
