# Makes pages of texts in Markdown: html.sh SOURCES FOLDER TEXT...
sources=$1
folder=$2
shift 2
test -n "$PANDOC" || {
    echo "make html: pandoc is needed (Debian: pandoc), and configure has not found it" >&2
    exit 1
}
for text; do
    page=$folder/$(basename "$text" .md).html
    "$PANDOC" -f gfm -t html5 -s --lua-filter="$sources/doc/html.lua" --highlight-style=tango \
        --include-in-header="$sources/doc/html.css" -o "$page" "$sources/$text" || exit 1
done
