# Counts the instructions of a record of eight bytes with valgrind. No count may exceed its budget
# here by more than a tenth. The budgets are counts of gcc 12 with -O2 on x86-64.
. "$srcdir/test/harness.sh"
command -v valgrind >/dev/null || skip_all 'no valgrind'
$CC -dM -E - </dev/null | grep -q '__x86_64__' || skip_all 'the budgets are for x86-64'
$CC -dM -E - </dev/null | grep -q '__clang__' && skip_all 'the budgets are for gcc'
case " $TEST_CFLAGS " in *-fsanitize*) skip_all 'sanitizers add instructions' ;; *' -O2 '*) ;; *) skip_all 'not -O2' ;; esac
records=$builddir/test/bench/records
cd "$scratch" || exit 99

# counted WAY FUNCTION: prints the instructions of one record
counted() {
    case $1 in stdio_*) file=plain ;; *) file=container ;; esac
    valgrind --tool=callgrind --callgrind-out-file=out --toggle-collect="$2" \
        "$records" "$file" "$1" >log 2>&1 || { cat log >&2 && return 1; }
    awk '/^(summary|totals):/ { print int($2 / 100000 + 0.5); exit }' out
}

# within WAY FUNCTION BUDGET
within() {
    got=$(counted "$1" "$2") || return 1
    echo "$1: $got instructions a record, the budget is $3"
    [ "$got" -gt 0 ] && [ "$got" -le $(($3 + $3 / 10)) ]
}
while read -r way function budget; do
    case $way in
    zip_*) "$records" zipped "$way" 2>/dev/null || { skip "$way" 'no zstd' && continue; } ;;
    esac
    check "$way costs about $budget instructions" within "$way" "$function" "$budget"
done <<'BUDGETS'
write count_write 59
ensure count_ensure 82
zip_write count_write 59
exported_write count_exported_write 164
read count_read 59
feof count_feof 77
exported_read count_read 149
BUDGETS
# Announced writes through the FILE*, and reads with a FILE* in use, cost at most 1.2 times as much
# as stdio's own.
near_stdio() {
    got=$(counted "$1" "$2") && stdio=$(counted "$3" "$4") || return 1
    echo "$1: $got instructions a record, $3: $stdio"
    [ "$got" -gt 0 ] && [ $((10 * got)) -le $((12 * stdio)) ]
}
check 'a write through the FILE* costs at most 1.2 fwrite' \
    near_stdio exported_write count_exported_write stdio_write count_stdio_write
check 'a read with the FILE* in use costs at most 1.2 fread' \
    near_stdio exported_read count_read stdio_read count_stdio_read
finish
