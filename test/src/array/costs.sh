# What arrays cost: the memory of their index, and the system calls that read a part of an array,
# which is read without the bytes around it.
. "$srcdir/test/harness.sh"
cd "$builddir" || exit 99
file=$scratch/large.sion
check 'a container with an array of two blocks, 1 MiB each' ./test/src/array/make "$file" large

# peak COMMAND...: its memory in KiB
peak()
{
    ./test/tools/peak "$scratch/peak" "$@" >"$scratch/out" && cat "$scratch/peak"
}

# grows_by LIMIT FEW MANY: both are numbers of KiB
grows_by()
{
    echo "$2 KiB, $3 KiB"
    test "$(($3 - $2))" -le "$1"
}

many=$scratch/many.sion
limit=12500 # 64 bytes for each of 200,000 blocks
writes_few=$(peak "$builddir/test/src/array/make" "$file" large)
writes_many=$(peak "$builddir/test/src/array/make" "$many" many)
reads_few=$(peak "$builddir/sionarray" ls "$file")
reads_many=$(peak "$builddir/sionarray" ls "$many")
check 'all blocks are found' grep -q ' 200000 ' "$scratch/out"
if has_sanitizers; then
    skip 'memory for each block' 'sanitizers take memory of their own'
else
    check 'a block takes at most 64 bytes of the writer' grows_by $limit "$writes_few" "$writes_many"
    check 'a block takes at most 64 bytes of the reader' grows_by $limit "$reads_few" "$reads_many"
fi

strace -o /dev/null true 2>/dev/null || {
    skip 'system calls' 'no strace (Debian: strace), or it may not trace here'
    finish
}

# reads COMMAND...: how many calls of COMMAND have read from the container, and how many bytes. The
# leak sanitizer traces a process itself, so it cannot run here.
reads()
{
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -y \
        -e trace=read,readv,pread64,preadv,preadv2,mmap -o "$scratch/trace" "$@" \
        >"$scratch/out" || return 1
    awk -v file="$file" '
        index($0, "<" file ">") == 0 { next }
        / mmap\(/ { maps++ }
        { calls++; bytes += $NF }
        END { print calls - maps, bytes, "in", maps + 0, "maps" }' "$scratch/trace"
}

# touches CALLS BYTES SLICE: the slice is read with these, next to what opening the container takes, and
# the header of a block in each of the two tasks' streams
touches()
{
    reads ./sionarray dump --csv -s "$3" "$file" T >"$scratch/both" || return 1
    awk -v calls="$1" -v bytes="$2" '
        NR == 1 { open_calls = $1; open_bytes = $2 }
        NR == 2 { print $1 - open_calls, "calls,", $2 - open_bytes, "bytes,", $4, "maps"
                  exit !($1 - open_calls == calls + 2 && $2 - open_bytes == bytes + 2 * 128 && $4 == 0) }' \
        "$scratch/opening" "$scratch/both"
}

# The two blocks are written in pieces. Only the first one of a block is joined with what the buffer
# has; the rest of a block stays in the buffer, or, where the file is in memory, is in the last one.
ends_of_pieces()
{
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f \
        -e trace=write,writev,pwrite64,pwritev,pwritev2 -o "$scratch/trace" \
        ./test/src/array/make "$scratch/pieces.sion" larger || return 1
    sed -n 's/.*, \([0-9]*\)) *= \([0-9]*\)$/\1 \2/p' "$scratch/trace" | awk '
        $2 >= 65536 { print $1, $2; pieces++; wrong += ($1 + $2) % 1048576 != 0 || $2 > 2097152 }
        END { exit pieces < 6 || wrong > 2 }' && test "$(grep -c '\], 2, ' "$scratch/trace")" -le 2
}

check 'pieces of a block, but the last one, end on multiples of 1 MiB, without a copy' ends_of_pieces

reads ./sionarray ls "$file" >"$scratch/opening"
check 'opening it reads less than 64 KiB, in at most 8 calls' \
    awk '{ print } !($1 <= 8 && $2 < 65536) { exit 1 }' "$scratch/opening"
check 'a part of a row: one call' touches 1 80 7,1000:1020
check 'whole rows: one call' touches 1 204800 100:150,:
check 'parts of rows: their bytes, a call for each' touches 30 24000 10:40,100:300
check 'parts of rows, 400 bytes apart: one call, which reads what is between them' \
    touches 1 122480 10:40,0:924
check 'rows of both blocks: a call for each block' touches 2 40960 251:261,:
check 'a column: a call for each row' touches 512 2048 :,17
check 'the numbers of the column are right' awk '$1 != (NR - 1) * 1024 + 17 { exit 1 }
    END { exit NR != 512 }' "$scratch/out"
finish
