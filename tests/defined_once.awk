# SPDX-License-Identifier: Apache-2.0
# Checks C++ and CUDA sources: no type may be defined in two files of one namespace (the one-definition rule: the linker
# does not complain, and one of the two is then used for both), and no header may have an anonymous namespace.
#   awk [-v reused=N] -f tests/defined_once.awk FILE...
# Prints a line for each fault, with reused=N a line "reused: NAME FILES" for each name of types in N or more files, whatever
# their namespaces, and the number of types; exit code 1 if there is a fault, or a file whose braces do not
# match. A type's name is its namespaces, classes and template arguments; in an anonymous namespace its file too. Types
# within functions are left out. no_cuda.cpp stands in builds without .cu files, so these two may define the same type.

function fault(text) {
    print text
    ++faults
}

# The line without comments, literals and preprocessor directives
function code_of(line,    out, c, two, i, n) {
    if (in_directive || (!in_comment && raw_end == "" && line ~ /^[ \t]*#/)) {
        in_directive = line ~ /\\$/
        return ""
    }
    out = ""
    n = length(line)
    for (i = 1; i <= n; ++i) {
        if (raw_end != "") {
            c = index(substr(line, i), raw_end)
            if (!c) return out
            i += c + length(raw_end) - 2
            raw_end = ""
            continue
        }
        two = substr(line, i, 2)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                ++i
            }
            continue
        }
        if (two == "//") return out
        if (two == "/*") {
            in_comment = 1
            ++i
            continue
        }
        c = substr(line, i, 1)
        if (two == "R\"" && out !~ /[A-Za-z0-9_]$/) {
            c = index(substr(line, i), "(")
            raw_end = ")" substr(line, i + 2, c - 3) "\""
            i += c - 1
            out = out "0"
        } else if (c == "\"" || (c == "'" && out !~ /[A-Za-z0-9_]$/)) {
            for (++i; i <= n && substr(line, i, 1) != c; ++i)
                if (substr(line, i, 1) == "\\") ++i
            out = out "0"
        } else if (c != "'") {
            out = out c
        }
    }
    return out
}

# What a brace opens, by the words before it: sets `kind` (namespace, type, block) and `name`
function classify(    n, words, i, angle, start, chain, plain) {
    kind = "block"
    name = ""
    n = split(head, words, " ")
    i = words[1] == "inline" ? 2 : 1
    if (words[i] == "namespace") {
        kind = "namespace"
        for (++i; i <= n; ++i)
            if (words[i] != "inline") name = name words[i]
        return
    }
    if (words[1] == "extern" && n == 2) {
        kind = "transparent"
        return
    }
    angle = 0
    for (i = 1; i <= n && !start; ++i) {
        if (words[i] == "<") ++angle
        if (words[i] == ">") --angle
        if (angle == 0 && words[i] ~ /^(struct|class|union|enum)$/) start = i + 1
        if (angle == 0 && words[i] == "=") return
    }
    if (!start) return
    if (words[start] ~ /^(class|struct)$/) ++start  # enum class

    # Attributes and macros, then the name with its template arguments; nothing else may stand before a body
    chain = ""
    plain = 0  # the last word ended a name
    angle = 0
    for (i = start; i <= n; ++i) {
        if (angle == 0 && (words[i] == ":" || words[i] == "final")) break
        if (words[i] == "=" || words[i] == "()" && chain !~ /^(alignas|__align__)?$/) return
        if (words[i] == "()" || words[i] == "[]") {
            chain = ""
            plain = 0
            continue
        }
        if (words[i] == "<") ++angle
        if (words[i] == ">") --angle
        if (angle == 0 && words[i] ~ /^[A-Za-z_]/ && plain) {
            if (chain ~ /[a-z]/) return  # a variable or a function of this type
            chain = ""
        }
        chain = chain words[i]
        plain = words[i] ~ /^[A-Za-z_]/ || words[i] == ">"
    }
    if (chain == "") return
    kind = "type"
    name = chain
}

function open_brace(    scope, full) {
    classify()
    if (parens > 0) kind = "block"
    scope = depth ? scopes[depth] : ""
    ++depth
    parens_before[depth] = parens
    parens = 0
    inside[depth] = depth > 1 && inside[depth - 1]  # of a function or an initializer
    scopes[depth] = scope
    if (kind == "namespace") {
        if (name == "" && is_header) fault(FILENAME ":" FNR ": an anonymous namespace in a header")
        scopes[depth] = scope (name == "" ? "(" FILENAME ")" : name) "::"
    } else if (kind == "type" && !inside[depth]) {
        full = scope name
        scopes[depth] = full "::"
        define(full)
    } else if (kind != "transparent") {
        inside[depth] = 1
    }
    head = ""
}

function define(full,    last) {
    ++types
    last = full
    sub(/<.*/, "", last)
    sub(/.*::/, "", last)
    if (!((last, FILENAME) in used)) {
        used[last, FILENAME] = 1
        ++files_of[last]
    }
    if (!(FILENAME ~ /\.cuh?$/) && taken(full, "without CUDA")) return
    if (!(FILENAME ~ /(^|\/)no_cuda\.cpp$/)) taken(full, "with CUDA")
}

# Notes the type in such a build; whether it was defined there before
function taken(full, build) {
    if (!((build, full) in file_of)) {
        file_of[build, full] = FILENAME
        line_of[build, full] = FNR
        return 0
    }
    if (file_of[build, full] == FILENAME) return 0  # the compiler sees that, or a directive chooses one
    fault(FILENAME ":" FNR ": " full " is defined in " file_of[build, full] ":" line_of[build, full] " too")
    return 1
}

function close_brace() {
    if (depth == 0) {
        fault(FILENAME ":" FNR ": a brace is closed that was not opened")
        return
    }
    parens = parens_before[depth]
    --depth
    head = ""
}

function end_file() {
    if (file != "" && (depth != 0 || in_comment || raw_end != "")) fault(file ": braces do not match, or a literal has no end")
    depth = parens = in_comment = in_directive = 0
    head = raw_end = ""
}

FNR == 1 {
    end_file()
    file = FILENAME
    is_header = FILENAME ~ /\.(h|hpp|cuh|inc)$/
}

{
    sub(/\r$/, "")
    rest = code_of($0)
    while (match(rest, /[A-Za-z_][A-Za-z_0-9]*|::|->|<=|>=|<<|[^ \t]/)) {
        word = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (word == "{") {
            open_brace()
        } else if (word == "}") {
            close_brace()
        } else if (word == "(" || word == "[") {
            if (parens++ == 0) head = head (word == "(" ? " ()" : " []")
        } else if (word == ")" || word == "]") {
            --parens
        } else if (parens == 0) {
            if (word == ";") {
                head = ""
            } else {
                head = head " " word
            }
        }
    }
}

END {
    end_file()
    for (last in files_of)
        if (reused && files_of[last] >= reused) print "reused: " last " " files_of[last]
    print types + 0 " types"
    exit faults > 0
}
