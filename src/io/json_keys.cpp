// SPDX-License-Identifier: Apache-2.0
#include "io/json_keys.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "io/fail.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

namespace {

/// Keys of an object: a few are compared one by one, more are hashed.
class KeysOfObject {
public:
    /// Whether the key is a new one.
    bool add(std::string_view key) {
        constexpr std::size_t few = 16;
        if (!many_.empty()) return many_.insert(key).second;
        if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) return false;
        keys_.push_back(key);
        if (keys_.size() > few) many_.insert(keys_.begin(), keys_.end());
        return true;
    }

private:
    std::vector<std::string_view> keys_;
    std::unordered_set<std::string_view> many_;
};

/// The end of a text in quotes that begins at `at`, behind the quote; npos: it has none.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return std::string_view::npos;
}

}  // namespace

void require_distinct_keys(std::string_view text, const std::string& file, std::size_t line) {
    struct Container {
        bool is_object;
        KeysOfObject keys;
    };
    std::vector<Container> open;
    ReadProgress progress("read", text);
    bool is_key = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        progress.advance(text.data() + at);
        const char c = text[at];
        if (c == '{' || c == '[') {
            constexpr std::size_t deepest = 1000;  // parsers refuse it
            if (open.size() == deepest) return;
            open.push_back({c == '{', {}});
            is_key = c == '{';
        } else if (c == '}' || c == ']') {
            if (open.empty()) return;
            open.pop_back();
            is_key = false;
        } else if (c == ',') {
            is_key = !open.empty() && open.back().is_object;
        } else if (c == '"') {
            const std::size_t end = end_of_quoted(text, at);
            if (end == std::string_view::npos) return;
            const std::string_view key = text.substr(at + 1, end - at - 2);
            if (is_key && !open.back().keys.add(key)) {
                line += static_cast<std::size_t>(
                    std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
                bad_file("{}: the object has the key '{}' twice; remove one", at_line(file, line), shown(key));
            }
            is_key = false;
            at = end - 1;
        }
    }
}

}  // namespace dunlin::io
