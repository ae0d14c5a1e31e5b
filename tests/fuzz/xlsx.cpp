// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>
#include <algorithm>
#include <array>

#include "fuzz.hpp"
#include "io/as_text.hpp"

using namespace dunlin;

namespace {

void put(std::string& out, std::size_t value, int bytes) {
    for (; bytes > 0; --bytes, value >>= 8) out += static_cast<char>(value & 0xff);
}

/// A zip archive of stored members, so that what is fuzzed are the parts of the workbook.
class Archive {
public:
    void add(std::string_view name, std::string_view content) {
        std::string common;
        put(common, 20, 2), put(common, 0, 8);  // version, flags, method, time
        put(common, crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())), 4);
        put(common, content.size(), 4), put(common, content.size(), 4);
        put(common, name.size(), 2), put(common, 0, 2);
        directory_ += "PK\1\2", put(directory_, 20, 2);
        directory_ += common, put(directory_, 0, 10);
        put(directory_, all_.size(), 4);
        directory_ += name;
        all_ += "PK\3\4" + common;
        all_ += name, all_ += content;
        ++members_;
    }
    [[nodiscard]] std::string finished() const {
        std::string out = all_ + directory_ + "PK\5\6";
        put(out, 0, 4), put(out, members_, 2), put(out, members_, 2);
        put(out, directory_.size(), 4), put(out, all_.size(), 4), put(out, 0, 2);
        return out;
    }

private:
    std::string all_, directory_;
    std::size_t members_ = 0;
};

}  // namespace

/// Workbooks: an input is their parts, separated by bytes of 1. An empty part is one that fits the others.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    struct Part {
        std::string_view name, usual;
    };
    constexpr std::array<Part, 5> parts{{
        {"xl/worksheets/sheet1.xml", ""},
        {"xl/sharedStrings.xml", "<sst><si><t>a</t></si><si><r><t>b</t></r></si></sst>"},
        {"xl/styles.xml", "<s><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></s>"},
        {"xl/workbook.xml", "<w><sheets><sheet name=\"S\" r:id=\"i\"/></sheets></w>"},
        {"xl/_rels/workbook.xml.rels", "<r><Relationship Id=\"i\" Target=\"worksheets/sheet1.xml\"/></r>"},
    }};
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    Archive archive;
    for (const Part& part : parts) {
        const std::string_view content = rest.substr(0, rest.find('\1'));
        archive.add(part.name, content.empty() ? part.usual : content);
        rest.remove_prefix(std::min(content.size() + 1, rest.size()));
    }
    return fuzz::run([&] { return io::as_text(io::Bytes::copy(archive.finished(), "a.xlsx")); });
}
