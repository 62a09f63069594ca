# Files of containers are shown in the tree, and filled when they are opened.
. "$srcdir/test/run/lib.sh"
"$builddir/test/run/input" "$library" >"$scratch/tap" 2>&1
status=$?
grep '^#' "$scratch/tap"
while read -r ok _ rest; do
    case $ok in
    ok) result 0 "${rest#- }" ;;
    not) result 1 "$rest" ;;
    esac
done <"$scratch/tap"
check 'the program has ended well' test $status -eq 0
finish
