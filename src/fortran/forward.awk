# Expands a module most of whose routines only call another one.
#
#     awk -f forward.awk FILE FILE >MODULE      (the file is read twice)
#
#     != TYPE :: NAMES                the types of arguments by their names
#     forward fsion_X(ARGUMENTS)      the routine; it calls f90_X, and has the argument ierror, too
#     forward ... if CONDITION        f90_X has no ierror; the call has succeeded if the condition holds
#         TYPE :: NAMES               arguments of other types follow
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

# A name may have the bounds of an array after it.
function declare(name,    type, bounds)
{
    type = name in own ? own[name] : type_of[name]
    if (sub(/ \*$/, "", type))
        bounds = "(*)"
    else if (type ~ /contiguous/)
        bounds = "(..)"
    print "    " type " :: " name bounds
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

function finish(    i, n, names, passed)
{
    n = split(arguments ", ierror", names, / *, */)
    call_text("  subroutine f" routine "(" arguments ", ierror)")
    for (i = 1; i <= n; i++)
        declare(names[i])
    print ""
    passed = arguments (condition == "" ? ", ierror" : "")
    sub(/gcomm/, "gcomm%MPI_VAL", passed)
    sub(/^sion/, "f90", routine)
    call_text("    call " routine "(" passed ")")
    if (condition != "")
        print "    call report(ierror, " condition ")"
    sub(/^f90/, "sion", routine)
    print "  end subroutine f" routine
    print ""
    routine = ""
    split("", own)
}

/^ *!= / { sub(/^ *!= */, ""); note_types($0, type_of); next }
NR == FNR && /call f90_/ { sub(/.*call f90_/, ""); sub(/\(.*/, ""); called[++ncalled] = $0; next }
/^  forward / {
    if (routine != "")
        finish()
    line = $0
    while (line ~ /&$/) {
        sub(/ *&$/, " ", line)
        getline
        line = line trim($0)
    }
    routine = line
    sub(/^  forward f/, "", routine)
    sub(/\(.*/, "", routine)
    if (NR == FNR) {
        called[++ncalled] = substr(routine, 6)
        routine = ""
        next
    }
    arguments = condition = line
    sub(/^[^(]*\(/, "", arguments)
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
