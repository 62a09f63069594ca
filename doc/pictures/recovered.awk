# Draws what sionrecover --json says of a container of a million tasks: a point for each task, a
# thousand in a row, coloured by the bytes that are certain. -v whole=BYTES that each task has written
BEGIN { SIZE = 420; PER_ROW = 1000; LEFT = 20; TOP = 84 }

function number(name)
{
    match($0, "\"" name "\": [0-9]+")
    return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0
}

function commas(n,  text)
{
    for (text = ""; n >= 1000; n = int(n / 1000))
        text = sprintf(",%03d", n % 1000) text
    return n + 0 text
}

function kind(bytes)
{
    return bytes == whole ? "whole" : bytes ? "part" : "none"
}

# The points begin .. end - 1 of one row, or of several whole rows
function area(begin, end, rows)
{
    printf "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", kind(bytes),
        LEFT + begin % PER_ROW * SCALE, TOP + int(begin / PER_ROW) * SCALE,
        (rows > 1 ? PER_ROW : end - begin) * SCALE, rows * SCALE
}

# A run of tasks of which equally many bytes are certain
function run(begin, end,  whole_rows, text, y)
{
    text = sprintf("tasks %s to %s: ", commas(begin + 0), commas(end - 1))
    text = text (bytes == whole ? "every byte" : bytes ? "bytes 0 to " bytes - 1 : "no byte")
    y = TOP + (begin + end) / 2 / PER_ROW * SCALE + 4
    if (y < below + 17)
        y = below + 17
    below = y
    if (begin % PER_ROW) {
        stop = end < begin - begin % PER_ROW + PER_ROW ? end : begin - begin % PER_ROW + PER_ROW
        area(begin, stop, 1)
        begin = stop
    }
    whole_rows = int((end - begin) / PER_ROW)
    if (whole_rows)
        area(begin, 0, whole_rows)
    begin += whole_rows * PER_ROW
    if (begin < end)
        area(begin, end, 1)
    printf "<rect class=\"%s\" x=\"%d\" y=\"%g\" width=\"10\" height=\"10\"/>", kind(bytes),
        LEFT + SIZE + 18, y - 9
    printf "<text x=\"%d\" y=\"%g\">%s</text>\n", LEFT + SIZE + 34, y, text
}

/"tasks": \[/ && !SCALE { SCALE = SIZE / PER_ROW; next }
/^  "bytes"/ {
    certain = number("certain")
    print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"524\" viewBox=\"0 0 800 524\">"
    print "<style>text{font-family:sans-serif;font-size:13px;fill:#222}.title{font-size:17px;font-weight:bold}"
    print ".note{fill:#555}.whole{fill:#3b7dbd}.part{fill:#b5d4e9}.none{fill:#d62728}</style>"
    print "<rect width=\"800\" height=\"524\" fill=\"#fff\"/>"
    print "<text class=\"title\" x=\"20\" y=\"30\">A job of a million tasks was killed, then the disk lost 4 MiB: what is left</text>"
    printf "<text class=\"note\" x=\"20\" y=\"52\">One point for each task, a thousand in a row. sionrecover says of each task which bytes are certain</text>\n" \
        "<text class=\"note\" x=\"20\" y=\"70\">(%s of %s) and makes the container readable. The rest was not flushed, or on the lost part of the disk.</text>\n",
        commas(certain), commas(whole * 1000000)
}
SCALE && /"rank"/ {
    now = number("certain")
    if (now != bytes && count > begin) {
        run(begin, count)
        begin = count
    }
    bytes = now
    count++
}
END {
    run(begin, count)
    print "</svg>"
}
