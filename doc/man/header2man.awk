# Manual pages of section 3 from the comments of public headers.
#
#     awk -v out=FOLDER -v date='November 21, 2026' -f man3.awk -f header2man.awk sion_common.h ...
#
# A header gives one page about itself, and one for each function that has a comment; functions
# after it that have none share the page. The header's page has what concerns a section of functions
# ("/* ---- name ---- */"). What is read:
#
#     /** @file ... */             the header's description; a @param in it is one of all functions
#                                  that have a parameter of this name and do not say otherwise
#     /* several lines */          a paragraph for the section; or, if its first line is a title
#                                  and an empty line follows, a subsection of its own
#     /** ... @param @return ... */ and the declaration after it: a function or a type; several
#                                  parameters may share a @param: "@param a,b what they are"

# The macro of names is char in C, which the pages are about.
{ gsub(/SION_NAME/, "char") }

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
            doc_text = doc_text lines[i] "\n"
    }
}

# The names in what a @param says: "a" or "a,b".
function tag_names(body)
{
    sub(/[ \t\n].*/, "", body)
    return body
}

function item(body,    names)
{
    names = tag_names(body)
    body = roff(substr(body, length(names) + 1))
    gsub(/,/, " , ", names)
    return ".It Fa " names "\n" body
}

# The longest name of the items, at most eleven characters.
function widest(list,    n, lines, i, name, result)
{
    n = split(list, lines, "\n")
    for (i = 1; i <= n; i++) {
        name = lines[i]
        if (sub(/^\.It Fa /, "", name) && length(name) > length(result) && length(name) <= 11)
            result = name
    }
    gsub(/ /, "", result)
    return result == "" ? "Ds" : result
}

# list: items that come first.
function tag_lines(list,    i, result)
{
    for (i = 1; i <= doc_tags; i++) {
        if (doc_kind[i] == "param")
            list = list item(doc_body[i])
    }
    if (list != "")
        result = ".Pp\n.Bl -tag -compact -width " widest(list) "\n" list ".El\n"
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

function split_arguments(declaration, name, parts,    list)
{
    list = substr(declaration, index(declaration, name "(") + length(name) + 1)
    sub(/\)[ \t]*;[ \t]*$/, "", list)
    return split(arguments(list), parts, "\n")
}

# What the file's comment says of parameters, and the function's own does not.
function inherited(declaration, name,    own, n, parts, i, result)
{
    own = ","
    for (i = 1; i <= doc_tags; i++) {
        if (doc_kind[i] == "param")
            own = own tag_names(doc_body[i]) ","
    }
    n = split_arguments(declaration, name, parts)
    for (i = 1; i <= n; i++) {
        sub(/.*[ *]/, "", parts[i])
        if ((parts[i] in common) && !index(own, "," parts[i] ","))
            result = result item(common[parts[i]])
    }
    return result
}

function synopsis(declaration, name,    type, n, parts, i, result)
{
    type = trim(substr(declaration, 1, index(declaration, name "(") - 1))
    result = ".Ft " quoted(type) "\n.Fo " name "\n"
    n = split_arguments(declaration, name, parts)
    for (i = 1; i <= n; i++)
        result = result ".Fa " quoted(trim(parts[i])) "\n"
    return result ".Fc\n"
}

# The text without its first paragraph if that is one sentence, which the line of the name has.
function without_brief(text,    at)
{
    at = match(text, /\n[ \t]*\n/)
    if (at == 0 || substr(text, 1, at) ~ /\.[ \n]+[A-Z]/ || substr(text, at) !~ /[^ \t\n]/)
        return text
    return substr(text, at)
}

function add_function(comment, declaration,    name)
{
    gsub(/[ \t\n]+/, " ", declaration)
    match(declaration, /[A-Za-z_0-9]+\(/)
    name = substr(declaration, RSTART, RLENGTH - 1)
    names[section] = names[section] (names[section] == "" ? "" : " ") name
    if (comment == "") {
        members[pages] = members[pages] " " name
        synopses[pages] = synopses[pages] synopsis(declaration, name)
        return
    }
    read_tags(comment)
    members[++pages] = name
    homes[pages] = section
    briefs[pages] = brief(doc_text)
    synopses[pages] = synopsis(declaration, name)
    bodies[pages] = paragraphs(without_brief(doc_text)) tag_lines(inherited(declaration, name))
}

# A type that has members or parameters is on the pages of the functions, too, that use its name.
function add_type(comment, declaration,    text, name)
{
    read_tags(comment)
    text = paragraphs(doc_text) literal(declaration) tag_lines("")
    types[section] = types[section] (types[section] == "" ? "" : ".Pp\n") text
    if (declaration !~ /[{(]/ || declaration ~ /^[ \t]*#/)
        return
    name = declaration
    if (match(name, /\(\*?[a-z_0-9]+\)\(/))
        name = substr(name, RSTART + 1, RLENGTH - 3)
    else if (match(name, /[a-z_0-9]+;[ \t\n]*$/))
        name = substr(name, RSTART, RLENGTH)
    else if (match(name, /(struct|union|enum)[ \t]+[a-z_0-9]+/))
        name = substr(name, RSTART, RLENGTH)
    sub(/.*[ \t*]/, "", name)
    gsub(/[^a-z_0-9]/, "", name)
    type_names[++ntypes] = name
    type_texts[ntypes] = text
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
    source = path
    sub(/.*\//, "", source)
    about = ""
    about_tags = ""
    split("", common)
    section = 1
    sections = 1
    pages = ntypes = 0
    split("", names)
    split("", types)
    split("", extras)
    split("", intros)
    split("", titles)
    state = "code"
    pending = ""
}

function read_about(text,    i)
{
    sub(/@file[^\n]*\n/, "", text)
    read_tags(text)
    about = doc_text
    about_tags = tag_lines("")
    for (i = 1; i <= doc_tags; i++) {
        if (doc_kind[i] == "param")
            common[tag_names(doc_body[i])] = doc_body[i]
    }
}

function end_comment(text, documents)
{
    if (documents && text ~ /@file/)
        read_about(text)
    else if (documents)
        pending = text
    else if (text ~ /^[ \t]*----.*----[ \t\n]*$/) {
        gsub(/----/, "", text)
        section = ++sections
        titles[section] = trim(text)
    } else if (names[section] != "" && text ~ /^[ \t\n]*[A-Z][^\n.]*\n[ \t]*\n/)
        extras[section] = extras[section] subsection(text)
    else if (text ~ /\n.*\n/ && about != "")
        intros[section] = intros[section] "\n\n" text
}

# Its first line is the title.
function subsection(text,    title)
{
    sub(/^[ \t\n]+/, "", text)
    title = substr(text, 1, index(text, "\n") - 1)
    return ".Ss " title "\n" paragraphs(substr(text, length(title) + 2))
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

function types_of(page,    i, result)
{
    for (i = 1; i <= ntypes; i++)
        if (synopses[page] ~ ("[ \"]" type_names[i] "[ *\"]"))
            result = result ".Ss " type_names[i] "\n" type_texts[i]
    return result
}

function write_function(page,    file, name, n, parts, i, others)
{
    name = first_name(members[page])
    file = out "/" name ".3"
    head(file, name, briefs[page], members[page])
    printf ".Sh SYNOPSIS\n.In %s\n%s.Sh DESCRIPTION\n%s%s", source, synopses[page], bodies[page],
        types_of(page) > file
    others = source
    for (i = page - 3; i <= page + 3; i++)
        if (i != page && homes[i] == homes[page] && i >= 1 && i <= pages)
            others = others " " first_name(members[i])
    see_also(file, others)
    close(file)
    n = split(members[page], parts, " ")
    for (i = 2; i <= n; i++)
        link_page(parts[i], name)
}

function write_header(    file, i, n, parts, j, listed)
{
    file = out "/" source ".3"
    head(file, source, brief(about), source)
    printf ".Sh SYNOPSIS\n.In %s\n.Sh DESCRIPTION\n%s%s", source, paragraphs(about), about_tags > file
    for (i = 1; i <= sections; i++)
        if (names[i] == "" && types[i] != "")
            printf ".Pp\n%s", types[i] > file
    for (i = 1; i <= sections; i++) {
        if (names[i] == "")
            continue
        listed = listed " " names[i]
        printf ".Ss %s\n%s%s", titles[i] == "" ? "Functions" : toupper(substr(titles[i], 1, 1)) \
            substr(titles[i], 2), paragraphs(intros[i]), intros[i] == "" ? "" : ".Pp\n" > file
        n = split(names[i], parts, " ")
        for (j = 1; j <= n; j++)
            printf ".Fn %s%s\n", parts[j], j < n ? " ," : "" > file
        printf "%s%s%s", types[i] == "" ? "" : ".Pp\n", types[i], extras[i] > file
    }
    see_also(file, " " first_name(listed) listed)
    close(file)
}

function end_header(    i)
{
    for (i = 1; i <= pages; i++)
        write_function(i)
    if (pages > 0)
        write_header()
}

FNR == 1 {
    if (source != "")
        end_header()
    start_header(FILENAME)
}
state == "code" { read_code($0); next }
state == "comment" { read_comment($0); next }
state == "declaration" { read_declaration($0) }
END { end_header() }
