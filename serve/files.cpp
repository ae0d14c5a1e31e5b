// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

namespace dunlin::serve {

namespace {

std::string page_of(const picture::PageFiles& files) {
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
           "content=\"width=device-width, initial-scale=1\">\n<title>dunlin view</title>\n<link rel=\"icon\" "
           "href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/page.css\">\n</head>\n<body>" +
           std::string(files.body) +
           "<script src=\"/relief.js\"></script>\n<script src=\"/run.js\"></script>\n<script "
           "src=\"/webgpu.js\"></script>\n<script src=\"/page.js\"></script>\n</body>\n</html>\n";
}

}  // namespace

std::optional<ServedFile> served_file(const picture::PageFiles& files, std::string_view path) {
    const auto script = [](std::string_view text) {
        return ServedFile{"text/javascript; charset=utf-8", std::string(text)};
    };
    if (path == "/") return ServedFile{"text/html; charset=utf-8", page_of(files)};
    if (path == "/page.css") return ServedFile{"text/css; charset=utf-8", std::string(files.style)};
    if (path == "/page.js") return script(files.script);
    if (path == "/relief.js") return script(files.relief_script);
    if (path == "/run.js") return script(files.run_script);
    if (path == "/webgpu.js") return script(files.webgpu_script);
    return std::nullopt;
}

}  // namespace dunlin::serve
