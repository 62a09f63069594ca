# Expands a module most of whose routines only call another one, or are those of C.
#
#     awk -f forward.awk FILE FILE >MODULE      (the file is read twice)
#
#     != TYPE :: NAMES                the types of arguments by their names
#     forward fsion_X(ARGUMENTS)      the routine; it calls f90_X, and has the argument ierror, too
#     forward ... if CONDITION        f90_X has no ierror; the call has succeeded if the condition holds
#     bind fsion_X(ARGUMENTS)         the interface of the C routine fsion_X_c_
#     bind TYPE :: fsion_X(...)       the same of a function
#         TYPE :: NAMES               after these: arguments of other types
#
# Of communicators, f90_X gets the number. A line "FORWARDED" becomes the list of all f90_X that are
# called; "FORWARDED_FROM" the list of "f90_X => fsion_X".

function trim(s) { gsub(/^ +| +$/, "", s); return s }

function note_types(line, types,    parts, names, n, i)
{
    split(line, parts, / *:: */)
    n = split(parts[2], names, / *, */)
    for (i = 1; i <= n; i++)
        types[trim(names[i])] = trim(parts[1])
}

# The arguments that have a type are in one statement.
function declare(n, names,    i, k, type, list, seen)
{
    for (i = 1; i <= n; i++) {
        type = names[i] in own ? own[names[i]] : type_of[names[i]]
        if (type in seen)
            continue
        seen[type] = 1
        list = ""
        for (k = i; k <= n; k++)
            if ((names[k] in own ? own[names[k]] : type_of[names[k]]) == type)
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

function finish()
{
    indent = keyword == "bind" ? "      " : "    "
    if (keyword == "bind")
        bind()
    else
        forward()
    print ""
    routine = ""
    split("", own)
}

function bind(    n, names, what)
{
    n = split(arguments, names, / *, */)
    what = result == "" ? "subroutine" : "function"
    call_text("    " what " f" routine "(" arguments ") bind(C, name=\"f" routine "_c_\")")
    print "      import"
    declare(n, names)
    if (result != "")
        print "      " result " :: f" routine
    print "    end " what " f" routine
}

function forward(    n, names, passed)
{
    n = split(arguments ", ierror", names, / *, */)
    call_text("  subroutine f" routine "(" arguments ", ierror)")
    declare(n, names)
    print ""
    passed = arguments (condition == "" ? ", ierror" : "")
    sub(/gcomm/, "gcomm%MPI_VAL", passed)
    sub(/^sion/, "f90", routine)
    call_text("    call " routine "(" passed ")")
    if (condition != "")
        print "    call report(ierror, " condition ")"
    sub(/^f90/, "sion", routine)
    print "  end subroutine f" routine
}

/^ *!= / { sub(/^ *!= */, ""); note_types($0, type_of); next }
NR == FNR && /call f90_/ { sub(/.*call f90_/, ""); sub(/\(.*/, ""); called[++ncalled] = $0; next }
/^ *(forward|bind) / {
    if (routine != "")
        finish()
    line = $0
    while (line ~ /&$/) {
        sub(/ *&$/, " ", line)
        getline
        line = line trim($0)
    }
    line = trim(line)
    keyword = line ~ /^bind/ ? "bind" : "forward"
    result = line ~ /^bind .* :: / ? line : ""
    gsub(/^bind | :: .*/, "", result)
    routine = line
    sub(/^(forward|bind .* ::|bind) f/, "", routine)
    sub(/\(.*/, "", routine)
    if (NR == FNR) {
        if (keyword == "forward")
            called[++ncalled] = substr(routine, 6)
        routine = ""
        next
    }
    arguments = line
    sub(".*f" routine "[(]", "", arguments)
    sub(/\).*/, "", arguments)
    condition = line ~ /\) if / ? substr(line, index(line, ") if ") + 5) : ""
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
