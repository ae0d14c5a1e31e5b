// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <dunlin/network.hpp>

#include "io/network/xml_file.hpp"
#include "io/output.hpp"

/// What the writers of GraphML and GEXF share.
namespace dunlin::io {

/// Whether XML can have a text, in which ends of lines and tabs are written as numbers of characters.
bool is_of_xml(std::string_view text);

/// Writes a text between tags or quotes, with U+FFFD in place of bytes that are not UTF-8.
void write_escaped(Output& out, std::string_view text);

/// Writes a tree in UTF-8, whatever the encoding of its source.
void write_document(Output& out, XmlFile& file);

/// Distinct names of the vertices; numbers if the names of the file are not distinct or not valid in XML.
class XmlNames {
public:
    explicit XmlNames(const Network& network);
    [[nodiscard]] bool are_numbers() const { return numbers_ && !network_.ids.empty(); }
    void write(Output& out, Index vertex) const;

private:
    const Network& network_;
    bool numbers_ = false;
};

}  // namespace dunlin::io
