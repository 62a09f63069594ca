# The code blocks of a document in Markdown: block N goes to the file N of a folder, and a line for it
# to standard output: N, the number of the line where it begins, and what stands after the fence.
#
#   awk -v folder=FOLDER -f blocks.awk DOCUMENT
#
# Blocks may be indented, as in a list; their lines are taken back as far as the fence.

function indent_of(line)
{
    match(line, /^ */)
    return RLENGTH
}

/^ *```/ {
    if (file == "") {
        indent = indent_of($0)
        info = $0
        sub(/^ *```+ */, "", info)
        file = folder "/" ++number
        print number, NR, info
        printf "" > file
    } else {
        close(file)
        file = ""
    }
    next
}

file != "" {
    skipped = indent_of($0)
    print substr($0, (skipped < indent ? skipped : indent) + 1) > file
}

END {
    if (file != "") {
        print FILENAME ": the last block has no end" > "/dev/stderr"
        exit 1
    }
}
