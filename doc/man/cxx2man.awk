# Manual pages of section 3 from the headers of the C++ interface.
#
#     awk -v out=FOLDER -v date='November 21, 2026' -f man3.awk -f cxx2man.awk sion_cxx_base.hpp ...
#
# A header with a class gives one page, named as the class with its namespace; the class's other
# name is a link to it. What is read:
#
#     /** @file ... */       the header's description
#     #include "sion_..."     a page to refer to
#     /** ... */             before a class, a public member or an operator: what it is. Members that
#                            follow without an empty line share it.

function start_comment(line)
{
    sub(/^[ \t]*\/\*\*?[ \t]?/, "", line)
    comment = ""
    in_comment = 1
    read_comment(line)
}

function read_comment(line,    last)
{
    last = sub(/[ \t]*\*\/.*/, "", line)
    comment = comment comment_line(line) "\n"
    if (!last)
        return
    in_comment = 0
    if (sub(/@file[^\n]*\n/, "", comment))
        about = comment
    else
        pending = comment
}

# A declaration, without its body; of members one a call, of functions besides the class likewise.
function declare(s)
{
    gsub(/[ \t\n]+/, " ", s)
    s = trim(s)
    sub(/^template <class T> /, "template <class T>\n", s)
    sub(/ ?\{.*/, ";", s)
    if (pending != "" || apart || groups == 0)
        comments[++groups] = pending
    members[groups] = members[groups] (members[groups] == "" ? "" : "\n") broken(s, "")
    pending = ""
    apart = 0
}

function begin_class(line)
{
    around = space
    class = line
    sub(/^class /, "", class)
    base = class ~ /: public / ? class : ""
    sub(/.*: public /, "", base)
    sub(/ .*/, "", class)
    about_class = pending
    pending = ""
    public = 0
}

# Lines until one ends the declaration: with its semicolon, or where its body begins.
function collect(line)
{
    declaration = declaration " " line
    if (line ~ /;$/ || line ~ /\{/) {
        skipping = line ~ /\{/ && line !~ /\}/
        declare(declaration)
        declaration = ""
    }
}

function read_code(line)
{
    if (line ~ /^[ \t]*\/\*/)
        start_comment(line)
    else if (line ~ /^#include "sion_.*\.h"/)
        includes = includes " " substr(line, 11, length(line) - 11)
    else if (line ~ /^namespace /)
        space = space substr(line, 11) "::"
    else if (line ~ /^\} \/\/ namespace /)
        sub(/[a-z]+::$/, "", space)
    else if (line ~ /^class .*[^;]$/)
        begin_class(line)
    else if (line ~ /^  (public|protected|private):/)
        public = line ~ /public/
    else if (line ~ /^\};/) {
        public = 0
        closed = class
    } else if (line ~ /^typedef .* LSIONFile;/)
        other_name = 1
    else if (skipping)
        skipping = line !~ /^ *\}/
    else if (line ~ /^[ \t]*$/) {
        apart = 1
        pending = ""
    }
    else if (declaration != "" || (public && line ~ /^    [^ ]/) || (closed && pending != "") ||
        line ~ /operator(<<|>>)\(/)
        collect(line)
}

# ---- the page ----

# With its namespace, which is one of those that this class is in.
function qualified(name,    outer)
{
    outer = around
    while (outer != "" && !has_page(outer name))
        sub(/[a-z]+::$/, "", outer)
    return outer name
}

function write_page(    file, name, parent, headers, i)
{
    name = around class
    parent = base == "" ? "" : qualified(base)
    file = out "/" name ".3"
    head(file, name, brief(about), name (other_name ? " " around "LSIONFile" : ""))
    printf ".Sh SYNOPSIS\n.In %s\n%s.Sh DESCRIPTION\n%s", source, \
        literal("class " name (base == "" ? "" : " : public " parent)), paragraphs(about) > file
    if (base ~ /^std::/)
        parent = "" # has no page
    if (about_class != "")
        printf ".Pp\n%s", paragraphs(about_class) > file
    if (parent != "")
        printf ".Pp\nThe class has the members of\n.Xr %s 3 ,\nand these:\n", parent > file
    else
        printf ".Pp\nIts members:\n" > file
    for (i = 1; i <= groups; i++)
        printf "%s%s", literal(members[i]), indented(comments[i]) > file
    for (i = split(includes, headers, " "); i > 0; i--)
        parent = parent (has_page(headers[i]) ? " " headers[i] : "")
    see_also(file, parent)
    close(file)
    if (other_name)
        link_page(around "LSIONFile", name)
}

function indented(text)
{
    return text == "" ? "" : ".Bd -ragged -offset indent -compact\n" paragraphs(text) ".Ed\n"
}

function start_header(path)
{
    source = path
    sub(/.*\//, "", source)
    includes = about = about_class = pending = class = closed = base = space = declaration = ""
    groups = other_name = public = in_comment = skipping = apart = 0
    split("", members)
    split("", comments)
}

FNR == 1 {
    if (class != "")
        write_page()
    start_header(FILENAME)
}
in_comment { read_comment($0); next }
{ read_code($0) }
END { write_page() }
