// SPDX-License-Identifier: Apache-2.0
#include "io/network/dot_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <system_error>

#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/network/dot_bounds.hpp"

namespace dunlin::io {

namespace {

/// Source or target of libcgraph's input and output, the `void*` of its channels.
struct Channel {
    std::string_view rest;            ///< unread text
    Output* out = nullptr;            ///< target of writing
    char mark = 0;                    ///< left out in writing
    std::exception_ptr failure = {};  ///< exception of writing, which must not pass through libcgraph
};

std::string without(std::string text, char mark) {
    std::erase(text, mark);
    return text;
}

int read_some(void* channel, char* to, int most) {
    std::string_view& rest = static_cast<Channel*>(channel)->rest;
    const std::size_t size = rest.copy(to, static_cast<std::size_t>(most));
    rest.remove_prefix(size);
    return static_cast<int>(size);
}

int write_text(void* channel, const char* text) {
    auto& to = *static_cast<Channel*>(channel);
    try {
        to.out->text(to.mark == 0 ? std::string_view(text) : without(text, to.mark));
        return 0;
    } catch (...) {
        to.failure = std::current_exception();
        return EOF;
    }
}

int flush(void*) { return 0; }

Agiodisc_t channel_io{read_some, write_text, flush};
Agdisc_t on_channels{&AgMemDisc, &AgIdDisc, &channel_io};

/// Scope in which libcgraph stores its messages in place of printing them. (libcgraph's message callback reads out of
/// bounds for messages longer than 1 KiB.)
class Messages {
public:
    Messages() : before_(agseterr(AGMAX)) {
        agreseterrors();
        agerr(AGWARN, "%s", marker);
    }
    ~Messages() {
        agreseterrors();
        agseterr(before_);
    }
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    /// Whether there was an error.
    [[nodiscard]] static bool error() { return agerrors() >= AGERR; }

    /// The last message on one line, or "".
    [[nodiscard]] static std::string last() {
        const std::unique_ptr<char, decltype(&std::free)> text(aglasterr(), &std::free);
        std::string last = text == nullptr ? "" : text.get();
        if (last == marker) return {};
        std::replace(last.begin(), last.end(), '\n', ' ');
        while (last.ends_with(' ')) last.pop_back();
        return last;
    }

private:
    static constexpr const char* marker = "dunlin reads";
    agerrlevel_t before_;
};

/// Reads the next graph of the channel; nullptr at the end.
Agraph_t* next_graph(Channel& channel) { return agread(&channel, &on_channels); }

/// Removes the byte order mark, which Graphviz reads as part of the first word.
std::string_view without_byte_order_mark(std::string_view text) {
    return text.substr(text.starts_with("\xef\xbb\xbf") ? 3 : 0);
}

constexpr std::string_view percent_begins[] = {"\"%", "<%"};

/// A character that is not in the text, if a quoted or an HTML string in it begins with %; else 0.
char mark_for(std::string_view text) {
    const auto has = [&](auto part) { return text.find(part) != std::string_view::npos; };
    if (std::none_of(std::begin(percent_begins), std::end(percent_begins), has)) return 0;
    for (char mark = 1; mark < '\t'; ++mark) {
        if (!has(mark)) return mark;
    }
    return 0;
}

/// The text with the mark before each % that begins a string.
std::string with_marks(std::string_view text, char mark) {
    std::string marked;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i > 0 && text[i] == '%' && (text[i - 1] == '"' || text[i - 1] == '<')) marked += mark;
        marked += text[i];
    }
    return marked;
}

/// Resets libcgraph's scanner, which may be inside a comment or a string of the last file: feeds closing characters
/// until it reads a graph. `longest`: upper bound of the number of open brackets.
void reset_scanner(std::size_t longest) {
    const Messages quiet;
    const std::string closers[] = {"", "*/", "\"", "", std::string(longest, '>'), ""};
    for (const std::string& closer : closers) {
        const std::string text = closer + "graph{}";
        Channel channel{text};
        if (Agraph_t* const graph = next_graph(channel)) {
            agclose(graph);
            return;
        }
    }
}

/// Throws "file:19: syntax error near '}'" for "syntax error in line 19 near '}'".
[[noreturn]] void refuse(const std::string& message, const std::string& file) {
    constexpr std::string_view in_line = " in line ";
    constexpr std::size_t longest = 160;
    if (const std::size_t found = message.find(in_line); found != std::string::npos) {
        // A directive such as `# 3 "name"` sets the number, which may have a sign
        std::int64_t line = 0;
        const char* const digits = message.data() + found + in_line.size();
        const auto read = std::from_chars(digits, message.data() + message.size(), line);
        if (read.ec == std::errc{} && line >= 0)
            bad_file("{}: {}; correct the line", at_line(file, line),
                     shown(message.substr(0, found) + read.ptr, longest));
    }
    bad_file("'{}' cannot be read as DOT: {}; correct it", file, shown(message, longest));
}

}  // namespace

std::unique_lock<std::mutex> DotFile::lock() {
    static std::mutex mutex;
    return std::unique_lock(mutex);
}

DotFile::DotFile(const Bytes& bytes) {
    // Memory of libcgraph per byte of a plain edge list
    require_memory(20 * bytes.size(), "the graph of '" + bytes.name() + "'");
    require_bounded_dot(bytes);
    const std::unique_lock held = lock();
    reset_scanner(0);
    const Messages messages;
    agsetfile(nullptr);
    const std::string_view text = without_byte_order_mark(bytes.view());
    mark_ = mark_for(text);
    const std::string marked = mark_ == 0 ? std::string() : with_marks(text, mark_);
    Channel channel{mark_ == 0 ? text : marked};
    while (Agraph_t* const graph = next_graph(channel)) graphs_.push_back(graph);
    const std::string message = text_of(Messages::last().c_str());
    const bool failed = Messages::error();
    reset_scanner(bytes.size());
    if (failed) {
        close();
        refuse(message, bytes.name());
    }
    if (!message.empty()) warnings_.push_back(message);
    if (graphs_.empty()) bad_file("'{}' holds no graph; DOT begins with graph or digraph", bytes.name());
}

DotFile::~DotFile() {
    const std::unique_lock held = lock();
    close();
}

void DotFile::close() {
    for (Agraph_t* const graph : graphs_) agclose(graph);
    graphs_.clear();
}

std::string DotFile::text_of(const char* text) const { return mark_ == 0 ? text : without(text, mark_); }

void DotFile::keep_only(std::size_t graph) {
    std::swap(graphs_[0], graphs_[graph]);
    while (graphs_.size() > 1) {
        agclose(graphs_.back());
        graphs_.pop_back();
    }
}

void DotFile::write(Output& out) const {
    Channel channel{{}, &out, mark_};
    for (Agraph_t* const graph : graphs_) agwrite(graph, &channel);
    if (channel.failure) std::rethrow_exception(channel.failure);
}

}  // namespace dunlin::io
