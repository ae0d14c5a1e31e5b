// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "io/markup.hpp"
#include "picture/formats.hpp"
#include "picture/html_page.hpp"
#include "picture/page_content.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

/// JSON for a script element: escapes text that would end the element.
std::string embedded(const std::string& facts) {
    std::string safe;
    for (const char c : facts) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

/// The source expression of a Content-Security-Policy for text with this hash.
std::string hash_source(std::string_view hexadecimal) {
    std::string bytes;
    for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
        unsigned byte = 0;
        std::from_chars(hexadecimal.data() + i, hexadecimal.data() + i + 2, byte, 16);
        bytes += static_cast<char>(byte);
    }
    return "'sha256-" + base64(bytes) + "'";
}

/// Only the page's own script and style, and no network: a file from elsewhere can show its data, and do nothing else.
std::string policy(const PageContent& content) {
    return fmt::format(
        "default-src 'none'; script-src {}{}{}{}; style-src {}; img-src blob: data:; base-uri 'none'; form-action "
        "'none'",
        hash_source(page_script_sha256), content.relief ? ' ' + hash_source(page_relief_script_sha256) : "",
        content.film ? ' ' + hash_source(page_film_script_sha256) : "",
        content.webgpu ? ' ' + hash_source(page_webgpu_script_sha256) : "", hash_source(page_style_sha256));
}

}  // namespace

std::string html_of(device::Cpu& cpu, const Drawing& drawing, const PageExtras& extras, const Run& run) {
    const PageContent content = page_content(cpu, drawing, true, extras, run);
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy(content) + "\">\n";
    html += "<title>" + io::escaped(io::clean_text(drawing.options.title)) + "</title>\n<style>";
    html.append(page_style) += "</style>\n</head>\n<body>";
    html.append(page_body);
    html += "<script id=\"facts\" type=\"application/json\">" + embedded(content.facts) + "</script>\n";
    for (const std::string& frame : content.frames)
        html += "<script type=\"text/x-frame\">" + base64(frame) + "</script>\n";
    if (content.relief) html.append("<script>").append(page_relief_script).append("</script>\n");
    if (content.film) html.append("<script>").append(page_film_script).append("</script>\n");
    if (content.webgpu) html.append("<script>").append(page_webgpu_script).append("</script>\n");
    html += "<script>";
    html.append(page_script) += "</script>\n</body>\n</html>\n";
    return html;
}

}  // namespace dunlin::picture
