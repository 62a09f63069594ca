# Runs a program of cases that are processes, and tells what it tells: sourced with $program.
. "$srcdir/test/run/lib.sh"
"$builddir/test/run/$program" "$library" >"$scratch/tap" 2>&1
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
