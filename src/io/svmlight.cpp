// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/growable_buffer.hpp"
#include "io/interner.hpp"
#include "io/number.hpp"
#include "io/read_progress.hpp"
#include "io/readers.hpp"
#include "io/zeros.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

/// Parser of lines "label index:value index:value ... # comment".
class Svmlight {
public:
    explicit Svmlight(const Bytes& bytes)
        : bytes_(bytes),
          at_(bytes.begin()),
          progress_("read", bytes.view()),
          entries_("the values of '" + bytes.name() + "'") {}

    void read() {
        while (next_line()) {
            progress::cancellation_point();
            if (offsets_.size() > static_cast<std::size_t>(most_items))
                bad_file("'{}' has more than {} rows; split it", bytes_.name(), most_items);
            progress_.advance(at_);
            read_label();
            while (read_entry()) {
            }
            offsets_.push_back(entries_.size());
        }
        if (words_empty()) bad_file("'{}' is empty; give a line per point", bytes_.name());
    }

    /// Indices count from 1, unless one is 0.
    Matrix matrix() {
        const Offset first = zero_based_ ? 0 : 1;
        const Offset cols = largest_ + 1 - first;
        if (cols < 1) bad_file("'{}' has no values at all; give index:value pairs", bytes_.name());
        if (cols > most_items) bad_file("'{}' has more than {} columns; choose some", bytes_.name(), most_items);
        ZeroMatrix zeros(bytes_, static_cast<Index>(offsets_.size() - 1), static_cast<Index>(cols));
        for (std::size_t r = 0; r + 1 < offsets_.size(); ++r) {
            for (std::size_t e = offsets_[r]; e < offsets_[r + 1]; ++e) {
                const SvmlightEntry& entry = entries_.data()[e];
                zeros.at(static_cast<Index>(r), static_cast<Index>(entry.index - first)) = entry.value;
            }
        }
        return zeros.matrix();
    }

    Labels labels() { return std::move(words_).labels(); }

private:
    struct SvmlightEntry {
        Offset index;
        float value;
    };

    [[nodiscard]] bool words_empty() const { return offsets_.size() == 1; }
    [[nodiscard]] static bool is_blank(char c) { return c == ' ' || c == '\t'; }
    [[nodiscard]] bool ends_line() const { return *at_ == '\n' || *at_ == '\r' || *at_ == '#' || at_ == bytes_.end(); }

    void skip_blanks() {
        while (is_blank(*at_)) ++at_;
    }

    /// Moves to the first token of the next line that has one; skips comments.
    bool next_line() {
        for (;;) {
            skip_blanks();
            if (*at_ == '#') at_ = std::find(at_, bytes_.end(), '\n');
            if (at_ == bytes_.end()) return false;
            if (*at_ != '\n' && *at_ != '\r') return true;
            ++at_;
        }
    }

    void read_label() {
        const char* const first = at_;
        while (!is_blank(*at_) && !ends_line()) ++at_;
        const std::string_view word(first, static_cast<std::size_t>(at_ - first));
        if (word.find(':') != std::string_view::npos) fail("a label; every line begins with one", first);
        words_.add(std::string(word));
    }

    bool read_entry() {
        skip_blanks();
        if (ends_line()) return false;
        const char* const first = at_;
        if (bytes_.view().substr(static_cast<std::size_t>(at_ - bytes_.begin())).starts_with("qid:")) {
            while (!is_blank(*at_) && !ends_line()) ++at_;
            return true;
        }
        Offset index = 0;
        for (; is_digit(*at_) && index <= most_items; ++at_) index = index * 10 + (*at_ - '0');
        double value = 0;
        const char* const after = at_ != first && *at_ == ':' ? parse_number(at_ + 1, value) : nullptr;
        if (after == nullptr || index > most_items) fail("index:value", first);
        at_ = after;
        if (!is_blank(*at_) && !ends_line()) fail("index:value", first);
        if (entries_.size() > offsets_.back() && entries_.data()[entries_.size() - 1].index >= index) {
            fail("an index above the one before it", first);
        }
        if (!std::isfinite(static_cast<float>(value))) fail("an index with a finite value", first);
        zero_based_ = zero_based_ || index == 0;
        largest_ = std::max(largest_, index);
        entries_.push_back({index, static_cast<float>(value)});
        return true;
    }

    [[noreturn]] void fail(const char* what, const char* place) const {
        const char* const end =
            std::find_if(place, bytes_.end(), [](char c) { return is_blank(c) || c == '\n' || c == '\r'; });
        bad_file("{}: '{}' is not {}; correct the line", at_line(bytes_.name(), line_of(bytes_, place)),
                 shown({place, static_cast<std::size_t>(end - place)}), what);
    }

    const Bytes& bytes_;
    const char* at_;
    ReadProgress progress_;
    GrowableBuffer<SvmlightEntry> entries_;
    std::vector<std::size_t> offsets_{0};
    StringInterner words_;
    Offset largest_ = -1;
    bool zero_based_ = false;
};

}  // namespace

Points read_svmlight(const Bytes& bytes, const ReadOptions& options) {
    if (options.transpose)
        bad_option("transpose", "the lines of '{}' have labels; they are points already", bytes.name());
    Svmlight reader(bytes);
    reader.read();
    Points points;
    points.kind = "svmlight";
    points.values = reader.matrix();
    points.labels = reader.labels();
    return points;
}

}  // namespace dunlin::io
