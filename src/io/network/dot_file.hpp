// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cgraph.h>

#include <mutex>
#include <string>
#include <vector>

#include "io/bytes.hpp"
#include "io/output.hpp"

/// Graphviz's libcgraph, tamed: it never prints, and only one thread at a time is in it.
namespace dunlin::io {

/// libcgraph takes no const strings, though it changes none.
inline char* text_for_cgraph(const char* text) { return const_cast<char*>(text); }

/// The graphs of a DOT file as libcgraph holds them. Whoever looks into them holds `alone()` meanwhile.
class DotFile {
public:
    /// Throws Error{bad_file} with the line, in Graphviz's words, for what Graphviz cannot read.
    explicit DotFile(const Bytes& bytes);
    ~DotFile();
    DotFile(const DotFile&) = delete;
    DotFile& operator=(const DotFile&) = delete;

    [[nodiscard]] static std::unique_lock<std::mutex> alone();

    [[nodiscard]] const std::vector<Agraph_t*>& graphs() const { return graphs_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

    /// Closes all graphs but one.
    void keep_only(std::size_t graph);

    /// Writes all graphs as Graphviz does.
    void write(Output& out) const;

private:
    void close();

    std::vector<Agraph_t*> graphs_;
    std::vector<std::string> warnings_;
};

}  // namespace dunlin::io
