// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "io/bytes.hpp"

namespace dunlin::io {

/// Iterates over the key-value pairs of a GML text; a value may be a list of pairs.
class GmlPairs {
public:
    explicit GmlPairs(const Bytes& bytes);

    enum class Kind : unsigned char { number, text, list };
    struct KeyValue {
        std::string_view key;
        Kind kind = Kind::number;
        double number = 0;     ///< value of a number, may be NaN
        std::string_view raw;  ///< the value's text, without quotes
        const char* place = nullptr;
    };

    /// Reads the next pair of the innermost list; false at its end. A value that is a list becomes the innermost list.
    bool next(KeyValue& pair);

    /// Skips the rest of the innermost list and its nested lists.
    void skip_list();

    /// Throws Error{bad_file} with the line of `place`.
    [[noreturn]] void fail(const char* place, const std::string& what) const;

private:
    void skip_blanks();
    std::string_view word();
    void read_value(KeyValue& pair);
    void read_number(KeyValue& pair);

    const Bytes& bytes_;
    const char* at_;
    int depth_ = 0;
};

/// Replaces the entities of a GML text: &quot; &amp; &lt; &gt; &apos; and numeric ones like &#233; (as UTF-8).
std::string gml_text(std::string_view raw);

}  // namespace dunlin::io
