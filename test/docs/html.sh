# The texts as HTML pages: there is a page for each, no link is broken, and their pictures are
# current.
. "$srcdir/test/harness.sh"
test -n "$(setting PANDOC)" || skip_all 'no pandoc (Debian: pandoc)'
sources=$(cd "$srcdir" && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS
one_at_a_time()
{
    if command -v flock >/dev/null; then
        flock "$builddir/config.status" "$@"
    else
        "$@"
    fi
}
check 'make html' one_at_a_time make -s -C "$builddir" html
cd "$builddir/doc/html" || finish

every_text_has_a_page()
{
    for text in "$sources"/doc/*.md; do
        test -s "$(basename "$text" .md).html" || { echo "$text" && return 1; }
    done
}
check 'every text has a page' every_text_has_a_page

# attributes NAME PAGE: the values of href, src, ...
attributes()
{
    tr '\n' ' ' <"$2" | grep -Eo " $1=\"[^\"]*\"" | sed 's/^[^"]*"//; s/"$//'
}

# leads PAGE TARGET: the target is a place in a page, or a file that is installed above the pages
leads()
{
    page=${2%%#*}
    case $2 in
    *://* | mailto:*) return ;;
    ../*)
        test -e "$sources/${page#../}"
        return
        ;;
    esac
    page=${page:-$1}
    test -f "$page" || return 1
    case $2 in
    *'#'*) attributes id "$page" | grep -qxF -- "${2#*#}" ;;
    esac
}
links_lead()
{
    attributes href "$1" | grep -v '^#cb[0-9]' | sort -u >"$scratch/links"
    while read -r link; do
        leads "$1" "$link" || { echo "$link" && return 1; }
    done <"$scratch/links"
}
pictures_are_there()
{
    attributes src "$1" >"$scratch/pictures"
    while read -r picture; do
        test -s "$picture" || { echo "$picture" && return 1; }
    done <"$scratch/pictures"
}
for page in *.html; do
    check "$page: no link is broken" links_lead "$page"
    check "$page: the pictures exist" pictures_are_there "$page"
done
check 'the guide has pictures' test "$(attributes src guide-fast.html | wc -l)" -ge 4

# The pictures in the sources equal those that siondump draws now.
for picture in pictures/*.svg; do
    check "$picture is the same as in the sources" cmp "$picture" "$sources/doc/$picture"
done

code_is_code()
{
    ! grep -l '```' ./*.html
}
check 'no fence of a code block is left' code_is_code

installed()
{
    one_at_a_time make -s -C "$builddir" install-html DESTDIR="$scratch/root" &&
        find "$scratch/root" -name guide.html | grep /doc/scion/html/guide.html &&
        find "$scratch/root" -name arrays.png | grep /html/pictures/
}
check 'make install-html' installed

browser=$(command -v chromium || command -v google-chrome || command -v chromium-browser)
# shot NAME PAGE: has a browser draw the page
shot()
{
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$scratch/profile" --window-size=1100,1500 \
        --screenshot="$scratch/$1.png" "file://$2" >/dev/null 2>&1
}
echo '<p></p>' >"$scratch/empty.html"
if test -n "$browser" && shot empty "$scratch/empty.html" && test -s "$scratch/empty.png"; then
    shot guide "$PWD/guide-fast.html"
    check 'a browser shows the guide' test "$(wc -c <"$scratch/guide.png")" -gt \
        "$((10 * $(wc -c <"$scratch/empty.png")))"
else
    skip 'a browser shows the guide' 'no Chromium that works here'
fi
finish
