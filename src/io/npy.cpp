// SPDX-License-Identifier: Apache-2.0
#include "io/npy.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "io/fail.hpp"

namespace dunlin::io {

namespace {

/// Parser of NumPy's header, a Python dictionary of three keys.
class NpyHeader {
public:
    NpyHeader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    void read(Array& array) {
        bool seen[3] = {false, false, false};
        expect('{');
        while (!is('}')) {
            const std::string_view key = quoted();
            expect(':');
            if (key == "descr")
                read_type(array);
            else if (key == "fortran_order")
                array.fortran = truth();
            else if (key == "shape")
                read_shape(array);
            else
                damaged();
            seen[key == "descr" ? 0 : key == "shape" ? 1 : 2] = true;
            if (!is('}')) expect(',');
        }
        if (!seen[0] || !seen[1] || !seen[2]) damaged();
    }

private:
    [[noreturn]] void damaged() const { bad_file("'{}' has a damaged .npy header; save the array again", file_); }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    }
    bool is(char c) {
        skip_blanks();
        return at_ < text_.size() && text_[at_] == c;
    }
    void expect(char c) {
        if (!is(c)) damaged();
        ++at_;
    }
    std::string_view quoted() {
        skip_blanks();
        const char quote = at_ < text_.size() ? text_[at_] : ' ';
        if (quote != '\'' && quote != '"') damaged();
        const std::size_t close = text_.find(quote, at_ + 1);
        if (close == std::string_view::npos) damaged();
        const std::string_view word = text_.substr(at_ + 1, close - at_ - 1);
        at_ = close + 1;
        return word;
    }
    bool truth() {
        skip_blanks();
        const std::string_view rest = text_.substr(at_);
        const bool yes = rest.starts_with("True");
        if (!yes && !rest.starts_with("False")) damaged();
        at_ += yes ? 4 : 5;
        return yes;
    }

    void read_shape(Array& array) {
        array.shape.clear();
        expect('(');
        while (!is(')')) {
            std::uint64_t extent = 0;
            skip_blanks();
            const char* const last = text_.data() + text_.size();
            const auto parsed = std::from_chars(text_.data() + at_, last, extent);
            if (parsed.ec != std::errc() || array.shape.size() == 32) {
                bad_file("'{}' has the shape ({}, which is not possible; save the array again", file_,
                         shown(text_.substr(at_)));
            }
            array.shape.push_back(extent);
            at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
            if (!is(')')) expect(',');
        }
        ++at_;
    }

    void read_type(Array& array) {
        skip_blanks();
        if (is('[')) bad_file("'{}' holds records with fields; save one array of numbers", file_);
        const std::string_view descr = quoted();
        const char order = descr.size() < 3 ? '?' : descr[0];
        array.kind = descr.size() < 3 ? '?' : descr[1];
        array.swapped = order == '>';
        const char* const last = descr.data() + descr.size();
        const bool sized = descr.size() > 2 && std::from_chars(descr.data() + 2, last, array.item).ptr == last;
        if (array.kind == 'U') array.item = array.item < (std::size_t{1} << 40) ? array.item * 4 : 0;
        if (!sized || (order != '<' && order != '>' && order != '|' && order != '=') || !is_known(array)) {
            bad_file("'{}' has values of the type '{}'; save it as float32, float64 or an integer type", file_,
                     shown(descr));
        }
    }

    static bool is_known(const Array& array) {
        const auto size_among = [&](std::initializer_list<std::size_t> sizes) {
            return std::find(sizes.begin(), sizes.end(), array.item) != sizes.end();
        };
        switch (array.kind) {
            case 'f':
                return size_among({2, 4, 8});
            case 'i':
            case 'u':
                return size_among({1, 2, 4, 8});
            case 'b':
                return array.item == 1;
            case 'U':
            case 'S':
                return array.item > 0 && array.item < (std::size_t{1} << 40);
            default:
                return false;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    const std::string& file_;
};

}  // namespace

bool is_npy(const Bytes& bytes) { return bytes.view().starts_with("\x93NUMPY"); }

Array parse_npy(const Bytes& bytes) {
    const std::string_view all = bytes.view();
    if (!is_npy(bytes)) bad_file("'{}' is not a .npy file; save it with numpy.save", bytes.name());
    const int version = all.size() > 6 ? all[6] : 0;
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    if (all.size() < 8 + length_bytes)
        bad_file("'{}' is truncated: its header ends early; save or copy it again", bytes.name());
    if (version < 1 || version > 3) {
        bad_file("'{}' is .npy of version {}; versions 1 to 3 are known, save it again", bytes.name(), version);
    }
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i)
        length |= std::size_t{static_cast<unsigned char>(all[8 + i])} << (8 * i);
    const std::size_t begin = 8 + length_bytes;
    if (length > all.size() - begin)
        bad_file("'{}' is truncated: its header ends early; save or copy it again", bytes.name());
    Array array;
    NpyHeader(all.substr(begin, length), bytes.name()).read(array);
    array.data = bytes.begin() + begin + length;
    check_size(array, bytes);
    return array;
}

std::string npy_header(std::string_view descr, const std::vector<std::uint64_t>& shape) {
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    // Values begin at a multiple of 64 bytes
    const std::size_t unpadded = 10 + text.size() + 1;
    text.append((64 - unpadded % 64) % 64, ' ');
    text += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

void add_texts(ZipOutput& zip, const std::string& name, std::span<const std::string> texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::string bytes(texts.size() * longest, '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(bytes.data() + i * longest, longest);
    zip.add(name + ".npy", npy_header(fmt::format("|S{}", longest), {texts.size()}), bytes);
}

}  // namespace dunlin::io
