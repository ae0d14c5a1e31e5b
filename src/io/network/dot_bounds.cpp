// SPDX-License-Identifier: Apache-2.0
#include "io/network/dot_bounds.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/network/nesting.hpp"

namespace dunlin::io {

namespace {

/// Goes over the marks of a DOT text that are in no string and no comment.
class DotMarks {
public:
    explicit DotMarks(const Bytes& bytes) : bytes_(bytes), text_(bytes.view()) {}

    void check() {
        for (; at_ < text_.size(); ++at_) {
            switch (text_[at_]) {
                case '{':
                    if (++depth_ > most_nested + 1) fail_nested();
                    break;
                case '}':
                    --depth_;
                    break;
                case '=':
                    count_attribute();
                    break;
                case '"':
                    pass_quoted();
                    break;
                case '<':
                    pass_html();
                    break;
                case '#':
                case '/':
                    pass_comment();
                    break;
                default:
                    break;
            }
            at_ = std::min(at_, text_.size() - 1);  // the file ends in a string or a comment
        }
    }

private:
    /// To the closing quote; a character behind a backslash is none.
    void pass_quoted() {
        constexpr std::string_view stops = "\"\\";
        at_ = text_.find_first_of(stops, at_ + 1);
        while (at_ < text_.size() && text_[at_] == '\\') at_ = text_.find_first_of(stops, at_ + 2);
    }

    /// To the > of the <, with those inside.
    void pass_html() {
        for (int open = 1; open > 0 && (at_ = text_.find_first_of("<>", at_ + 1)) < text_.size();)
            open += text_[at_] == '<' ? 1 : -1;
    }

    void pass_comment() {
        const std::string_view begin = text_.substr(at_, 2);
        const bool at_line_begin = at_ == 0 || text_[at_ - 1] == '\n';
        if (begin == "/*")
            at_ = text_.find("*/", at_ + 2);
        else if (begin == "//" || (begin.starts_with('#') && at_line_begin))
            at_ = text_.find('\n', at_);
    }

    /// The name before a =, of which libcgraph keeps a list.
    void count_attribute() {
        std::size_t end = text_.find_last_not_of(" \t\r\n", at_ == 0 ? 0 : at_ - 1);
        if (end == std::string_view::npos) return;
        const std::size_t begin = text_.find_last_of(" \t\r\n[{;,=", end) + 1;  // 0: from the front
        if (!names_.insert(text_.substr(begin, end + 1 - begin)).second) return;
        if (names_.size() <= static_cast<std::size_t>(most_dot_attributes)) return;
        bad_file(
            "{}: there are more than {} names of attributes, each of which Graphviz keeps for every vertex; leave "
            "some out, or write the graph as .graphml",
            place(), most_dot_attributes);
    }

    [[noreturn]] void fail_nested() const {
        bad_file("{}: subgraphs nest deeper than {}; put them beside each other", place(), most_nested);
    }
    [[nodiscard]] FileLocation place() const { return at_line(bytes_.name(), line_of(bytes_, text_.data() + at_)); }

    const Bytes& bytes_;
    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::unordered_set<std::string_view> names_;
};

}  // namespace

void require_bounded_dot(const Bytes& bytes) { DotMarks(bytes).check(); }

}  // namespace dunlin::io
