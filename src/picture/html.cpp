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
std::string policy(const std::vector<PageScript>& scripts) {
    std::string sources;
    for (const PageScript& script : scripts) sources += ' ' + hash_source(script.sha256);
    return fmt::format(
        "default-src 'none'; script-src{}; style-src {}; img-src blob: data:; base-uri 'none'; form-action 'none'",
        sources, hash_source(page_style_sha256));
}

}  // namespace

std::string html_file(const PageParts& parts) {
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy(parts.scripts) + "\">\n";
    html += "<title>" + io::escaped(io::clean_text(parts.title)) + "</title>\n<style>";
    html.append(page_style) += "</style>\n</head>\n<body>";
    html.append(parts.body);
    html += "<script id=\"facts\" type=\"application/json\">" + embedded(parts.facts) + "</script>\n";
    for (const std::string& frame : parts.frames)
        html += "<script type=\"text/x-frame\">" + base64(frame) + "</script>\n";
    for (const PageScript& script : parts.scripts) html.append("<script>").append(script.text).append("</script>\n");
    html += "</body>\n</html>\n";
    return html;
}

std::string html_of(device::Cpu& cpu, const Drawing& drawing, const PageExtras& extras, const Run& run) {
    const PageContent content = page_content(cpu, drawing, true, extras, run);
    std::vector<PageScript> scripts;
    if (content.relief) scripts.push_back({page_relief_script, page_relief_script_sha256});
    if (content.film) scripts.push_back({page_film_script, page_film_script_sha256});
    if (content.webgpu) scripts.push_back({page_webgpu_script, page_webgpu_script_sha256});
    scripts.push_back({page_script, page_script_sha256});
    return html_file({title_of(drawing.options), page_body, content.facts, content.frames, scripts});
}

}  // namespace dunlin::picture
