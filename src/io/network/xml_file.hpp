// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pugixml.hpp>

#include <deque>
#include <string>
#include <vector>

#include <dunlin/types.hpp>

#include "io/bytes.hpp"
#include "io/fail.hpp"

namespace dunlin::io {

/// A GraphML or GEXF file as a tree, and its nodes and edges in document order, with those of nested graphs.
class XmlFile {
public:
    /// Throws Error{bad_file} with the line if it is not valid XML, nests too deeply or has no graph. format: its name
    /// for the message.
    explicit XmlFile(const Bytes& bytes, const char* format = "GraphML");

    pugi::xml_document document;
    std::vector<pugi::xml_node> keys, graphs, nodes, edges;
    Offset hyperedges = 0;
    std::size_t size = 0;         ///< bytes of the file
    std::size_t indentation = 0;  ///< bytes that blanks before elements by their depth would take

    /// All the text of an element, also where comments and CDATA sections part it. Valid as long as the file is.
    [[nodiscard]] const char* text_of(pugi::xml_node element) const;

    /// The <key>s for "node" or "edge" with this name.
    [[nodiscard]] std::vector<pugi::xml_node> keys_of(const char* kind, const std::string& name) const;

private:
    mutable std::deque<std::string> joined_;  ///< texts in several parts
};

/// Location "file:3" of `offset`, which may be beyond the end if the text was not UTF-8.
FileLocation place_in_xml(const Bytes& bytes, std::ptrdiff_t offset);

/// The number that is all of a text but blanks, else NaN; also for null.
double number_in(const char* text);

/// The name of a <key>: its attr.name, else its id.
const char* name_of_key(pugi::xml_node key);

/// Whether an element has this name, with any namespace prefix.
bool is_called(pugi::xml_node element, const char* name);

/// The first child with this name, with any namespace prefix; null if there is none.
pugi::xml_node child_called(pugi::xml_node element, const char* name);

/// The `data` of a node or edge with this key; null if there is none.
pugi::xml_node data_of(pugi::xml_node element, const std::string& key);

}  // namespace dunlin::io
