// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "io/bytes.hpp"

namespace dunlin::io {

/// Walks the pairs of a key and a value in a GML text; a value may be a list of pairs.
class GmlPairs {
public:
    explicit GmlPairs(const Bytes& bytes);

    enum class Kind : unsigned char { number, text, list };
    struct KeyValue {
        std::string_view key;
        Kind kind = Kind::number;
        double number = 0;     ///< of a number; NaN where the file says so
        std::string_view raw;  ///< the value as it stands in the file, without quotes
        const char* place = nullptr;
    };

    /// The next pair of the innermost list; false where that ends. A value that is a list becomes the innermost.
    bool next(KeyValue& pair);

    /// Past the rest of the innermost list and the lists in it.
    void skip_list();

    /// The file is at fault in the line of `place`.
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

/// A text of GML with its entities replaced: &quot; &amp; &lt; &gt; &apos; and &#233; (as UTF-8).
std::string gml_text(std::string_view raw);

}  // namespace dunlin::io
