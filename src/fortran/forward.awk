# Expands a module most of whose routines only call another one, or are those of C.
#
#     awk -f forward.awk FILE FILE >MODULE      (the file is read twice)
#
#     != TYPE :: NAMES                the types of arguments by their names
#     bind fsion_X(ARGUMENTS)         the interface of the C routine fsion_X_c_
#     bind TYPE :: fsion_X(...)       the same of a function
#     calls TYPE :: X(...) to Y       in a routine: the interface of the C function Y, which it calls X;
#                                     without TYPE of one that returns nothing
#     each fsion_X(ARGUMENTS)         the C routines fsion_X_integer and so on, one for each type of
#                                     data, which they are passed by their first item
#     pass fsion_X(ARGUMENTS)         a routine that calls fsion_X_c_, with the addresses of data of
#                                     any rank, and with the lengths of texts at the end
#     pass X(ARGUMENTS) to fsion_Y    the same routine for fsion_Y_c_
#     forward fsion_X(ARGUMENTS)      a routine that calls f90_X, and has the argument ierror, too
#     forward ... if CONDITION        f90_X has no ierror; the call has succeeded if the condition holds
#         TYPE :: NAMES               after these: arguments of other types
#
# Of communicators, f90_X gets the number. A line "FORWARDED" becomes the list of all f90_X that are
# called; "FORWARDED_FROM" the list of "f90_X => fsion_X".

BEGIN { ntypes = split("integer integer8 real double_precision complex logical character", types, " ") }

function trim(s) { gsub(/^ +| +$/, "", s); return s }

function note_types(line, types,    parts, names, n, i)
{
    split(line, parts, / *:: */)
    n = split(parts[2], names, / *, */)
    for (i = 1; i <= n; i++)
        types[trim(names[i])] = trim(parts[1])
}

# form: "" as a Fortran routine declares it, "first" the first item, "C" as C gets it.
function type_for(name, form,    type)
{
    type = name in own ? own[name] : type_of[name]
    if (form == "C" && type ~ /contiguous/)
        return "type(c_ptr), value"
    if (form == "C" && sub(/character\(len=\*\)/, "character(kind=c_char)", type))
        return type " *"
    if (form == "C" && type ~ /^integer($|,)/)
        return "integer(c_int)" substr(type, 8)
    if (form == "first")
        sub(/target, contiguous, /, "", type)
    return type
}

# The arguments that have a type are in one statement.
function declare(indent, form, n, names,    i, k, type, list, seen)
{
    for (i = 1; i <= n; i++) {
        type = type_for(names[i], form)
        if (type in seen)
            continue
        seen[type] = 1
        list = ""
        for (k = i; k <= n; k++)
            if (type_for(names[k], form) == type)
                list = list (list == "" ? "" : ", ") names[k] bounds(type)
        sub(/ \*$/, "", type)
        call_text(indent type " :: " list)
    }
}

# What is after the names of arrays.
function bounds(type)
{
    return type ~ / \*$/ ? "(*)" : type ~ /contiguous/ ? "(..)" : ""
}

function call_text(line)
{
    while (length(line) > 90) {
        match(substr(line, 1, 90), /.*, /)
        print substr(line, 1, RLENGTH - 1) " &"
        line = "      " substr(line, RLENGTH + 1)
    }
    print line
}

function finish(    n, names)
{
    n = split(arguments, names, / *, */)
    if (keyword == "bind")
        bind("    ", routine "_c_", n, names)
    else if (keyword == "calls") {
        print "    interface"
        bind("      ", c_routine, n, names)
        print "    end interface"
    }
    else if (keyword == "each")
        each(n, names)
    else if (keyword == "pass")
        pass(n, names)
    else
        forward(n, names)
    print ""
    routine = ""
    split("", own)
}

function bind(indent, symbol, n, names,    what)
{
    what = result == "" ? "subroutine" : "function"
    call_text(indent what " " routine "(" arguments ") bind(C, name=\"" symbol "\")")
    print indent "  import"
    declare(indent "  ", "", n, names)
    if (result != "")
        print indent "  " result " :: " routine
    print indent "end " what " " routine
}

function each(n, names,    i, list)
{
    print "  abstract interface"
    call_text("    subroutine " routine "_form(" arguments ") bind(C)")
    print "      import"
    declare("      ", "first", n, names)
    print "    end subroutine " routine "_form\n  end interface"
    for (i = 1; i <= ntypes; i++)
        list = list (i > 1 ? ", " : "") routine "_" types[i]
    call_text("  procedure(" routine "_form), bind(C) :: " list)
}

function pass(n, names,    i, name, passed, lengths)
{
    for (i = 1; i <= n; i++) {
        name = names[i]
        passed = passed (i > 1 ? ", " : "") (type_for(name) ~ /contiguous/ ? "c_loc(" name ")" : name)
        if (type_for(name) ~ /^character/)
            lengths = lengths ", " name "_length"
    }
    call_text("  subroutine " routine "(" arguments ")")
    declare("    ", "", n, names)
    print "\n    interface"
    call_text("      subroutine in_c(" arguments lengths ") bind(C, name=\"" c_routine "_c_\")")
    print "        import"
    declare("        ", "C", n, names)
    if (lengths != "")
        print "        integer(c_size_t), value :: " substr(lengths, 3)
    print "      end subroutine in_c\n    end interface\n"
    gsub(/[a-z_]+_length/, "len(&, c_size_t)", lengths)
    gsub(/_length/, "", lengths)
    call_text("    call in_c(" passed lengths ")")
    print "  end subroutine " routine
}

function forward(n, names,    passed)
{
    names[++n] = "ierror"
    call_text("  subroutine " routine "(" arguments ", ierror)")
    declare("    ", "", n, names)
    print ""
    passed = arguments (condition == "" ? ", ierror" : "")
    gsub(/[gl]comm/, "&%MPI_VAL", passed)
    call_text("    call f90_" substr(routine, 7) "(" passed ")")
    if (condition != "")
        print "    if (present(ierror)) ierror = merge(sion_success, -1, " condition ")"
    print "  end subroutine " routine
}

/^ *!= / { sub(/^ *!= */, ""); note_types($0, type_of); next }
NR == FNR && /call f90_/ { sub(/.*call f90_/, ""); sub(/\(.*/, ""); called[++ncalled] = $0; next }
/^ *(bind|calls|each|pass|forward) / {
    if (routine != "")
        finish()
    keyword = $1
    line = $0
    while (line ~ /&$/) {
        sub(/ *&$/, " ", line)
        getline
        line = line trim($0)
    }
    line = trim(line)
    result = line ~ / :: / ? line : ""
    gsub(/^(bind|calls) | :: .*/, "", result)
    sub(/^[a-z]+ (.* :: )?/, "", line)
    routine = arguments = after = line
    sub(/\(.*/, "", routine)
    gsub(/^[^(]*\(|\).*/, "", arguments)
    sub(/^[^)]*\) ?/, "", after)
    condition = sub(/^if /, "", after) ? after : ""
    c_routine = sub(/^to /, "", after) ? after : routine
    if (NR == FNR) {
        if (keyword == "forward")
            called[++ncalled] = substr(routine, 7)
        routine = ""
    }
    next
}
NR == FNR { next }
routine != "" && /::/ { note_types($0, own); next }
routine != "" { finish(); if ($0 == "") next }
/FORWARDED/ {
    for (i = 1; i <= ncalled; i++) {
        name = "f90_" called[i]
        print "    " name (/FROM/ ? " => fsion_" called[i] : "") (i < ncalled ? ", &" : "")
    }
    next
}
{ print }
