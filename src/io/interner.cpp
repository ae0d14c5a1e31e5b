// SPDX-License-Identifier: Apache-2.0
#include "io/interner.hpp"

#include <algorithm>
#include <numeric>

#include <dunlin/labels.hpp>

#include "io/number.hpp"

namespace dunlin::io {

void StringInterner::add(std::string word) {
    // Fast path: files are often sorted by label
    if (!labels_.of.empty() && labels_.names[static_cast<std::size_t>(labels_.of.back())] == word) {
        labels_.of.push_back(labels_.of.back());
        return;
    }
    const auto [entry, is_new] = known_.try_emplace(std::move(word), static_cast<Index>(labels_.names.size()));
    if (is_new) labels_.names.push_back(entry->first);
    labels_.of.push_back(entry->second);
}

std::vector<std::size_t> StringInterner::times() const {
    std::vector<std::size_t> times(labels_.names.size());
    for (const Index word : labels_.of) ++times[static_cast<std::size_t>(word)];
    return times;
}

std::size_t StringInterner::single() const {
    const std::vector<std::size_t> all = times();
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), std::size_t{1}));
}

const std::string& StringInterner::repeated() const {
    const std::vector<std::size_t> all = times();
    const auto found = std::find_if(all.begin(), all.end(), [](std::size_t count) { return count > 1; });
    return labels_.names[static_cast<std::size_t>(found - all.begin())];
}

std::vector<std::string> StringInterner::all() const {
    std::vector<std::string> words;
    words.reserve(labels_.of.size());
    for (const Index word : labels_.of) words.push_back(labels_.names[static_cast<std::size_t>(word)]);
    return words;
}

Labels StringInterner::labels() && { return settled(std::move(*this).words()); }

Labels StringInterner::words() && {
    known_.clear();
    return sort_numeric_names(std::move(labels_));
}

Labels sort_numeric_names(Labels labels) {
    std::vector<double> values;
    for (const std::string& name : labels.names) {
        double value = 0;
        const char* const end = parse_number(name.c_str(), value);
        if (end == nullptr || end != name.c_str() + name.size()) return labels;
        values.push_back(value);
    }
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    Labels sorted;
    std::vector<Index> rank(order.size());
    for (std::size_t r = 0; r < order.size(); ++r) {
        rank[order[r]] = static_cast<Index>(r);
        sorted.names.push_back(std::move(labels.names[order[r]]));
    }
    sorted.of = std::move(labels.of);
    for (Index& label : sorted.of) label = label == no_label ? no_label : rank[static_cast<std::size_t>(label)];
    return sorted;
}

}  // namespace dunlin::io
