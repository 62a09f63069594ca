# Whether an output is what a document says: the same lines, but "..." stands for any text in a line,
# and a line of its own "..." for any number of lines.
#
#   awk -f matches.awk EXPECTED ACTUAL

# Whether the line is the expected one.
function fits(line, expected, pieces, n, i, at)
{
    n = split(expected, pieces, /\.\.\./)
    if (n <= 1)
        return line == expected
    if (substr(line, 1, length(pieces[1])) != pieces[1])
        return 0
    line = substr(line, length(pieces[1]) + 1)
    for (i = 2; i < n; i++) {
        at = index(line, pieces[i])
        if (at == 0)
            return 0
        line = substr(line, at + length(pieces[i]))
    }
    at = length(line) - length(pieces[n])
    return at >= 0 && substr(line, at + 1) == pieces[n]
}

# The lines of both from e and a on.
function matches(e, a)
{
    while (e <= nexpected && expected[e] != "...") {
        if (a > nactual || !fits(actual[a], expected[e]))
            return 0
        if (a > farthest)
            farthest = a
        e++
        a++
    }
    if (e > nexpected)
        return a > nactual
    while (a <= nactual + 1)
        if (matches(e + 1, a++))
            return 1
    return 0
}

NR == FNR { expected[++nexpected] = $0; next }
{ actual[++nactual] = $0 }

END {
    if (matches(1, 1))
        exit 0
    print "not as the document says, from line " farthest + 1 " on:"
    for (a = 1; a <= nactual; a++)
        print actual[a]
    exit 1
}
