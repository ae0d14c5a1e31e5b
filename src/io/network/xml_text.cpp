// SPDX-License-Identifier: Apache-2.0
#include "io/network/xml_text.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "io/markup.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

class XmlOutput : public pugi::xml_writer {
public:
    explicit XmlOutput(Output& out) : out_(out) {}
    void write(const void* data, std::size_t size) override { out_.text({static_cast<const char*>(data), size}); }

private:
    Output& out_;
};

}  // namespace

bool is_of_xml(std::string_view text) {
    std::string plain(text);
    std::erase_if(plain, [](char c) { return c == '\n' || c == '\t' || c == '\r'; });
    return clean_text(plain) == plain;
}

void write_escaped(Output& out, std::string_view text) {
    for (const char c : escaped(is_of_xml(text) ? std::string(text) : clean_text(text))) {
        if (c == '\n' || c == '\t' || c == '\r')
            out.text(fmt::format("&#{};", static_cast<int>(c)));
        else
            out.character(c);
    }
}

void write_document(Output& out, XmlFile& file) {
    const pugi::xml_node head = file.document.first_child();
    if (head.type() == pugi::node_declaration) head.attribute("encoding").set_value("UTF-8");
    XmlOutput to(out);
    // Blanks of deep trees would be longer than all the rest
    const bool indents = file.indentation <= 2 * file.size;
    file.document.save(to, "  ", indents ? pugi::format_indent : 0U);
}

XmlNames::XmlNames(const Network& network) : network_(network) {
    const std::unordered_set<std::string_view> different(network.ids.begin(), network.ids.end());
    numbers_ =
        different.size() < network.ids.size() || network.ids.empty() ||
        !std::all_of(network.ids.begin(), network.ids.end(), [](const std::string& id) { return is_of_xml(id); });
}

void XmlNames::write(Output& out, Index vertex) const {
    if (numbers_) return out.number(vertex);
    write_escaped(out, network_.ids[at(vertex)]);
}

}  // namespace dunlin::io
