// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cgraph.h>

#include <mutex>
#include <string>
#include <vector>

#include "io/bytes.hpp"
#include "io/output.hpp"

/// Access to Graphviz's libcgraph: without its messages on standard error, and by one thread at a time.
namespace dunlin::io {

/// libcgraph's functions take char* but do not change the text.
inline char* text_for_cgraph(const char* text) { return const_cast<char*>(text); }

/// The graphs of a DOT file in libcgraph. Callers must hold lock() while they access them.
class DotFile {
public:
    /// Throws Error{bad_file} with the line and Graphviz's message if Graphviz cannot read the file.
    explicit DotFile(const Bytes& bytes);
    ~DotFile();
    DotFile(const DotFile&) = delete;
    DotFile& operator=(const DotFile&) = delete;

    [[nodiscard]] static std::unique_lock<std::mutex> lock();

    [[nodiscard]] const std::vector<Agraph_t*>& graphs() const { return graphs_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

    /// A name or value as it is in the file.
    [[nodiscard]] std::string text_of(const char* text) const;

    /// Closes all graphs but one.
    void keep_only(std::size_t graph);

    /// Writes all graphs in Graphviz's form.
    void write(Output& out) const;

private:
    void close();

    std::vector<Agraph_t*> graphs_;
    std::vector<std::string> warnings_;
    char mark_ = 0;  ///< stands before names that begin with %, which libcgraph would forget; 0: there are none
};

}  // namespace dunlin::io
