// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "io/bytes.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"
#include "progress/cancel.hpp"

/// Lines of text and their words, for formats of graphs with a vertex or an edge a line.
namespace dunlin::io {

/// Removes blanks at both ends.
inline std::string_view without_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// Iterates over the lines of a text, without blanks around them. Lines end with LF, CR LF or CR.
class TextLines {
public:
    explicit TextLines(const Bytes& bytes) : at_(text_of(bytes)), end_(bytes.end()) {}

    bool next(std::string_view& line) {
        progress::cancellation_point();
        if (at_ == end_) return false;
        const char* const stop = std::find_if(at_, end_, [](char c) { return c == '\n' || c == '\r'; });
        line = without_blanks({at_, static_cast<std::size_t>(stop - at_)});
        at_ = stop == end_ ? end_ : stop + (*stop == '\r' && stop[1] == '\n' ? 2 : 1);
        return true;
    }
    /// The next line that is not empty and does not begin with one of `comments`.
    bool next_but(std::string_view comments, std::string_view& line) {
        while (next(line)) {
            if (!line.empty() && comments.find(line[0]) == std::string_view::npos) return true;
        }
        return false;
    }

private:
    const char* at_;
    const char* end_;
};

/// Removes the first word of `rest` and the blanks behind it, and returns the word; empty at the end.
inline std::string_view take_word(std::string_view& rest) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return word;
}

/// The number that is all of a word; -1 for another word, and above `most`.
inline Offset whole_number(std::string_view word, Offset most) {
    if (!is_whole(word)) return -1;
    Offset number = 0;
    for (const char c : word) number = number <= most ? number * 10 + (c - '0') : number;
    return number <= most ? number : -1;
}

/// The word of this number, from 0; empty if there is none.
inline std::string_view word_of(std::string_view line, std::size_t number = 0) {
    for (; number > 0; --number) take_word(line);
    return take_word(line);
}

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether the first line is a comment of graphs, %, which is never a row of names.
inline bool begins_with_comment(const Bytes& bytes) {
    std::string_view line;
    return TextLines(bytes).next_but("", line) && line[0] == '%';
}

/// Location of a line or word of a file.
inline FileLocation place_of(const Bytes& bytes, std::string_view text) {
    return at_line(bytes.name(), line_of(bytes, text.data()));
}

}  // namespace dunlin::io
