// SPDX-License-Identifier: Apache-2.0
#include "streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace dunlin::app {

void open_standard_streams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        // open takes the first number that is free. Results that have nowhere to go are lost, as on a full disk
        if (fcntl(stream, F_GETFD) != -1) continue;
        const char* const file = stream == STDOUT_FILENO ? "/dev/full" : "/dev/null";
        if (open(file, stream == STDIN_FILENO ? O_RDONLY : O_WRONLY) == stream) continue;
        if (open("/dev/null", O_RDONLY) != stream) return;  // to which nothing can be written, either
    }
}

void write_error(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
    std::clearerr(stderr);
}

std::string without_controls(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        const bool is_c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;  // of UTF-8
        if ((byte >= 0x20 && byte != 0x7f && !is_c1) || byte == '\n' || byte == '\t')
            out += text[i];
        else
            out += fmt::format("\\x{:02x}", is_c1 ? static_cast<unsigned char>(text[++i]) : byte);
    }
    return out;
}

void write_output(std::string_view text) {
    static const bool is_terminal = isatty(STDOUT_FILENO) != 0;
    const std::string shown = is_terminal ? without_controls(text) : std::string(text);
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

bool output_is_complete() {
    std::cout.flush();
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
}

}  // namespace dunlin::app
