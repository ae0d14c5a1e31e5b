// SPDX-License-Identifier: Apache-2.0
#include "picture/text.hpp"

#include <cairo-ft.h>
#include <cairo.h>
#include <fmt/format.h>
#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <vector>

#include <dunlin/error.hpp>

#include "device/own_folder.hpp"

namespace dunlin::picture {

namespace {

constexpr std::string_view breaks = " /_-";  // after which a line may end

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// A context to measure text as in a PNG, whose advances are whole pixels; one per thread.
cairo_t* measuring_context() {
    thread_local const std::unique_ptr<cairo_t, void (*)(cairo_t*)> context = [] {
        cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
        std::unique_ptr<cairo_t, void (*)(cairo_t*)> made(cairo_create(surface), cairo_destroy);
        cairo_surface_destroy(surface);
        return made;
    }();
    return context.get();
}

/// A context without bounds: cairo leaves glyphs beyond the bounds out of a path. Outlines and advances are not rounded
/// to pixels, as in SVG and PDF.
cairo_t* boundless_context() {
    thread_local const std::unique_ptr<cairo_t, void (*)(cairo_t*)> context = [] {
        cairo_surface_t* surface = cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, nullptr);
        std::unique_ptr<cairo_t, void (*)(cairo_t*)> made(cairo_create(surface), cairo_destroy);
        cairo_surface_destroy(surface);
        const std::unique_ptr<cairo_font_options_t, void (*)(cairo_font_options_t*)> exact(cairo_font_options_create(),
                                                                                           cairo_font_options_destroy);
        cairo_font_options_set_hint_metrics(exact.get(), CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_hint_style(exact.get(), CAIRO_HINT_STYLE_NONE);
        cairo_set_font_options(made.get(), exact.get());
        return made;
    }();
    return context.get();
}

using Face = std::unique_ptr<cairo_font_face_t, void (*)(cairo_font_face_t*)>;

/// The font of a package that carries one, as the Python wheel does: DejaVuSans.ttf in libdunlin's folder. Null: none.
Face own_face() {
    const std::filesystem::path file = device::own_folder() / "DejaVuSans.ttf";
    std::error_code none;
    if (!std::filesystem::exists(file, none)) return {nullptr, cairo_font_face_destroy};
    FcPattern* const pattern = FcPatternCreate();
    FcPatternAddString(pattern, FC_FILE, reinterpret_cast<const FcChar8*>(file.c_str()));
    FcPatternAddInteger(pattern, FC_INDEX, 0);
    Face face(cairo_ft_font_face_create_for_pattern(pattern), cairo_font_face_destroy);
    FcPatternDestroy(pattern);
    return face;
}

/// The name that is chosen by a FontScope.
std::string& chosen_font() {
    thread_local std::string name;
    return name;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

/// The font that the system takes for this name: one of its families is the name itself if it has that font.
std::vector<std::string> families_for(const std::string& name) {
    using Pattern = std::unique_ptr<FcPattern, void (*)(FcPattern*)>;
    const Pattern wanted(FcPatternCreate(), FcPatternDestroy);
    FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(name.c_str()));
    FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
    FcDefaultSubstitute(wanted.get());
    FcResult result = FcResultNoMatch;
    const Pattern found(FcFontMatch(nullptr, wanted.get(), &result), FcPatternDestroy);
    std::vector<std::string> families;
    FcChar8* family = nullptr;
    for (int i = 0; found && FcPatternGetString(found.get(), FC_FAMILY, i, &family) == FcResultMatch; ++i)
        families.emplace_back(reinterpret_cast<const char*>(family));
    return families;
}

void require_font(const std::string& name) {
    constexpr std::array<std::string_view, 3> generic{"sans-serif", "serif", "monospace"};
    if (name.empty() || std::ranges::find(generic, name) != generic.end()) return;
    const std::vector<std::string> families = families_for(name);
    if (std::ranges::any_of(families, [&](const std::string& each) { return lower(each) == lower(name); })) return;
    throw Error(Fault::bad_input,
                fmt::format("font '{}' is not on this system{}; fc-list : family lists those that are", name,
                            families.empty() ? "" : ", whose nearest is '" + families.front() + "'"),
                {.option = "font"});
}

}  // namespace

FontScope::FontScope(const std::string& name) : before_(chosen_font()) {
    require_font(name);
    chosen_font() = name;
}

FontScope::~FontScope() { chosen_font() = before_; }

const std::string& font_name() { return chosen_font(); }

void select_font(cairo_t* context) {
    static const Face own = own_face();
    const std::string& name = chosen_font();
    if (!name.empty()) {
        cairo_select_font_face(context, name.c_str(), CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    } else if (own != nullptr) {
        cairo_set_font_face(context, own.get());
    } else {
        cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    }
}

float text_width(std::string_view text, float size) {
    const std::string line(text);
    double widest = 0;
    for (cairo_t* context : {measuring_context(), boundless_context()}) {
        select_font(context);
        cairo_set_font_size(context, static_cast<double>(size));
        cairo_text_extents_t extents;
        cairo_text_extents(context, line.c_str(), &extents);
        widest = std::max(widest, extents.x_advance);
    }
    return static_cast<float>(std::ceil(widest));
}

std::string outlines(const std::string& text, float size, float x, float y) {
    cairo_t* context = boundless_context();
    select_font(context);
    cairo_set_font_size(context, static_cast<double>(size));
    cairo_new_path(context);
    cairo_move_to(context, static_cast<double>(x), static_cast<double>(y));
    cairo_text_path(context, text.c_str());
    const std::unique_ptr<cairo_path_t, void (*)(cairo_path_t*)> path(cairo_copy_path(context), cairo_path_destroy);
    cairo_new_path(context);
    std::string data;
    for (int at = 0; at < path->num_data; at += path->data[at].header.length) {
        constexpr std::array<char, 4> commands{'M', 'L', 'C', 'Z'};
        const cairo_path_data_t& part = path->data[at];
        data += commands.at(static_cast<std::size_t>(part.header.type));
        for (int p = 1; p < part.header.length; ++p) {
            const auto& point = path->data[at + p].point;
            fmt::format_to(std::back_inserter(data), "{}{:.2f} {:.2f}", p == 1 ? "" : " ", point.x, point.y);
        }
    }
    return data;
}

std::string shortened(const std::string& text, float size, float width) {
    if (text_width(text, size) <= width) return text;
    std::vector<std::size_t> cuts;  // between characters
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (!continues(text[i])) cuts.push_back(i);
    }
    const auto cut_at = [&text](std::size_t cut) {
        return text.substr(0, cut == 0 ? 0 : text.find_last_not_of(' ', cut - 1) + 1) + "\xE2\x80\xA6";
    };
    const auto fits = [&](std::size_t cut) { return text_width(cut_at(cut), size) <= width; };
    const auto too_wide = std::partition_point(cuts.begin(), cuts.end(), fits);
    return cut_at(too_wide == cuts.begin() ? 0 : *(too_wide - 1));
}

std::vector<std::string> broken(const std::string& text, int lines, float size) {
    std::vector<std::string> best{text};
    if (lines < 2) return best;
    float least = text_width(text, size);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (breaks.find(text[i]) == std::string_view::npos) continue;
        const std::string head = text.substr(0, text[i] == ' ' ? i : i + 1);
        std::vector<std::string> tail = broken(text.substr(i + 1), lines - 1, size);
        float widest = text_width(head, size);
        if (widest >= least) break;  // later ones are wider
        for (const std::string& line : tail) widest = std::max(widest, text_width(line, size));
        if (head.empty() || widest >= least) continue;
        least = widest;
        best = std::move(tail);
        best.insert(best.begin(), head);
    }
    return best;
}

WrappedText wrapped(const std::string& text, float size, float width) {
    const auto fits = [&](std::size_t from, std::size_t to) {
        const std::size_t last = text.find_last_not_of(' ', to - 1);
        return text_width(std::string_view(text).substr(from, last + 1 - from), size) <= width;
    };
    WrappedText wrapped;
    for (std::size_t from = text.find_first_not_of(' '); from < text.size();) {
        std::size_t word = from, character = from;  // ends of the longest lines of whole words, of whole characters
        std::size_t end = from;
        while (end < text.size()) {
            do ++end;
            while (end < text.size() && continues(text[end]));
            if (!fits(from, end)) break;
            character = end;
            if (end == text.size() || breaks.find(text[end - 1]) != std::string_view::npos) word = end;
        }
        if (character == from) character = end;  // narrower than a character
        wrapped.is_whole = wrapped.is_whole && word > from;
        const std::size_t to = word > from ? word : character, last = text.find_last_not_of(' ', to - 1);
        wrapped.lines.push_back(text.substr(from, last + 1 - from));
        from = text.find_first_not_of(' ', to);
    }
    if (wrapped.lines.empty()) wrapped.lines.emplace_back();
    return wrapped;
}

std::string with_commas(Offset count) {
    std::string digits = std::to_string(count);
    for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
        digits.insert(static_cast<std::size_t>(place), 1, ',');
    }
    return digits;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digit = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto byte = [&](std::size_t i) {
            return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
        };
        const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
        out += digit[three >> 18 & 63];
        out += digit[three >> 12 & 63];
        out += at + 1 < bytes.size() ? digit[three >> 6 & 63] : '=';
        out += at + 2 < bytes.size() ? digit[three & 63] : '=';
    }
    return out;
}

}  // namespace dunlin::picture
