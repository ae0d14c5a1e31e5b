// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pugixml.hpp>

#include <string>
#include <vector>

#include <dunlin/types.hpp>

#include "io/bytes.hpp"
#include "io/fail.hpp"

namespace dunlin::io {

/// A GraphML file as a tree, and the nodes and edges in it, in the order of the text, those of nested graphs too.
class XmlFile {
public:
    /// Throws Error{bad_file} with the line for what is no XML, or no GraphML.
    explicit XmlFile(const Bytes& bytes);

    pugi::xml_document document;
    std::vector<pugi::xml_node> keys, graphs, nodes, edges;
    Offset hyperedges = 0;

    /// The first <key> that declares a value of "node" or "edge" under this name; nothing where none does.
    [[nodiscard]] pugi::xml_node key_of(const char* kind, const std::string& name) const;
};

/// "file:3": where `offset` is; in a text that was not in UTF-8 it may be beyond the end.
FileLocation place_in_xml(const Bytes& bytes, std::ptrdiff_t offset);

/// Is this the name of an element, whatever the prefix of its namespace?
bool is_called(pugi::xml_node element, const char* name);

/// The `data` of a node or edge under this key; nothing where it has none.
pugi::xml_node data_of(pugi::xml_node element, const std::string& key);

}  // namespace dunlin::io
