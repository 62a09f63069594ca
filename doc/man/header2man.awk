# Manual pages of section 3 from the comments of public headers.
#
#     awk -v out=FOLDER -v date='November 21, 2026' -f header2man.awk sion_common.h ...
#
# A header gives one page about itself, and one for each of its sections ("/* ---- name ---- */")
# that has functions, named after the first; the others are links to it. What is read:
#
#     /** @file ... */             the header's description
#     /* several lines */          a paragraph for the section
#     /** ... @param @return ... */ and the declaration behind: a function or a type

function trim(s)
{
    gsub(/^[ \t]+|[ \t]+$/, "", s)
    return s
}

# Text as roff takes it: one sentence a line, no requests by accident.
function roff(s,    n, lines, i, result)
{
    gsub(/\\/, "\\e", s)
    gsub(/[ \t\n]+/, " ", s)
    s = trim(s)
    while (match(s, /`[^`]*`/))
        s = substr(s, 1, RSTART - 1) "\\fB" substr(s, RSTART + 1, RLENGTH - 2) "\\fR" \
            substr(s, RSTART + RLENGTH)
    while (match(s, /[a-z_0-9]+\(\)/))
        s = substr(s, 1, RSTART - 1) "\\fB" substr(s, RSTART, RLENGTH - 2) "\\fR(\\&)" \
            substr(s, RSTART + RLENGTH)
    while (match(s, /(^|[ (,])-[0-9]/))
        s = substr(s, 1, RSTART + RLENGTH - 3) "\\-" substr(s, RSTART + RLENGTH - 1)
    while (match(s, /[A-Za-z0-9)"*][.!?]\)? [A-Z0-9_("\\]/))
        s = substr(s, 1, RSTART + RLENGTH - 3) "\n" substr(s, RSTART + RLENGTH - 1)
    n = split(s, lines, "\n")
    for (i = 1; i <= n; i++)
        result = result wrapped(lines[i])
    return result
}

# Lines of at most 78 characters; none begins like a request.
function wrapped(s,    n, words, i, line, result)
{
    n = split(s, words, " ")
    for (i = 1; i <= n; i++) {
        if (line == "")
            line = (words[i] ~ /^[.']/ ? "\\&" : "") words[i]
        else if (length(line) + 1 + length(words[i]) <= 78)
            line = line " " words[i]
        else {
            result = result line "\n"
            line = (words[i] ~ /^[.']/ ? "\\&" : "") words[i]
        }
    }
    return result line "\n"
}

# An argument of a macro.
function quoted(s)
{
    gsub(/\\/, "\\e", s)
    gsub(/"/, "\"\"", s)
    return "\"" s "\""
}

# Paragraphs, divided by empty lines.
function paragraphs(s,    n, parts, i, result)
{
    n = split(s, parts, /\n[ \t]*\n/)
    for (i = 1; i <= n; i++) {
        if (parts[i] !~ /[^ \t\n]/)
            continue
        result = result (result == "" ? "" : ".Pp\n") roff(parts[i])
    }
    return result
}

# Text in the code of a declaration, for a display.
function literal(s,    n, lines, i, result)
{
    gsub(/\\/, "\\e", s)
    n = split(s, lines, "\n")
    for (i = 1; i <= n; i++)
        result = result (lines[i] ~ /^[.']/ ? "\\&" : "") lines[i] "\n"
    return ".Bd -literal\n" result ".Ed\n"
}

# ---- one comment and its declaration ----

# Divide a comment: what stands before the first tag, and the tags.
function read_tags(comment,    n, lines, i, line, tag)
{
    doc_text = ""
    doc_tags = 0
    n = split(comment, lines, "\n")
    for (i = 1; i <= n; i++) {
        line = trim(lines[i])
        if (match(line, /^@[a-z]+ */)) {
            tag = substr(line, 2, RLENGTH - 1)
            doc_kind[++doc_tags] = trim(tag)
            doc_body[doc_tags] = substr(line, RLENGTH + 1)
        } else if (doc_tags > 0)
            doc_body[doc_tags] = doc_body[doc_tags] "\n" line
        else
            doc_text = doc_text line "\n"
    }
}

function tag_lines(    i, result, name, list)
{
    for (i = 1; i <= doc_tags; i++) {
        if (doc_kind[i] == "param") {
            name = doc_body[i]
            sub(/[ \t\n].*/, "", name)
            list = list ".It Fa " name "\n" roff(substr(doc_body[i], length(name) + 1))
        }
    }
    if (list != "")
        result = ".Bl -tag -width Ds\n" list ".El\n"
    for (i = 1; i <= doc_tags; i++) {
        if (doc_kind[i] == "return")
            result = result ".Pp\n" roff("Returns " doc_body[i])
        else if (doc_kind[i] == "threads")
            result = result ".Pp\n" roff("Threads: " doc_body[i])
        else if (doc_kind[i] == "see")
            result = result ".Pp\n" reference(doc_body[i])
    }
    return result
}

function reference(s)
{
    gsub(/^[ \t\n]+|[ \t\n]+$/, "", s)
    if (sub(/^doc\/format\.md,? */, "", s))
        return "See\n.Xr sion 5" (s == "" ? " .\n" : " ,\n" roff(s "."))
    return roff("See " s)
}

# "a, int cb(int, int), b": the arguments, one a line.
function arguments(s,    i, c, depth, result)
{
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        depth += (c == "(") - (c == ")")
        result = result (c == "," && depth == 0 ? "\n" : c)
    }
    return result
}

function synopsis(declaration, name,    type, list, n, parts, i, result)
{
    type = trim(substr(declaration, 1, index(declaration, name "(") - 1))
    list = substr(declaration, index(declaration, name "(") + length(name) + 1)
    sub(/\)[ \t]*;[ \t]*$/, "", list)
    result = ".Ft " quoted(type) "\n.Fo " name "\n"
    n = split(arguments(list), parts, "\n")
    for (i = 1; i <= n; i++)
        result = result ".Fa " quoted(trim(parts[i])) "\n"
    return result ".Fc\n"
}

function add_function(comment, declaration,    name)
{
    gsub(/[ \t\n]+/, " ", declaration)
    match(declaration, /[A-Za-z_0-9]+\(/)
    name = substr(declaration, RSTART, RLENGTH - 1)
    names[section] = names[section] (names[section] == "" ? "" : " ") name
    synopses[section] = synopses[section] synopsis(declaration, name)
    read_tags(comment)
    bodies[section] = bodies[section] ".Ss " name "\n" \
        (comment == "" ? "As\n.Fn " before " .\n" : paragraphs(doc_text) tag_lines())
    before = name
}

function add_type(comment, declaration,    where)
{
    read_tags(comment)
    types[section] = types[section] (types[section] == "" ? "" : ".Pp\n") paragraphs(doc_text) \
        literal(declaration) tag_lines()
}

function add(comment, declaration,    flat)
{
    flat = declaration
    gsub(/[ \t\n]+/, " ", flat)
    if (flat ~ /^ *(typedef|struct|enum|union|#)/)
        add_type(comment, declaration)
    else if (flat ~ /\(/)
        add_function(comment, declaration)
}

# ---- reading a header ----

function start_header(path)
{
    header = path
    sub(/.*\//, "", header)
    about = ""
    section = 1
    sections = 1
    split("", names)
    split("", synopses)
    split("", bodies)
    split("", types)
    split("", intros)
    split("", titles)
    state = "code"
    pending = ""
}

function end_comment(text, documents)
{
    if (documents && text ~ /@file/) {
        sub(/@file[^\n]*\n/, "", text)
        about = text
    } else if (documents)
        pending = text
    else if (text ~ /^[ \t]*----.*----[ \t\n]*$/) {
        gsub(/----/, "", text)
        section = ++sections
        titles[section] = trim(text)
    } else if (text ~ /\n.*\n/ && about != "")
        intros[section] = intros[section] "\n\n" text
}

# A line of a comment, without the star at its start.
function comment_line(line)
{
    sub(/^[ \t]*\*?[ \t]?/, "", line)
    return line
}

# A function that has no comment shares that of the one before it.
function is_function(line)
{
    return names[section] != "" && line ~ /^[A-Za-z_].*[A-Za-z_0-9]\(/ && line !~ /^(typedef|extern)/
}

function read_code(line)
{
    if (line ~ /^[ \t]*\/\*/) {
        documented = line ~ /^[ \t]*\/\*\*/
        sub(/^[ \t]*\/\*\*?[ \t]?/, "", line)
        if (sub(/[ \t]*\*\/.*/, "", line))
            end_comment(line, documented)
        else {
            comment = line "\n"
            state = "comment"
        }
    } else if (line ~ /[^ \t]/ && line !~ /^#/ && (pending != "" || is_function(line))) {
        declaration = ""
        depth = 0
        state = "declaration"
        read_declaration(line)
    }
}

function read_comment(line,    last)
{
    last = sub(/[ \t]*\*\/.*/, "", line)
    comment = comment comment_line(line) "\n"
    if (last) {
        state = "code"
        end_comment(comment, documented)
    }
}

function read_declaration(line,    bare)
{
    declaration = declaration (declaration == "" ? "" : "\n") line
    bare = line
    gsub(/\/\*.*\*\//, "", bare)
    depth += gsub(/\{/, "{", bare) - gsub(/\}/, "}", bare)
    if (depth == 0 && bare ~ /;[ \t]*$/) {
        add(pending, declaration)
        pending = ""
        state = "code"
    }
}

# ---- writing its pages ----

function head(file, title, nd, list,    n, parts, i, result)
{
    result = ".\\\" Made from the comments in " header ".\n.Dd " date "\n.Dt " toupper(title) \
        " 3\n.Os\n.Sh NAME\n"
    n = split(list, parts, " ")
    for (i = 1; i <= n; i++)
        result = result ".Nm " parts[i] (i < n ? " ,\n" : "\n")
    printf "%s.Nd %s\n", result, nd > file
}

# Lower case, no full stop at the end; the first sentence.
function brief(s)
{
    gsub(/[ \t\n]+/, " ", s)
    s = trim(s)
    if (match(s, /\. /))
        s = substr(s, 1, RSTART - 1)
    sub(/\.$/, "", s)
    return tolower(substr(s, 1, 1)) substr(s, 2)
}

function see_also(file, list,    n, parts, i, j, swap)
{
    n = split(list, parts, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && parts[j] < parts[j - 1]; j--) {
            swap = parts[j]
            parts[j] = parts[j - 1]
            parts[j - 1] = swap
        }
    printf ".Sh SEE ALSO\n" > file
    for (i = 1; i <= n; i++)
        printf ".Xr %s 3 ,\n", parts[i] > file
    printf ".Xr sion 5\n" > file
}

function first_name(list)
{
    sub(/ .*/, "", list)
    return list
}

function write_section(i,    file, text, name, n, parts, j, link, others)
{
    name = first_name(names[i])
    file = out "/" name ".3"
    head(file, name, titles[i] == "" ? brief(about) : "SION containers: " titles[i], names[i])
    printf ".Sh SYNOPSIS\n.In %s\n%s.Sh DESCRIPTION\n", header, synopses[i] > file
    text = paragraphs(intros[i])
    printf "%s%s%s", text, text != "" && types[i] != "" ? ".Pp\n" : "", types[i] > file
    printf "%s", bodies[i] > file
    for (j = 1; j <= sections; j++)
        if (j != i && names[j] != "")
            others = others " " first_name(names[j])
    see_also(file, header others)
    close(file)
    n = split(names[i], parts, " ")
    for (j = 2; j <= n; j++) {
        link = out "/" parts[j] ".3"
        printf ".so man3/%s.3\n", name > link
        close(link)
    }
}

function write_header(    file, i, list, n, parts, j, pages)
{
    file = out "/" header ".3"
    head(file, header, brief(about), header)
    printf ".Sh SYNOPSIS\n.In %s\n.Sh DESCRIPTION\n%s", header, paragraphs(about) > file
    for (i = 1; i <= sections; i++)
        if (names[i] == "" && types[i] != "")
            printf ".Pp\n%s", types[i] > file
    for (i = 1; i <= sections; i++) {
        if (names[i] == "")
            continue
        pages = pages " " first_name(names[i])
        printf ".Ss %s\n", titles[i] == "" ? "Functions" : toupper(substr(titles[i], 1, 1)) \
            substr(titles[i], 2) > file
        n = split(names[i], parts, " ")
        for (j = 1; j <= n; j++)
            printf ".Fn %s%s\n", parts[j], j < n ? " ," : "" > file
    }
    see_also(file, pages)
    close(file)
}

function end_header(    i, any)
{
    for (i = 1; i <= sections; i++) {
        if (names[i] == "")
            continue
        any = 1
        write_section(i)
    }
    if (any)
        write_header()
}

FNR == 1 {
    if (header != "")
        end_header()
    start_header(FILENAME)
}
state == "code" { read_code($0); next }
state == "comment" { read_comment($0); next }
state == "declaration" { read_declaration($0) }
END { end_header() }
