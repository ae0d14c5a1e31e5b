// SPDX-License-Identifier: Apache-2.0
#include "io/id_titles.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "io/number.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

/// Titles without their blanks and marks.
constexpr std::array<std::string_view, 54> titles = {
    "sample",       "samples",    "gene",      "genes",          "cell",        "cells",
    "barcode",      "barcodes",   "key",       "keys",           "row",         "rows",
    "rowname",      "rownames",   "uid",       "uuid",           "guid",        "obs",
    "record",       "case",       "item",      "patient",        "subject",     "user",
    "accession",    "identifier", "name",      "names",          "observation", "idx",
    "no",           "nr",         "sno",       "srno",           "slno",        "serial",
    "fid",          "oid",        "gid",       "rownum",         "rowno",       "rownr",
    "participant",  "respondent", "lfdnr",     "laufendenummer", "probe",       "probennr",
    "probennummer", "individu",   "individuo", "muestra",        "n\xc2\xb0",   "n\xc2\xba"};
/// What has ids or numbers of its own: CUSTOMERID, Case No.
constexpr std::array<std::string_view, 44> nouns = {
    "row",    "object", "sample",  "gene",     "cell",     "patient",     "subject",     "user",        "customer",
    "client", "person", "student", "employee", "member",   "product",     "item",        "order",       "record",
    "case",   "node",   "entrez",  "ensembl",  "account",  "passenger",   "transaction", "participant", "respondent",
    "unique", "global", "feature", "protein",  "probe",    "compound",    "molecule",    "document",    "doc",
    "image",  "serial", "roll",    "animal",   "specimen", "observation", "obs",         "registration"};
constexpr std::array<std::string_view, 6> counts = {"no", "nr", "num", "number", "nos", "numbers"};

template <class Words>
bool among(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/// The words of a title in small letters: "CustomerID" and "customer_id" are customer, id.
std::vector<std::string> words_of(std::string_view title) {
    std::vector<std::string> words;
    bool is_open = false;
    for (std::size_t i = 0; i < title.size(); ++i) {
        const char c = title[i];
        const bool is_letter = is_small(c) || is_capital(c) || is_digit(c) || static_cast<unsigned char>(c) > 127;
        if (is_letter && (!is_open || (i > 0 && is_small(title[i - 1]) && is_capital(c)))) words.emplace_back();
        if (is_letter) words.back() += is_capital(c) ? static_cast<char>(c + ('a' - 'A')) : c;
        is_open = is_letter;
    }
    return words;
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += word;
    return all;
}

/// "id", "ids", "id2"
bool is_word_id(std::string_view word) {
    word = word.substr(0, word.find_last_not_of("0123456789") + 1);
    return word == "id" || word == "ids";
}

}  // namespace

bool has_word_id(std::string_view title) {
    const std::vector<std::string> words = words_of(title);
    if (words.empty()) return false;
    const std::string all = joined(words);
    return is_word_id(words.front()) || is_word_id(words.back()) ||
           (all.ends_with("id") && among(nouns, std::string_view(all).substr(0, all.size() - 2)));
}

bool is_id_title(std::string_view title) {
    const std::vector<std::string> words = words_of(title);
    const std::string all = joined(words);
    if (title == "#" || among(titles, all) || has_word_id(title) || is_pandas_index(title)) return true;
    if (words.size() > 1 && among(counts, words.back()) && among(nouns, words[words.size() - 2])) return true;
    return lower(title).ends_with("index");
}

bool is_pandas_index(std::string_view title) {
    const std::string all = joined(words_of(title));
    return all.starts_with("unnamed0") && all.find_first_not_of("0123456789", 7) == std::string::npos;
}

bool is_made_title(std::string_view title) {
    constexpr std::array<std::string_view, 5> made = {"...1", "column1", "var1", "v1", "field1"};
    return title == "X" || among(made, lower(title));
}

}  // namespace dunlin::io
