# The benchmarks print the same as their samples, except for values, and follow their options.
. "$srcdir/test/harness.sh"
[ -x "$builddir/partest" ] || skip_all 'no MPI, or --disable-parutils'
samples=$GOLDEN/bench
cd "$scratch" || exit 99

# runs NP PROGRAM ARGS...: leaves the output in out, and returns the status
# shellcheck disable=SC2086
runs() {
    np=$1
    program=$2
    shift 2
    mpi_run "$np" "$builddir/$program" "$@" >out 2>&1
    status=$?
    without_mpi_lines out
    cat out
    return $status
}

# Numbers with a point, dates and the revision of the sources are values; so are their widths.
plain() {
    sed -E 's/[0-9]+\.[0-9]+/N/g; s/ +N/ N/g; s/= N/=N/g; s/\( N/(N/g; s/(start|end) at .*/\1 at DATE/
        s/SION_GIT_REVISION .*//; s/(_comm: +-2 of +-2) [^ ]*$/\1 HOST/' "$1"
}

# as_sample SAMPLE NP PROGRAM ARGS...
as_sample() {
    sample=$samples/$1
    shift
    runs "$@" >/dev/null || { cat out && return 1; }
    plain "$sample" >wanted
    plain out | diff wanted -
}
data='-f pt.dat -q 4k'
large="$data -b 64k -s 256k -r 128k"
small="$data -b 16k -s 64k -r 32k"
# shellcheck disable=SC2086
for type in 0 1 2 3; do
    check "partest -T $type as its sample" as_sample partest-T$type.txt 2 partest $large -T $type
done
# shellcheck disable=SC2086
check "partest -n 2 -v as its sample" as_sample partest-T0-n2-v.txt 4 partest $small -n 2 -v
# shellcheck disable=SC2086
check "partest -L -M -m as its sample" \
    as_sample partest-T0-L-M-m.txt 2 partest $data -b 16k -s 64k -r 64k -L -M -m

# usage PROGRAM
usage() {
    "$builddir/$1" --help >out </dev/null && sed '1,2d' "$samples/$1.usage.txt" >wanted &&
        head -n "$(($(wc -l <wanted)))" out | diff wanted - && sed "1,$(($(wc -l <wanted)))d" out >rest
}
check "partest: usage" usage partest
check "partest: usage of the comparison" grep -q '^  --compare' rest
wrong_option() {
    ! runs 2 partest "$1" && test "$(grep -c "partest: .* option.*$2" out)" -eq 1 &&
        ! grep 'getopt\|077' out && test "$(grep -c '^Usage: partest options$' out)" -eq 1
}
check "partest: a wrong option is named" wrong_option -y "'y'"
check "partest: a wrong long option is named" wrong_option --yes "'--yes'"

# preloaded SOURCE PROGRAM ARGUMENTS...: runs one process, with some C or MPI functions replaced
preloaded() {
    source=$1
    program=$2
    shift 2
    # shellcheck disable=SC2086
    $CC -shared -fPIC -o preload.so "$source" || return 1
    LD_PRELOAD=$PWD/preload.so timeout 120 "$builddir/$program" "$@" >out 2>&1 </dev/null
    status=$?
    cat out
    return $status
}

# ---- the comparison ----

methods=11 # of partest --compare
grep -q '^#define HAVE_CHECKSUM 1' "$builddir/config.h" && methods=12
small_compare='--compare=2 -f cmp.dat -s 100k -b 7k'
# compares OPTIONS...: runs two ranks, and leaves stdout in table
compares() {
    mpi_run 2 "$builddir/partest" "$@" >table 2>err || { cat table err && return 1; }
    [ ! -e cmp.dat ] && [ -z "$(ls cmp.dat.* 2>&1 | grep -v 'cannot access')" ] && ! [ -s err ]
}
# shellcheck disable=SC2086
compares_all() {
    compares $small_compare --simulate=50 $1 &&
        [ "$(grep -c ' write ' table)" -eq $((methods + 2)) ] &&
        [ "$(grep -c ' read ' table)" -eq $((methods + 2)) ] &&
        [ "$(grep -c '^container, 1 file' table)" -eq 2 ] && [ "$(grep -c '^MPI-IO' table)" -eq 4 ]
}
check "partest --compare: each method writes and reads, and leaves no file" compares_all
check "partest --compare, posix and synced" compares_all '--posix --sync'
# shellcheck disable=SC2086
no_simulation() { compares $small_compare --simulate=0 && ! grep 'many tasks' table; }
check "partest --simulate=0" no_simulation
# shellcheck disable=SC2086
chosen() {
    compares $small_compare --simulate=0 --sync --methods='file per task;container, files=auto' &&
        awk 'NR > 1 { print $1, $(NF - 6), $NF }' table >lines && cat lines &&
        [ "$(wc -l <lines)" -eq 4 ] && sed -n 1p lines | grep -qx 'file write 1.00'
}
check "partest --methods: in this order, compared with the first" chosen
# shellcheck disable=SC2086
no_method() { ! runs 2 partest $small_compare --methods="$1" && grep -q -- "--methods has $2" out; }
check "partest --methods: an unknown one" no_method 'file per task;floppy' 'a name that is none'
check "partest --methods: none" no_method '' 'no name'
# shellcheck disable=SC2086
json_is_json() {
    compares $small_compare --simulate=3 --output=json &&
        python3 -c '
import json, sys
methods = int(sys.argv[1])
decoder, text = json.JSONDecoder(), open("table").read().strip()
sets = []
while text:
    value, end = decoder.raw_decode(text)
    sets.append(value)
    text = text[end:].strip()
assert [s["set"] for s in sets] == ["tasks", "many tasks"], sets
rows = sets[0]["rows"]
assert len(rows) == 2 * methods and all(r["mib_per_second"] > 0 for r in rows), rows
assert rows[0]["ratio"] == rows[methods]["ratio"] == 1
' $methods
}
check "partest --compare --output=json" json_is_json
# shellcheck disable=SC2086
csv_is_csv() {
    compares $small_compare --simulate=3 --output=csv && python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(open("table")) if r["set"] != "set"]
assert len(rows) == 2 * int(sys.argv[1]) + 4, rows
assert {r["direction"] for r in rows} == {"read", "write"}
' $methods
}
check "partest --compare --output=csv" csv_is_csv
refuses() { ! runs 1 partest "$@" && grep -q "partest: --${1#--} cannot be $2\|partest: --.* cannot be" out; }
check "partest: a wrong number of repeats is named" refuses --compare=0
check "partest: a wrong format is named" refuses --output=xml
no_folder() { ! runs 2 partest --compare=1 -s 1k -f none/x && grep -q 'none/x' out; }
check "partest --compare: a file that cannot be created" no_folder
cat >no_mpi.c <<'SOURCE'
#include <stdlib.h>
int MPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; abort(); }
int MPI_Init_thread(int *argc, char ***argv, int a, int *b) { (void)argc, (void)argv, (void)a, (void)b; abort(); }
SOURCE
starts_mpi() {
    preloaded no_mpi.c "$@" >/dev/null 2>&1
    test $? -ge 126
}
without_mpi() {
    starts_mpi "$1" && preloaded no_mpi.c "$1" --help && grep -q "^Usage: $1 options$" out &&
        { preloaded no_mpi.c "$1" -y || test $? -eq 1; } && grep -q "invalid option -- 'y'" out
}
check "partest: the usage needs no MPI" without_mpi partest
cat >short.c <<'SOURCE'
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static size_t most(int fd, size_t n)
{
    struct stat s;
    return n > 1000 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) ? 1000 : n;
}
ssize_t write(int fd, const void *data, size_t n) { return syscall(SYS_write, fd, data, most(fd, n)); }
ssize_t read(int fd, void *data, size_t n) { return syscall(SYS_read, fd, data, most(fd, n)); }
SOURCE
# shellcheck disable=SC2086
short_calls() {
    preloaded short.c partest $small -T 3 -L && test "$(wc -c <pt.dat.000000)" -eq 65536
}
check "partest -T 3 -L continues after a short transfer" short_calls
# shellcheck disable=SC2086
large_buffer() {
    runs 2 partest $small -T 2 -b 4G && grep -q 'local buffer size / task *= *1073741824 bytes' out &&
        test "$(wc -c <pt.dat.000000)" -eq 131072
}
check "partest -T 2 -b 4G moves as many bytes as MPI-IO can count" large_buffer
for wrong in '-F 1.5' '-F x' '-T 4' '-s 1x' '-n two' '-b 0'; do
    is_refused() {
        # shellcheck disable=SC2086
        ! runs 1 partest $wrong && grep -q '^Usage: partest options$' out
    }
    check "partest $wrong is refused" is_refused
done
cannot_write() {
    ! runs 2 partest -f no/such/folder -s 1k -b 1k && grep -q 'cannot create no/such/folder' out
}
check "partest: a file that cannot be written" cannot_write

# dumped FILE PATTERN: siondump prints this about the container
dumped() {
    "$builddir/siondump" -a -l "$1" >dump && grep -E "$2" dump
}
# shellcheck disable=SC2086
factor() {
    runs 4 partest $small -F 0.5 && grep -q 'random factor            =        0.5000' out &&
        dumped pt.dat 'number of tasks: +4' &&
        sed -n 's/^Task.*size= *\([0-9]*\) B.*/\1/p' dump >sizes &&
        awk '{ if ($1 < 65536 || $1 > 98304) exit 1; sum += $1; seen[$1] = 1 }
            END { n = 0; for (s in seen) n++; exit n < 3 || sum <= 4 * 65536 }' sizes
}
check "partest -F 0.5: tasks write different amounts" factor
# shellcheck disable=SC2086
collective_factor() {
    runs 4 partest $small -F 0.5 -M -m && dumped pt.dat 'number of tasks: +4'
}
check "partest -F 0.5 -M -m: no task waits for ever" collective_factor
# shellcheck disable=SC2086
removes() {
    runs 2 partest $small "$@" && [ ! -e pt.dat ] &&
        grep -q '^partest result: unlink file pt.dat ...$' out &&
        grep -Eq '^partest result:  ultime= *[0-9.]+s unlink pt.dat$' out
}
check "partest -X" removes -X
check "partest -X1" removes -X1
check "partest --unlinkfiles" removes --unlinkfiles
check "partest --unlinkfiles=1" removes --unlinkfiles=1
# shellcheck disable=SC2086
removes_all() {
    runs 4 partest $small -T 3 -X && runs 4 partest $small -T 0 -n 2 -X &&
        runs 4 partest $small -T 2 -n 2 -X && ! ls | grep '^pt.dat'
}
check "partest -X removes all files" removes_all
# shellcheck disable=SC2086
keeps() {
    runs 2 partest $small --unlinkfiles=0 && [ -e pt.dat ]
}
check "partest --unlinkfiles=0" keeps
# shellcheck disable=SC2086
for options in '-Z 1' '-Z -1 -T 1' '-j 1' '-j 2 -T 3' '-j -2' '-O 1000' '-n 2 -Z 1 -T 2' '-n 0' \
    '-r -1 -b 64k' '-q -1 -r 64k' '-g 128k' '-M -c -L' '-F 1 -Z 2 -O 77'; do
    check "partest $options" runs 4 partest $small $options
done
# shellcheck disable=SC2086
twice() {
    runs 2 partest $small -W 2 && test "$(grep -c 'T_STAT .*TOTAL WRITE' out)" -eq 2 &&
        test "$(grep -c 'T_STAT .*TOTAL READ' out)" -eq 1
}
check "partest -W 2 writes twice" twice
# shellcheck disable=SC2086
only_writes() {
    runs 2 partest $small -R 0 --verbose=1 && ! grep READ out && grep -q 'TASK WRITE' out
}
check "partest -R 0 --verbose=1 only writes" only_writes
offset() {
    # shellcheck disable=SC2086
    runs 2 partest $small -O 100 && dumped pt.dat 'size= *65636 B'
}
check "partest -O 100 writes 100 bytes first" offset

if [ -x "$builddir/ompi_partest" ]; then
    OMP_NUM_THREADS=2
    export OMP_NUM_THREADS
    # shellcheck disable=SC2086
    check "ompi_partest -T 0 as its sample" as_sample ompi_partest-T0.txt 2 ompi_partest $small
    check "ompi_partest: usage" usage ompi_partest
    check "ompi_partest: the usage needs no MPI" without_mpi ompi_partest
    # shellcheck disable=SC2086
    for options in '-T 1' '-T 2' '-T 3' '-n 2' '-M -m' '-L -X -W 2'; do
        check "ompi_partest $options" runs 2 ompi_partest $small $options
    done
fi

if [ -x "$builddir/fpartest" ]; then
    # Compares up to the line where the sample's program ended.
    fortran_as_sample() {
        runs 2 fpartest >/dev/null && sed '/^internal/,$d' "$samples/fpartest.usage.txt" >wanted &&
            head -n 10 out | diff wanted - &&
            grep -Eq '^partest result: wrote 41943040 bytes in +[0-9.]+ s, +[0-9.]+ MB/s$' out &&
            grep -Eq '^partest result: read  41943040 bytes in +[0-9.]+ s, +[0-9.]+ MB/s$' out
    }
    check "fpartest as its sample" fortran_as_sample
    fortran_options() {
        runs 3 fpartest -f f.sion -s 64k -b 10000 -r 64k -n 2 -F 0.5 "$@" &&
            dumped f.sion 'number of files: +2'
    }
    check "fpartest -T 0" fortran_options -T 0
    check "fpartest -T 1" fortran_options -T 1 -q 4k
    fortran_wrong() {
        ! runs 2 fpartest -y 1 && grep -q 'wrong option -y' out
    }
    check "fpartest: a wrong option" fortran_wrong
fi

# bench/fields: arrays next to other libraries.
fields() {
    runs 2 bench/fields -g 1x2 -b 16x8 -s 3 -n 2 "$@" fields.dat
}
check 'fields compares writing and reading, and removes its file' eval 'fields >/dev/null &&
    test "$(grep -c "^arrays  *write" out)" -eq 2 && test "$(grep -c "^plain records  *read" out)" -eq 2 &&
    ! test -e fields.dat'
check 'fields -y -o csv' eval "fields -y -o csv >/dev/null && grep -q '^processors,\"*arrays' out"
check 'fields: a file that cannot be created' eval \
    '! runs 2 bench/fields -g 1x2 -b 8x8 none/x >/dev/null && grep -q "^fields: .*none/x" out'
check 'fields: a grid of other tasks' eval \
    '! runs 2 bench/fields -g 2x2 -b 8x8 fields.dat >/dev/null && grep -q "^Usage: fields" out'

# bench/growth: costs by the number of tasks.
check 'growth measures nine operations for each number of tasks' eval \
    '"$builddir/bench/growth" g.sion 1 3000 >out 2>&1 && test "$(grep -c "^[13]000,1,[a-z: ]*,[0-9.]*,[0-9]*,[0-9]*,[0-9]*$" out)" -eq 18 &&
    test "$(wc -l <out)" -eq 19 && ! test -e g.sion'
check 'growth: a file that cannot be created' eval \
    '! "$builddir/bench/growth" none/x 1 1000 >out 2>&1 && grep -q "^growth: .*none/x" out'
finish
