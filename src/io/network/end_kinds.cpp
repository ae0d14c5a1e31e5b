// SPDX-License-Identifier: Apache-2.0
#include "io/network/end_kinds.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "io/number.hpp"
#include "io/track_columns.hpp"

namespace dunlin::io {

namespace {

/// Names of roles, which vertices of one kind have: a pair with one of them need not be of two kinds.
constexpr auto roles = std::to_array<std::string_view>(
    {"node",       "vertex",    "vertices",    "neighbor",  "neighbour", "friend",    "contact",   "peer",   "partner",
     "ego",        "alter",     "source",      "target",    "src",       "dst",       "dest",      "tgt",    "from",
     "to",         "origin",    "orig",        "start",     "end",       "begin",     "stop",      "head",   "tail",
     "parent",     "child",     "mother",      "father",    "ancestor",  "husband",   "wife",      "sender", "receiver",
     "recipient",  "caller",    "callee",      "follower",  "followee",  "following", "followed",  "citing", "cited",
     "citation",   "row",       "col",         "column",    "first",     "second",    "input",     "output", "upstream",
     "downstream", "buyer",     "seller",      "winner",    "loser",     "manager",   "employee",  "boss",   "home",
     "away",       "creditor",  "debtor",      "lender",    "borrower",  "payer",     "payee",     "prey",   "predator",
     "donor",      "acceptor",  "leader",      "trustor",   "trustee",   "rater",     "ratee",     "mentor", "advisor",
     "voter",      "candidate", "predecessor", "successor", "subject",   "object",    "descendant"});

/// A name without digits, and without the ending that says that it is an id: author_id is author.
std::string noun_of(std::string_view name) {
    std::string noun = plain_name(name);
    std::erase_if(noun, is_digit);
    for (const std::string_view ending : {"ids", "id", "number", "index", "idx", "key", "no", "nr"}) {
        if (noun.size() > ending.size() + 2 && noun.ends_with(ending)) {
            noun.resize(noun.size() - ending.size());
            break;
        }
    }
    return noun;
}

bool is_role(const std::string& noun) {
    if (std::find(roles.begin(), roles.end(), noun) != roles.end()) return true;
    return std::any_of(roles.begin(), roles.end(), [&](std::string_view role) {
        return role.size() > 2 && noun.size() > role.size() && (noun.starts_with(role) || noun.ends_with(role));
    });
}

}  // namespace

bool are_two_kinds(std::string_view source, std::string_view target) {
    constexpr std::size_t shortest = 3;  // u and v are no nouns
    const std::string a = noun_of(source), b = noun_of(target);
    if (a.size() < shortest || b.size() < shortest || a.starts_with(b) || b.starts_with(a)) return false;
    return !is_role(a) && !is_role(b);
}

}  // namespace dunlin::io
