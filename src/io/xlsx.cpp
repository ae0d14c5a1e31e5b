// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

#include "io/as_text.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/memory.hpp"
#include "io/zip.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t most_rows = 1'048'576, most_columns = 16'384;  // of the format

/// Removes the prefixes of the names of elements, which some writers use.
void drop_prefixes(pugi::xml_node root) {
    if (std::strchr(root.name(), ':') == nullptr) return;
    for (pugi::xml_node node = root; node;) {
        if (const char* const colon = std::strchr(node.name(), ':')) node.set_name(std::string(colon + 1).c_str());
        pugi::xml_node next = node.first_child();
        for (; !next && node && node != root; node = node.parent()) next = node.next_sibling();
        node = next;
    }
}

/// The parts of a workbook.
class Workbook {
public:
    explicit Workbook(const Bytes& bytes) : name_(bytes.name()), members_(zip_members(bytes)) {}

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Parses a part; an empty document if there is none.
    [[nodiscard]] pugi::xml_document part(const std::string& path) const {
        pugi::xml_document document;
        const auto found =
            std::find_if(members_.begin(), members_.end(), [&](const ZipMember& one) { return one.name == path; });
        if (found == members_.end()) return document;
        require_memory(3 * found->size, "the sheet of '" + name_ + "'");
        const Bytes content = zip_content(*found, name_);
        if (!document.load_buffer(content.begin(), content.size(), pugi::parse_default | pugi::parse_ws_pcdata_single))
            damaged();
        drop_prefixes(document.document_element());
        return document;
    }
    [[noreturn]] void without_value(const char* cell) const {
        bad_file("'{}': the formula of cell {} has no value; open and save the workbook in a spreadsheet program",
                 name_, cell);
    }
    [[noreturn]] void damaged() const { bad_file("'{}' is a damaged workbook; save it as .csv", name_); }

private:
    std::string name_;
    std::vector<ZipMember> members_;
};

struct Sheet {
    std::string name, path;
    std::size_t sheets = 0;
    bool from_1904 = false;  ///< dates count from 1904
};

/// The value of r:id, whatever the prefix.
std::string relation_of(pugi::xml_node sheet) {
    for (const pugi::xml_attribute attribute : sheet.attributes()) {
        if (std::string_view(attribute.name()).ends_with(":id")) return attribute.value();
    }
    return "";
}

/// The first sheet that is not hidden.
Sheet first_sheet(const Workbook& book) {
    const pugi::xml_document workbook = book.part("xl/workbook.xml"), links = book.part("xl/_rels/workbook.xml.rels");
    const pugi::xml_node root = workbook.document_element(), sheets = root.child("sheets");
    Sheet sheet;
    pugi::xml_node first;
    for (const pugi::xml_node one : sheets.children("sheet")) {
        ++sheet.sheets;
        const bool is_hidden = std::string_view(one.attribute("state").value()).ends_with("idden");
        if (!first && !is_hidden) first = one;
    }
    sheet.name = first.attribute("name").value();
    const std::string id = relation_of(first);
    for (const pugi::xml_node link : links.document_element().children("Relationship")) {
        if (id != link.attribute("Id").value()) continue;
        const std::string target = link.attribute("Target").value();
        sheet.path = target.starts_with('/') ? target.substr(1) : "xl/" + target;
    }
    if (sheet.path.empty()) book.damaged();
    const std::string of_1904 = root.child("workbookPr").attribute("date1904").value();
    sheet.from_1904 = of_1904 == "1" || of_1904 == "true";
    return sheet;
}

/// The text of a string, which may be in several runs; not that of its pronunciation.
std::string text_of_string(pugi::xml_node item) {
    std::string text = item.child("t").text().get();
    for (const pugi::xml_node run : item.children("r")) text += run.child("t").text().get();
    return text;
}

std::vector<std::string> shared_strings(const Workbook& book) {
    const pugi::xml_document document = book.part("xl/sharedStrings.xml");
    std::vector<std::string> strings;
    for (const pugi::xml_node item : document.document_element().children("si")) {
        progress::cancellation_point();
        strings.push_back(text_of_string(item));
    }
    return strings;
}

/// Whether a format of numbers shows days or times: it has one of their letters outside quotes and brackets.
bool shows_time(std::string_view format) {
    bool in_quotes = false, in_brackets = false;
    for (std::size_t i = 0; i < format.size(); ++i) {
        const char c = format[i];
        if (c == '\\' || c == '_') {
            ++i;
        } else if (c == '"') {
            in_quotes = !in_quotes;
        } else if (!in_quotes && (c == '[' || c == ']')) {
            in_brackets = c == '[';
        } else if (!in_quotes && !in_brackets && std::string_view("yYmMdDhHsS").find(c) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

/// For each style of cells whether its numbers are dates.
std::vector<bool> styles_of_dates(const Workbook& book) {
    const pugi::xml_document document = book.part("xl/styles.xml");
    const pugi::xml_node root = document.document_element();
    std::vector<int> own;
    for (const pugi::xml_node format : root.child("numFmts").children("numFmt")) {
        if (shows_time(format.attribute("formatCode").value())) own.push_back(format.attribute("numFmtId").as_int(-1));
    }
    std::vector<bool> dates;
    for (const pugi::xml_node style : root.child("cellXfs").children("xf")) {
        const int format = style.attribute("numFmtId").as_int();
        const bool is_usual = (format >= 14 && format <= 22) || (format >= 45 && format <= 47);
        dates.push_back(is_usual || std::find(own.begin(), own.end(), format) != own.end());
    }
    return dates;
}

/// A date of the proleptic Gregorian calendar, from days since 1970-01-01.
struct Day {
    int year = 0;
    unsigned month = 0, day = 0;
};

Day day_of(std::int64_t since_1970) {
    const std::int64_t shifted = since_1970 + 719468;  // since 0000-03-01
    const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const auto of_era = static_cast<unsigned>(shifted - era * 146097);
    const unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
    const unsigned month = (5 * of_year + 2) / 153;
    return {static_cast<int>(static_cast<std::int64_t>(year) + era * 400) + (month >= 10 ? 1 : 0),
            month < 10 ? month + 3 : month - 9, of_year - (153 * month + 2) / 5 + 1};
}

/// A serial number of days as text: a date, a date and time, or below 1 a time.
std::string date_text(double serial, bool from_1904) {
    constexpr double most = 2'958'466;  // the year 10000
    if (!(serial >= 0 && serial < most)) return fmt::format("{}", serial);
    const auto seconds = std::llround(serial * 86400);
    const std::int64_t day = seconds / 86400, of_day = seconds % 86400;
    std::string time = fmt::format("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60);
    if (serial < 1 && !from_1904) return time;
    // The format counts a 1900-02-29, which there was not
    const std::int64_t offset = from_1904 ? -24107 : day < 60 ? -25568 : -25569;
    const Day date = day_of(day + offset);
    const std::string text = fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    return of_day == 0 ? text : text + " " + time;
}

/// The column of a reference such as AB12, from 0; the given one without a reference.
std::size_t column_of(const char* reference, std::size_t otherwise) {
    std::size_t column = 0;
    const char* at = reference;
    for (; *at >= 'A' && *at <= 'Z' && column < most_columns; ++at)
        column = 26 * column + static_cast<std::size_t>(*at - 'A' + 1);
    return at == reference ? otherwise : column - 1;
}

class SheetText {
public:
    SheetText(const Workbook& book, const Sheet& sheet)
        : book_(book), sheet_(sheet), strings_(shared_strings(book)), dates_(styles_of_dates(book)) {}

    Bytes text() {
        const pugi::xml_document document = book_.part(sheet_.path);
        const pugi::xml_node rows = document.document_element().child("sheetData");
        if (!rows) book_.damaged();
        each_row(rows, [&](std::size_t, const auto& cells) {
            for (const auto& [column, text] : cells) {
                if (text.empty()) continue;
                first_ = std::min(first_, column);
                end_ = std::max(end_, column + 1);
            }
        });
        GrowableBuffer<char> out("the sheet of '" + book_.name() + "'");
        std::size_t line = 1;
        each_row(rows, [&](std::size_t row, const auto& cells) {
            const bool is_empty =
                std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.second.empty(); });
            if (is_empty) return;
            for (; line < row; ++line) append(out, "\n");
            std::size_t column = first_;
            for (const auto& [at, text] : cells) {
                for (; column < at; ++column) append(out, "\t");
                append(out, table_cell(text));
            }
            for (; column + 1 < end_; ++column) append(out, "\t");
            append(out, "\n");
            ++line;
        });
        const std::string of_several = sheet_.sheets > 1 ? fmt::format("first of {} sheets, ", sheet_.sheets) : "";
        return padded(out, fmt::format("{}/{}{}.tsv", book_.name(), of_several, sheet_.name));
    }

private:
    using Cells = std::vector<std::pair<std::size_t, std::string>>;

    template <class Use>
    void each_row(pugi::xml_node rows, const Use& use) const {
        std::size_t number = 0;
        for (const pugi::xml_node row : rows.children("row")) {
            progress::cancellation_point();
            number = std::max<std::size_t>(row.attribute("r").as_ullong(number + 1), number + 1);
            if (number > most_rows) book_.damaged();
            Cells cells;
            std::size_t column = 0;
            for (const pugi::xml_node cell : row.children("c")) {
                const std::size_t at = column_of(cell.attribute("r").value(), column);
                if (at < column || at >= most_columns) book_.damaged();
                cells.emplace_back(at, text_of_cell(cell));
                column = at + 1;
            }
            use(number, cells);
        }
    }

    [[nodiscard]] std::string text_of_cell(pugi::xml_node cell) const {
        const std::string_view type = cell.attribute("t").value();
        const std::string_view value = cell.child("v").text().get();
        if (type == "s") {
            std::size_t index = strings_.size();
            std::from_chars(value.data(), value.data() + value.size(), index);
            if (index >= strings_.size()) book_.damaged();
            return strings_[index];
        }
        if (type == "inlineStr") return text_of_string(cell.child("is"));
        if (type == "b") return value == "1" ? "TRUE" : "FALSE";
        if (!type.empty() && type != "n") return std::string(value);
        if (value.empty() && cell.child("f")) book_.without_value(cell.attribute("r").value());
        const auto style = cell.attribute("s").as_uint(0);
        double number = 0;
        const bool is_date = style < dates_.size() && dates_[style];
        const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
        return is_date && parsed.ec == std::errc() ? date_text(number, sheet_.from_1904) : std::string(value);
    }

    const Workbook& book_;
    const Sheet& sheet_;
    std::vector<std::string> strings_;
    std::vector<bool> dates_;
    std::size_t first_ = most_columns, end_ = 0;
};

}  // namespace

bool is_xlsx(const Bytes& zip) {
    const std::vector<ZipMember> members = zip_members(zip);
    return std::any_of(members.begin(), members.end(),
                       [](const ZipMember& member) { return member.name == "xl/workbook.xml"; });
}

Bytes first_sheet_of(const Bytes& xlsx) {
    const Workbook book(xlsx);
    const Sheet sheet = first_sheet(book);
    Bytes text = SheetText(book, sheet).text();
    if (sheet.sheets > 1) {
        text.say(fmt::format("read from its first sheet, '{}', of {}; save another one as .csv", shown(sheet.name),
                             sheet.sheets));
    }
    return text;
}

}  // namespace dunlin::io
