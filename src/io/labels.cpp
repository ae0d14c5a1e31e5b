#include <algorithm>
#include <array>

#include "io/fail.hpp"
#include "io/npy.hpp"
#include "io/readers.hpp"
#include "io/words.hpp"

namespace dunlin::io {

namespace {

std::string_view trimmed(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    if (line.size() > 1 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
    return line;
}

/// A label per line.
Labels read_lines(const Bytes& bytes) {
    std::string_view rest = bytes.view();
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
    rest = rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1);
    Words words;
    for (std::size_t line = 1; !rest.empty(); ++line) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view label = trimmed(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (label.empty()) bad_file("{}:{}: the line is empty; give every row a label", bytes.name(), line);
        if (label.find('\0') != std::string_view::npos)
            bad_file("'{}' is not text; give one label per line", bytes.name());
        const bool header = line == 1 && (label == "label" || label == "labels" || label == "class");
        if (!header) words.add(std::string(label));
    }
    return std::move(words).labels();
}

}  // namespace

Labels read_labels(const Bytes& bytes) {
    Labels labels;
    const std::string extension = extension_of(bytes.name());
    if (is_npy(bytes))
        labels = labels_of(parse_npy(bytes), bytes.name());
    else if (is_idx(bytes))
        labels = labels_of(parse_idx(bytes), bytes.name());
    else if (extension == ".csv" || extension == ".tsv")
        labels = read_label_table(bytes);
    else
        labels = read_lines(bytes);
    if (labels.empty()) bad_file("'{}' is empty; give one label per line", bytes.name());
    return labels;
}

}  // namespace dunlin::io
