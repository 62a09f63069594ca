#!/bin/sh
# A failure ends with status 2, and one line on stderr that tells what failed, and why.
. "$(dirname "$0")/lib.sh"

cd "$GOLDEN/serial" || exit 99
file=s04_multichunk.sion

# each_tool NAME INPUT TEXT: all tools refuse the input
each_tool()
{
    run siondump "$2"
    check "siondump: $1" failed_with 2 "$3"
    run sioncat -o "$scratch/never" "$2"
    check "sioncat: $1" failed_with 2 "$3"
    run sionsplit "$2" "$scratch/never"
    check "sionsplit: $1" failed_with 2 "$3"
    run siondefrag "$2" "$scratch/never"
    check "siondefrag: $1" failed_with 2 "$3"
}

# one_line TOOL: the tool has reported the failure in one line, without the library's prefix
one_line()
{
    test "$(wc -l <"$scratch/err")" -eq 1 && grep -q "^$1: cannot open missing.sion" "$scratch/err"
}

run siondump missing.sion
check 'siondump reports it in its own words' one_line siondump
run sionsplit missing.sion "$scratch/never"
check 'sionsplit reports it in its own words' one_line sionsplit

long=$(printf '%01017d' 0)
each_tool 'a missing file' missing.sion "missing.sion"
each_tool 'a folder' . '.: '
each_tool 'an empty name' '' 'no file name'
each_tool 'a name that is too long' "$long" 'too long'
each_tool 'another file than a container' "$GOLDEN/streams.txt" 'not a sion file'
each_tool 'a device' /dev/null 'not a regular file'
mkfifo "$scratch/pipe"
each_tool 'a pipe without a writer' "$scratch/pipe" 'not a regular file'
check 'no output file is made' test -z "$(find "$scratch" -name 'never*')"

# ---- outputs ----

mkdir "$scratch/folder" "$scratch/folder00000"
run sioncat -o "$scratch/folder" $file
check 'sioncat: outfile is a folder' failed_with 2 "cannot open outfile $scratch/folder ,"
run sioncat -o "$scratch/missing/x" $file
check 'sioncat: outfile in a missing folder' failed_with 2 "cannot open outfile $scratch/missing/x ,"
run sionsplit $file "$scratch/folder"
check 'sionsplit: outfile is a folder' failed_with 2 "cannot open outfile $scratch/folder00000 ,"
run sionsplit $file "$scratch/missing/x"
check 'sionsplit: outfile in a missing folder' failed_with 2 "cannot open outfile $scratch/missing/x00000 ,"
run sioncat -o /dev/full $file
check 'sioncat: outfile on a full disk' failed_with 2 '/dev/full: No space left on device'

run sioncat -o /dev/full s01_single.sion
check 'sioncat: outfile on a full disk, noticed at its close' failed_with 2 \
    '/dev/full: No space left on device'

cp $file "$scratch/self.sion"
chmod u+w "$scratch/self.sion"
ln "$scratch/self.sion" "$scratch/link.sion"
run sioncat -o "$scratch/link.sion" "$scratch/self.sion"
check 'sioncat: outfile is the input' failed_with 2 'is a file of the input'
check 'sioncat: the input does not change' same "$scratch/self.sion" $file

status=0
"$builddir/sioncat" "$scratch/self.sion" 2>"$scratch/err" >>"$scratch/link.sion" || status=$?
check 'sioncat: stdout is the input' failed_with 2 'is a file of the input'
check 'sioncat: the input still does not change' same "$scratch/self.sion" $file

# run_into FILE TOOL ARGUMENTS...: like run, with stdout to the file
run_into()
{
    status=0
    into=$1
    tool=$2
    shift 2
    "$builddir/$tool" "$@" >"$into" 2>"$scratch/err" || status=$?
}

full='standard output: No space left on device'
run_into /dev/full siondump $file
check 'siondump: full disk' failed_with 2 "$full"
run_into /dev/full siondump -a s09_many1000.sion
check 'siondump: full disk, long output' failed_with 2 'cannot write standard output'
run_into /dev/full sioncat $file
check 'sioncat: full disk' failed_with 2 "$full"
run_into /dev/full sionsplit $file "$scratch/part"
check 'sionsplit: full disk for the report' failed_with 2 "$full"
run_into /dev/full siondefrag $file "$scratch/new"
check 'siondefrag: full disk for the report' failed_with 2 "$full"
run_into /dev/full siondump --json $file
check 'siondump --json: full disk' failed_with 2 "$full"
run_into /dev/full siondump --svg=- $file
check 'siondump --svg: full disk' failed_with 2 "$full"
for command in 'sionls' 'sionls --json' 'sionls --advice' 'sionrecover' 'sionrecover --json' 'sionverify' \
    'sionverify --json' 'siondiff s01_single.sion' 'siondiff s07_keyval.sion' "sionmerge -v $scratch/merged"; do
    # shellcheck disable=SC2086
    run_into /dev/full $command $file
    check "$command: full disk for the report" failed_with 2 "$full"
done
run_into /dev/full siondiff -q s01_single.sion $file
check 'siondiff -q: nothing is to be written' ended 1
run_into /dev/full sionversion
check 'sionversion: full disk' failed_with 2 "$full"
run_into /dev/full siondump --help
check 'siondump --help: full disk' failed_with 2 "$full"

# If standard streams are closed, no data file becomes one of them.
status=0
"$builddir/siondump" $file <&- >&- 2>"$scratch/err" || status=$?
check 'siondump: stdout is closed' failed_with 2 'cannot write standard output'
status=0
"$builddir/sionsplit" s09_many1000.sion "$scratch/closed" <&- >&- 2>"$scratch/err" || status=$?
check 'sionsplit: stdout is closed' failed_with 2 'cannot write standard output'
cat "$scratch"/closed* >"$scratch/data"
run sioncat s09_many1000.sion
check 'sionsplit: no report in the files' same "$scratch/data" "$scratch/out"
rm "$scratch"/closed*
status=0
"$builddir/sionsplit" s09_many1000.sion "$scratch/closed" >&- 2>"$scratch/err" || status=$?
check 'sionsplit: only stdout is closed' failed_with 2 'cannot write standard output'
cat "$scratch"/closed* >"$scratch/data"
check 'sionsplit: no report in a file that would be stdout' same "$scratch/data" "$scratch/out"
"$builddir/sioncat" -v -o "$scratch/data" s09_many1000.sion 2>&-
check 'sioncat: no report in a file that would be stderr' same "$scratch/data" "$scratch/out"

# ---- tables before the data ----

"$builddir/test/tools/make_full" "$scratch/full.sion" 2>/dev/null || exit 99
"$builddir/sioncat" -v "$scratch/full.sion" >"$scratch/data" 2>"$scratch/err"
check 'sioncat: tables before the data, the bytes' test "$(cat "$scratch/data")" = abc
check 'sioncat: tables before the data, their place' grep -q 'start_of_varheader: *1104 bytes' "$scratch/err"
check 'sioncat: tables before the data, the file ends after the data' \
    grep -q 'size of file: *8192 bytes' "$scratch/err"
check 'sioncat: tables before the data, file usage' grep -q 'file usage: *0.036621%' "$scratch/err"

# ---- a chunk that is larger than any buffer ----

"$builddir/test/tools/make_large" "$scratch/large.sion" "$scratch/raw" 40 || exit 99
run sioncat -o "$scratch/data" "$scratch/large.sion"
check 'sioncat: a large chunk' printed /dev/null
check 'sioncat: a large chunk, its bytes' same "$scratch/data" "$scratch/raw"
run sionsplit "$scratch/large.sion" "$scratch/part_"
check 'sionsplit: a large chunk' succeeded
check 'sionsplit: a large chunk, its bytes' same "$scratch/part_00000" "$scratch/raw"
check 'sionsplit: a large chunk is one line' grep -qx \
    'sionsplit:                            41943045 read left=0 ' "$scratch/out"

# ulimit counts blocks of 512 or 1024 bytes: too few for the data.
limited()
{
    status=0
    (
        trap '' XFSZ
        ulimit -f 100
        "$builddir/$1" "$2" "$3" "$4" "$5"
    ) >"$scratch/out" 2>"$scratch/err" || status=$?
}
limited sioncat -v -o "$scratch/data" "$scratch/large.sion"
grep -v '^sioncat: .*:  ' "$scratch/err" >"$scratch/last"
mv "$scratch/last" "$scratch/err"
check 'sioncat: no space after some data' failed_with 2 "cannot write $scratch/data: File too large"
limited sionsplit -d 5 "$scratch/large.sion" "$scratch/part_"
check 'sionsplit: no space after some data' failed_with 2 \
    "cannot write $scratch/part_00000: File too large"

name='sioncat: memory does not grow with the chunk'
if has_sanitizers; then
    skip "$name" 'sanitizers take more memory'
else
    status=0
    (
        ulimit -v 32768
        "$builddir/sioncat" -o "$scratch/data" "$scratch/large.sion"
    ) >"$scratch/out" 2>"$scratch/err" || status=$?
    check "$name" printed /dev/null
    check "$name: the bytes" same "$scratch/data" "$scratch/raw"
fi

# Under mpiexec, the lines of all processes go to one terminal.
check "a message is one write" test "$("$builddir/test/tools/messages" \
    "$builddir/sionmerge" "$scratch/merged.sion" missing)" = 0

finish
