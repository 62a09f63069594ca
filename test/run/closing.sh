# Closes of files of a pattern are told to sionrun.
. "$srcdir/test/run/lib.sh"
"$builddir/test/run/closing" "$library" >"$scratch/tap" 2>&1
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
