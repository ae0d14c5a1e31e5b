// SPDX-License-Identifier: Apache-2.0
#include "io/json_keys.hpp"

#include <algorithm>
#include <array>
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
    void clear() {
        keys_.clear();
        many_.clear();
    }

private:
    std::vector<std::string_view> keys_;
    std::unordered_set<std::string_view> many_;
};

/// The end of a text in quotes that begins at `at`, behind the quote; npos: it has none.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
    for (std::size_t end = text.find('"', at + 1); end != std::string_view::npos; end = text.find('"', end + 1)) {
        std::size_t first = end;  // of the backslashes before the quote
        while (text[first - 1] == '\\') --first;
        if ((end - first) % 2 == 0) return end + 1;
    }
    return std::string_view::npos;
}

/// Whether a character opens, parts or closes something.
constexpr std::array<bool, 256> structural = [] {
    std::array<bool, 256> all{};
    for (const char c : {'{', '}', '[', ']', ',', '"'}) all[static_cast<unsigned char>(c)] = true;
    return all;
}();

/// The objects and arrays that are open. Closed ones keep their memory for the next of their depth.
class OpenContainers {
public:
    void open(bool is_object) {
        if (depth_ == all_.size()) all_.emplace_back();
        all_[depth_].is_object = is_object;
        all_[depth_++].keys.clear();
    }
    void close() { --depth_; }
    [[nodiscard]] std::size_t depth() const { return depth_; }
    [[nodiscard]] bool are_in_object() const { return depth_ > 0 && all_[depth_ - 1].is_object; }
    KeysOfObject& keys() { return all_[depth_ - 1].keys; }

private:
    struct Container {
        bool is_object = false;
        KeysOfObject keys;
    };
    std::vector<Container> all_;
    std::size_t depth_ = 0;
};

}  // namespace

void require_distinct_keys(std::string_view text, const std::string& file, std::size_t line) {
    constexpr std::size_t deepest = 1000;  // parsers refuse it
    OpenContainers open;
    ReadProgress progress("read", text);
    bool is_key = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (!structural[static_cast<unsigned char>(c)]) continue;
        progress.advance(text.data() + at);
        if (c == '{' || c == '[') {
            if (open.depth() == deepest) return;
            open.open(c == '{');
            is_key = c == '{';
        } else if (c == '}' || c == ']') {
            if (open.depth() == 0) return;
            open.close();
            is_key = false;
        } else if (c == ',') {
            is_key = open.are_in_object();
        } else {
            const std::size_t end = end_of_quoted(text, at);
            if (end == std::string_view::npos) return;
            const std::string_view key = text.substr(at + 1, end - at - 2);
            if (is_key && !open.keys().add(key)) {
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
