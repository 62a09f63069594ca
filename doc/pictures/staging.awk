# Draws the spans that bench/timeline.sh has measured: a row for what the program does in each run,
# and one for the drains; time from left to right.
BEGIN {
    FS = "\t"; LEFT = 110; WIDTH = 860; TOP = 62; HEIGHT = 34; ROW = 46
    title["direct"] = "written directly"
    title["staged"] = "staged"
    row["direct"] = 0; row["staged"] = 1
}
{
    if ($4 > last)
        last = $4
    run[++n] = $1; what[n] = $2; begin[n] = $3; end[n] = $4
}
function x(time) { return sprintf("%.1f", LEFT + time / last * (WIDTH - LEFT - 24)) }
function y(line) { return TOP + line * ROW }
function words(at, line, class, text) { printf "<text class=\"%s\" x=\"%s\" y=\"%s\">%s</text>\n", class, at, line, text }
function span(i,  line)
{
    line = y(what[i] == "drain" ? 2 : row[run[i]])
    printf "<rect class=\"%s\" x=\"%s\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", what[i], x(begin[i]),
        line, x(end[i]) - x(begin[i]), HEIGHT
}
function legend(at, class, text)
{
    printf "<rect class=\"%s\" x=\"%d\" y=\"20\" width=\"18\" height=\"18\"/>\n", class, at
    words(at + 26, 34, "left", text)
}
END {
    height = y(3) + 40
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\">\n", WIDTH, height
    print "<style>text { font-size: 13px; fill: #222 } .right { text-anchor: end } .middle { text-anchor: middle }"
    print ".compute { fill: #a8cfa0 } .checkpoint { fill: #c0392b } .wait { fill: #f0b8b0 } .drain { fill: #1b6ca8; stroke: white }"
    print ".axis { stroke: #888 }</style>"
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    legend(LEFT, "compute", "computes")
    legend(LEFT + 130, "checkpoint", "stands still in open, write, close")
    legend(LEFT + 400, "wait", "waits at its end")
    legend(LEFT + 560, "drain", "a checkpoint is drained")
    for (name in title)
        words(LEFT - 12, y(row[name]) + 22, "right", title[name])
    words(LEFT - 12, y(2) + 22, "right", "its drains")
    for (i = 1; i <= n; i++)
        span(i)
    step = last > 20 ? 5 : 2
    printf "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%s\" y2=\"%d\"/>\n", LEFT, y(3), x(last), y(3)
    for (time = 0; time <= last; time += step) {
        printf "<line class=\"axis\" x1=\"%s\" y1=\"%d\" x2=\"%s\" y2=\"%d\"/>\n", x(time), y(3), x(time), y(3) + 5
        words(x(time), y(3) + 22, "middle", time " s")
    }
    print "</svg>"
}
