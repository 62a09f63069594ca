# Manual pages of section 3 from the modules of the Fortran interface.
#
#     awk -v out=FOLDER -v date='November 21, 2026' -f man3.awk -f fortran2man.awk sion_f90.f90 ...
#
# A module gives one page; its routines, which begin with fsion_, are links to it, unless a page of
# their name is there: that of a module read before. What is read:
#
#     !> ... !! ...            before the module, or a routine: its description
#     parameter                constants
#     type :: NAME             types of data, with the comments in them, up to what is private
#     subroutine, function     with the declarations of their arguments
#     interface NAME           a generic name, which has the arguments of its procedure
#     procedure(FORM) :: ...   routines that have the arguments of an abstract interface
#
# Pages of the C functions are referred to if they are in the folder already.

# ---- statements ----

# A statement of several lines becomes one.
function read_line(line)
{
    line = trim(line)
    if (line ~ /^!>/) {
        sub(/^!> ?/, "", line)
        pending = line
    } else if (line ~ /^!!/) {
        sub(/^!! ?/, "", line)
        pending = pending "\n" line
    } else if (line == "")
        pending = ""
    else if (line !~ /^!/) {
        as_written = line
        sub(/ +! .*/, "", line)
        begun = begun line
        if (!sub(/&$/, "", begun)) {
            statement(begun)
            begun = ""
        }
    }
}

function statement(s)
{
    if (routine != "")
        in_routine(s)
    else if (in_type)
        add_component(s)
    else if (s ~ /^type :: /) {
        types = types (types == "" ? "" : "\n") as_written
        in_type = 1
    } else if (s ~ /^(subroutine|function) /)
        start_routine(s)
    else if (s ~ /^module [a-z0-9_]+$/) {
        module = substr(s, 8)
        about = pending
    } else if (s ~ /, parameter ::/)
        constants = constants (constants == "" ? "" : "\n") s
    else if (s ~ /^interface [a-z]/) {
        generic = substr(s, 11)
        if (generic ~ /^fsion_/)
            add_routine(generic)
    }
    else if (s ~ /^module procedure /)
        stands_for[generic] = substr(s, 18)
    else if (s ~ /^abstract interface/)
        abstract = 1
    else if (s ~ /^end interface/)
        abstract = 0
    else if (s ~ /^procedure\(/)
        add_typed(s)
}

function add_component(s)
{
    if (s == "private")
        in_type = 2
    else if (s ~ /^end type/) {
        types = types "\n" s
        in_type = 0
    } else if (in_type == 1)
        types = types "\n  " as_written
}

function add_routine(name)
{
    routines[++nroutines] = name
    names = names " " name
}

# procedure(FORM), bind(C) :: NAME, NAME, ...
function add_typed(s)
{
    match(s, /\([a-z_]+\)/)
    form_of[++ntyped] = substr(s, RSTART + 1, RLENGTH - 2)
    sub(/.*:: */, "", s)
    gsub(/, */, " ", s)
    typed[ntyped] = s
    names = names " " s
}

# ---- a routine ----

function start_routine(s)
{
    sub(/ *bind\(.*/, "", s)
    match(s, /[a-z0-9_]+\(/)
    routine = substr(s, RSTART, RLENGTH - 1)
    kind = s ~ /^function/ ? "function" : "subroutine"
    sub(/^(subroutine|function) +/, "", s)
    arguments = substr(s, length(routine) + 1)
    gsub(/[() ]/, ",", arguments)
    headings[routine] = kind " " routine
    lists[routine] = substr(s, length(routine) + 1)
    texts[routine] = pending
    if (!abstract && routine ~ /^fsion_/)
        add_routine(routine)
}

# Of all that stands in it only the declarations of its arguments and of its result.
function in_routine(s,    first)
{
    if (s ~ /^(end )?interface/)
        nested = s ~ /^interface/
    else if (nested)
        return
    else if (s ~ /^end (subroutine|function)/)
        routine = ""
    else if (s ~ /::/) {
        first = s
        sub(/.*:: */, "", first)
        sub(/[^a-z0-9_].*/, "", first)
        if (index(arguments ",", "," first ",") || first == routine)
            declarations[routine] = declarations[routine] "\n  " s
    }
}

# ---- the page ----

function display(name, of,    result)
{
    result = headings[of] lists[of] declarations[of]
    if (name != of)
        sub(of, name, result)
    return literal(broken(result, "&"))
}

# The C function behind a routine; empty if it is not documented here.
function in_c(name)
{
    sub(/^f/, "", name)
    if (!has_page(name))
        sub(/_mpi$/, "", name)
    if (!has_page(name))
        sub(/^sion_/, "sion_f", name)
    return has_page(name) ? "See\n.Xr " name " 3 .\n" : ""
}

function describe(name, of,    text, see)
{
    text = paragraphs(texts[of])
    see = in_c(name)
    return ".Ss " name "\n" text (text != "" && see != "" ? ".Pp\n" : "") see display(name, of)
}

function list_typed(i,    n, parts, j, result)
{
    n = split(typed[i], parts, " ")
    result = ".Pp\n"
    for (j = 1; j <= n; j++)
        result = result ".Nm " parts[j] (j < n ? " ,\n" : "\n")
    return result display(parts[1], form_of[i])
}

function write_page(    file, i, own, n, parts)
{
    n = split(names, parts, " ")
    for (i = 1; i <= n; i++) {
        if (has_page(parts[i]))
            continue
        own = own " " parts[i]
        link_page(parts[i], module)
    }
    file = out "/" module ".3"
    head(file, module, brief(about), module own)
    printf ".Sh SYNOPSIS\n%s.Sh DESCRIPTION\n%s", literal("use " module), paragraphs(about) > file
    if (constants != "")
        printf ".Ss Constants\n%s", literal(constants) > file
    if (types != "")
        printf ".Ss Types\n%s", literal(types) > file
    for (i = 1; i <= nroutines; i++)
        printf "%s", describe(routines[i], routines[i] in stands_for ? stands_for[routines[i]] \
            : routines[i]) > file
    if (ntyped > 0)
        printf ".Ss Routines for one type of data\nThese take the first item.\n" > file
    for (i = 1; i <= ntyped; i++)
        printf "%s", list_typed(i) > file
    see_also(file, "sion_f77" others())
    close(file)
}

# The modules of this run, but for the present one.
function others(    i, name, result)
{
    for (i = 1; i < ARGC; i++) {
        name = ARGV[i]
        gsub(/.*\/|\.f90$/, "", name)
        if (ARGV[i] ~ /\.f90$/ && name != module)
            result = result " " name
    }
    return result
}

function start_module(path)
{
    source = path
    sub(/.*\//, "", source)
    module = about = constants = types = names = generic = routine = begun = pending = ""
    nroutines = ntyped = abstract = nested = in_type = 0
    split("", routines)
    split("", stands_for)
    split("", declarations)
}

FNR == 1 {
    if (module != "")
        write_page()
    start_module(FILENAME)
}
{ read_line($0) }
END { write_page() }
