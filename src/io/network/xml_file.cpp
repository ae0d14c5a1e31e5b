// SPDX-License-Identifier: Apache-2.0
#include "io/network/xml_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/memory.hpp"
#include "io/network/nesting.hpp"
#include "io/number.hpp"

namespace dunlin::io {

namespace {

constexpr int most_keys = 64;      ///< of one name, each of which is looked for in each element
constexpr std::size_t indent = 2;  ///< blanks per level, as write_document writes them

/// Collects the elements of a graph.
class Collector : public pugi::xml_tree_walker {
public:
    Collector(XmlFile& file, const Bytes& bytes) : file_(file), bytes_(bytes) {}

    bool for_each(pugi::xml_node& element) override {
        if (depth() > deepest) {
            bad_file(
                "{}: elements nest deeper than {} graphs, each in a node of the other; put the graphs beside each "
                "other",
                place_in_xml(bytes_, element.offset_debug()), most_nested);
        }
        if (element.type() == pugi::node_element) file_.indentation += 2 * indent * static_cast<std::size_t>(depth());
        if (is_called(element, "node")) file_.nodes.push_back(element);
        if (is_called(element, "edge")) file_.edges.push_back(element);
        if (is_called(element, "hyperedge")) ++file_.hyperedges;
        if (is_called(element, "graph")) file_.graphs.push_back(element);
        if (is_called(element, "key")) file_.keys.push_back(element);
        return true;
    }

private:
    static constexpr int deepest = 2 * most_nested + 16;  ///< a graph and a node per level, and what a node has

    XmlFile& file_;
    const Bytes& bytes_;
};

/// Whether &name; stands for a character in any XML file.
bool is_character(std::string_view name) {
    if (!name.starts_with('#'))
        return name == "amp" || name == "lt" || name == "gt" || name == "quot" || name == "apos";
    const bool hexadecimal = name.starts_with("#x");
    std::uint32_t code = 0;
    const char* const first = name.data() + (hexadecimal ? 2 : 1);
    const auto read = std::from_chars(first, name.data() + name.size(), code, hexadecimal ? 16 : 10);
    const bool is_control = code < ' ' && code != '\t' && code != '\n' && code != '\r';
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    return read.ec == std::errc() && read.ptr == name.data() + name.size() && !is_control && !is_surrogate &&
           code < 0x110000;
}

/// The rest behind a comment, a CDATA section or an instruction, in which & has no meaning; all of the text if none
/// begins there.
std::string_view behind_literal(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> literals[] = {
        {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!DOCTYPE", ">"}};
    for (const auto& [opening, closing] : literals) {
        if (text.starts_with(opening)) return text.substr(std::min(text.find(closing, opening.size()), text.size()));
    }
    return text;
}

/// Throws for &name; of an entity that is none of XML's own: a reader of XML would replace it, or give up, and no id
/// may be another one here. So for a lone &, which is not in the grammar of XML: the parser would take it as it is.
void refuse_unknown_entities(const Bytes& bytes) {
    std::string_view rest = bytes.view();
    if (rest.find('&') == std::string_view::npos) return;
    while (!(rest = rest.substr(std::min(rest.find_first_of("<&"), rest.size()))).empty()) {
        if (rest.front() == '<') {
            rest = behind_literal(rest);
            rest.remove_prefix(rest.empty() ? 0 : 1);
            continue;
        }
        const std::size_t end = rest.find_first_of("; \t\r\n<>&\"'=", 1);
        if (end == std::string_view::npos || rest[end] != ';') {
            bad_file("{}: {} begins with & alone; write &amp;", at_line(bytes.name(), line_of(bytes, rest.data())),
                     shown(rest.substr(0, end), 60));
        }
        if (!is_character(rest.substr(1, end - 1))) {
            bad_file("{}: {} is no character of XML; write the character itself",
                     at_line(bytes.name(), line_of(bytes, rest.data())), shown(rest.substr(0, end + 1), 60));
        }
        rest.remove_prefix(1);
    }
}

}  // namespace

const char* XmlFile::text_of(pugi::xml_node element) const {
    const pugi::xml_node first = element.first_child();
    if (!first.next_sibling()) return element.child_value();
    std::string& text = joined_.emplace_back();
    for (const pugi::xml_node part : element.children()) {
        if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
    }
    return text.c_str();
}

double number_in(const char* text) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (text == nullptr) return none;
    while (*text == ' ' || (*text >= '\t' && *text <= '\r')) ++text;
    double value = 0;
    const char* const after = parse_number(text, value);
    return after == nullptr || after[std::strspn(after, " \t\r\n")] != '\0' ? none : value;
}

const char* name_of_key(pugi::xml_node key) {
    const pugi::xml_attribute given = key.attribute("attr.name");
    return (given ? given : key.attribute("id")).value();
}

bool is_called(pugi::xml_node element, const char* name) {
    if (element.type() != pugi::node_element) return false;
    const char* const prefix = std::strrchr(element.name(), ':');
    return std::strcmp(prefix == nullptr ? element.name() : prefix + 1, name) == 0;
}

pugi::xml_node child_called(pugi::xml_node element, const char* name) {
    for (const pugi::xml_node child : element.children()) {
        if (is_called(child, name)) return child;
    }
    return {};
}

pugi::xml_node data_of(pugi::xml_node element, const std::string& key) {
    for (const pugi::xml_node data : element.children()) {
        if (is_called(data, "data") && key == data.attribute("key").value()) return data;
    }
    return {};
}

FileLocation place_in_xml(const Bytes& bytes, std::ptrdiff_t offset) {
    const std::ptrdiff_t inside = std::clamp<std::ptrdiff_t>(offset, 0, bytes.end() - bytes.begin());
    return at_line(bytes.name(), line_of(bytes, bytes.begin() + inside));
}

XmlFile::XmlFile(const Bytes& bytes, const char* format) {
    require_memory(6 * bytes.size(), "the tree of '" + bytes.name() + "'");
    const pugi::xml_parse_result result = document.load_buffer(bytes.begin(), bytes.size(), pugi::parse_full);
    if (!result) {
        bad_file("{}: {}; correct the XML", place_in_xml(bytes, result.offset), result.description());
    }
    size = bytes.size();
    refuse_unknown_entities(bytes);
    Collector collector(*this, bytes);
    document.traverse(collector);
    std::unordered_map<std::string_view, int> keys_of_name;
    for (const pugi::xml_node key : keys) {
        if (++keys_of_name[name_of_key(key)] > most_keys) {
            bad_file("{}: more than {} keys have the name '{}', which is one attribute; declare it once",
                     place_in_xml(bytes, key.offset_debug()), most_keys, shown(name_of_key(key)));
        }
    }
    if (graphs.empty()) bad_file("'{}' holds no <graph>; it is no {}", bytes.name(), format);
}

std::vector<pugi::xml_node> XmlFile::keys_of(const char* kind, const std::string& name) const {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node key : keys) {
        const std::string_view of = key.attribute("for").value();
        if ((of == kind || of == "all" || of.empty()) && name == name_of_key(key)) found.push_back(key);
    }
    return found;
}

}  // namespace dunlin::io
