// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include "io/network/parsed_network.hpp"
#include "io/network/text_lines.hpp"
#include "io/network/vertex_table.hpp"

namespace dunlin::io {

namespace {

/// Parser of Cytoscape's lines "source relation target target ..."; a vertex alone is isolated.
class SifReader {
public:
    explicit SifReader(const Bytes& bytes) : bytes_(bytes), tabs_(has_tabs(bytes)) { parsed_.network.kind = "sif"; }

    ParsedNetwork read() && {
        TextLines lines(bytes_);
        for (std::string_view line; lines.next_but("", line);) {
            if (line[0] == '#')
                ++comments_;
            else
                read_line(line);
        }
        parsed_.source->vertices = vertices_.size();
        parsed_.network.ids = vertices_.names();
        say_what_was_read();
        return std::move(parsed_);
    }

private:
    static bool has_tabs(const Bytes& bytes) {
        TextLines lines(bytes);
        for (std::string_view line; lines.next_but("#", line);) {
            if (line.find('\t') != std::string_view::npos) return true;
        }
        return false;
    }

    void read_line(std::string_view line) {
        std::string_view rest = line;
        const Index source = vertices_.of(take(rest));
        if (rest.empty()) return;
        relations_.insert(take(rest));
        if (rest.empty()) {
            bad_file("{}: '{}' has a relation and no target; correct the line", place_of(bytes_, line), shown(line));
        }
        while (!rest.empty()) {
            const std::string_view target = take(rest);
            if (!target.empty()) parsed_.source->edges.add(source, vertices_.of(target));
        }
    }

    /// Removes the first name of `rest`. Tabs separate names with blanks, if the file has any.
    std::string_view take(std::string_view& rest) const {
        if (!tabs_) return take_word(rest);
        const std::size_t end = std::min(rest.find('\t'), rest.size());
        const std::string_view name = without_blanks(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return name;
    }

    void say_what_was_read() {
        std::vector<std::string>& warnings = parsed_.network.warnings;
        if (!relations_.empty()) {
            warnings.push_back(fmt::format("kinds of relations, which are not used: {} ('{}'{})", relations_.size(),
                                           shown(*relations_.begin()), relations_.size() > 1 ? ", ..." : ""));
        }
        if (comments_ > 0)
            warnings.push_back(fmt::format("lines that begin with #, which are comments: {}", comments_));
    }

    const Bytes& bytes_;
    bool tabs_;
    ParsedNetwork parsed_;
    VertexTable vertices_;
    std::set<std::string_view> relations_;
    Offset comments_ = 0;
};

}  // namespace

ParsedNetwork parse_sif(const Bytes& bytes, const NetworkOptions& options) {
    ignores_unnamed_weights(options, bytes.name());
    return SifReader(bytes).read();
}

}  // namespace dunlin::io
