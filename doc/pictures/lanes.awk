# Draws lanes.txt: a lane for each kind of task, time from top to bottom.
BEGIN { WIDTH = 860; LEFT = 80; LANE = 250; y = 46 }

function centre(lane) { return LEFT + lane * LANE + LANE / 2 }
function rest(n,  text, i)
{
    for (i = n; i <= NF; i++)
        text = text (i > n ? " " : "") $i
    return text
}
function draw(text) { body = body text "\n" }
function words(x, y, class, text) { draw("<text class=\"" class "\" x=\"" x "\" y=\"" y "\">" text "</text>") }

# An arrow with its dot at the sender. All receivers are in one line, as it is one message for all.
function arrow(from, to)
{
    draw("<line class=\"message\" x1=\"" centre(from) "\" y1=\"" y "\" x2=\"" centre(to) + (from < to ? -7 : 7) \
        "\" y2=\"" y "\" marker-end=\"url(#head)\"/>")
    draw("<circle cx=\"" centre(from) "\" cy=\"" y "\" r=\"3.5\"/>")
}

/^#/ { next }
$1 == "lane" { names[lanes++] = rest(2); next }
$1 == "phase" {
    y += 14
    draw("<line class=\"phase\" x1=\"12\" y1=\"" y "\" x2=\"" WIDTH - 12 "\" y2=\"" y "\"/>")
    words(16, y + 22, "title", rest(2))
    y += 12
    last = ""
    next
}
# Boxes of different lanes that follow each other stand in one line, if nobody waits for the other.
$1 == "box" {
    first = substr($2, 1, 1); count = length($2)
    if (last != "" && index(last, first) == 0 && count == 1 && rest(3) == before)
        y -= 42
    draw("<rect x=\"" LEFT + first * LANE + 14 "\" y=\"" y "\" width=\"" count * LANE - 28 \
        "\" height=\"28\" rx=\"5\"/>")
    words(LEFT + first * LANE + count * LANE / 2, y + 18, "middle", rest(3))
    last = $2; before = rest(3)
    y += 42
    next
}
$1 == "from" {
    y += 8
    words(LEFT + lanes * LANE / 2, y - 6, "middle note", rest(5))
    for (i = 1; i <= length($2); i++)
        for (j = 1; j <= length($4); j++)
            arrow(substr($2, i, 1), substr($4, j, 1))
    y += 16
    last = ""
    next
}
$1 == "all" {
    y += 8
    words(LEFT + lanes * LANE / 2, y - 6, "middle note", rest(2))
    draw("<line class=\"all\" x1=\"" centre(0) "\" y1=\"" y "\" x2=\"" centre(lanes - 1) "\" y2=\"" y "\"/>")
    for (i = 0; i < lanes; i++)
        draw("<circle cx=\"" centre(i) "\" cy=\"" y "\" r=\"3.5\"/>")
    y += 16
    last = ""
}
END {
    print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", WIDTH, \
        y + 10, WIDTH, y + 10
    print "<style>text{font-family:sans-serif;font-size:12px;fill:#222}.title{font-size:15px;font-weight:bold}"
    print ".middle{text-anchor:middle}.note{fill:#444;paint-order:stroke;stroke:#fff;stroke-width:4}.lane{stroke:#c5d3e6;stroke-width:2}rect{fill:#eef3fa;stroke:#5b7db1}"
    print ".message,.all{stroke:#5b7db1;stroke-width:1.5}.all{stroke-width:3}circle{fill:#5b7db1}.phase{stroke:#bbb}</style>"
    print "<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"5\" refY=\"4\" orient=\"auto\">" \
        "<path d=\"M0,0 L8,4 L0,8 z\" fill=\"#5b7db1\"/></marker></defs>"
    printf "<path d=\"M0,0 H%d V%d H0 z\" fill=\"#fff\"/>\n", WIDTH, y + 10
    for (i = 0; i < lanes; i++) {
        printf "<line class=\"lane\" x1=\"%g\" y1=\"36\" x2=\"%g\" y2=\"%g\"/>\n", centre(i), centre(i), y
        printf "<text class=\"title middle\" x=\"%g\" y=\"26\">%s</text>\n", centre(i), names[i]
    }
    printf "%s</svg>\n", body
}
