// SPDX-License-Identifier: Apache-2.0
#include "io/network/xml_file.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/memory.hpp"
#include "io/number.hpp"

namespace dunlin::io {

namespace {

/// Collects the elements of a graph.
class Collector : public pugi::xml_tree_walker {
public:
    explicit Collector(XmlFile& file) : file_(file) {}

    bool for_each(pugi::xml_node& element) override {
        if (is_called(element, "node")) file_.nodes.push_back(element);
        if (is_called(element, "edge")) file_.edges.push_back(element);
        if (is_called(element, "hyperedge")) ++file_.hyperedges;
        if (is_called(element, "graph")) file_.graphs.push_back(element);
        if (is_called(element, "key")) file_.keys.push_back(element);
        return true;
    }

private:
    XmlFile& file_;
};

}  // namespace

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
    Collector collector(*this);
    document.traverse(collector);
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
