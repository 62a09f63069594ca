# Processes of all kinds are redirected: threads, forks, signals, children that share memory.
. "$srcdir/test/run/lib.sh"
"$builddir/test/run/processes" "$library" >"$scratch/tap" 2>&1
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
