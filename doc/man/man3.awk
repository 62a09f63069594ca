# What the programs share that make manual pages of section 3 from comments in sources. They come
# after this one on the command line, with variables:
#
#     out      the folder for the pages
#     date     as it stands in them
#     source   set by them: the file at hand

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

# Paragraphs, divided by empty lines. Those with four blanks before each line are code.
function paragraphs(s,    n, parts, i, is_code, result)
{
    n = split(s, parts, /\n[ \t]*\n/)
    for (i = 1; i <= n; i++) {
        if (parts[i] !~ /[^ \t\n]/)
            continue
        is_code = ("\n" parts[i]) !~ /\n ? ? ?[^ \n]/
        sub(/\n+$/, "", parts[i])
        result = result (result == "" || is_code ? "" : ".Pp\n") \
            (is_code ? literal(parts[i]) : roff(parts[i]))
    }
    return result
}

# Code in lines of at most 78 characters; mark: put where a line goes on.
function broken(s, mark,    n, lines, i, result)
{
    n = split(s, lines, "\n")
    for (i = 1; i <= n; i++)
        result = result (i > 1 ? "\n" : "") broken_line(lines[i], mark)
    return result
}

function broken_line(s, mark,    n, parts, i, part, line, result)
{
    n = split(s, parts, /, /)
    line = parts[1]
    for (i = 2; i <= n; i++) {
        part = parts[i] (i < n ? "," : "")
        if (length(line ", " part) > 76) {
            result = result line "," (mark == "" ? "" : " " mark) "\n"
            line = "    " parts[i]
        } else
            line = line ", " parts[i]
    }
    return result line
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

# A line of a comment, without the star at its start.
function comment_line(line)
{
    sub(/^[ \t]*\*?[ \t]?/, "", line)
    return line
}

# ---- parts of a page ----

function head(file, title, nd, list,    n, parts, i, result)
{
    result = ".\\\" Made from the comments in " source ".\n.Dd " date "\n.Dt " toupper(title) \
        " 3\n.Os Scion\n.Sh NAME\n"
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

function first_name(list)
{
    sub(/ .*/, "", list)
    return list
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
    printf ".Xr sion 5 ,\n.Xr sion 7\n" > file
}

# A page that is another one.
function link_page(name, to,    file)
{
    file = out "/" name ".3"
    printf ".so man3/%s.3\n", to > file
    close(file)
}

# Whether a page of this name has been made before.
function has_page(name,    file, line, has)
{
    file = out "/" name ".3"
    has = (getline line < file) > 0
    close(file)
    return has
}
