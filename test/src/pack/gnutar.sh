# Tars that are written here are extracted by GNU tar, and those of GNU tar are read here.
. "$srcdir/test/harness.sh"

tar --version 2>&1 | grep -q 'GNU tar' || skip_all 'no GNU tar'
umask 022
program=$builddir/test/src/pack/packtar

long=$(printf '%0120d' 7)
longer=$(printf '%0250d' 7)
tree=$scratch/tree
mkdir -p "$tree/a/b/c" "$tree/empty" "$tree/$long/$longer/$long" "$tree/a.b"
printf 'one\n' >"$tree/a/one"
head -c 100000 /dev/zero | tr '\0' 'x' >"$tree/a/b/large"
: >"$tree/a/b/c/nothing"
printf 'text' >"$tree/$long/$longer/$long/$longer"
ln -s ../one "$tree/a/b/link"
ln -s "$long/$longer" "$tree/longlink"
ln "$tree/a/one" "$tree/z-hard"
ln "$tree/$long/$longer/$long/$longer" "$tree/z-long-hard"
mkfifo "$tree/pipe"
printf 'x' >"$tree/name with blanks, ümlaut
and a newline"
printf 'y' >"$tree/$(printf 'byte\377s')"
dd if=/dev/urandom of="$tree/sparse" bs=1000 count=1 seek=2000 2>/dev/null
dd if=/dev/urandom of="$tree/sparse" bs=1000 count=1 conv=notrunc 2>/dev/null
truncate -s 5000000 "$tree/sparse"
chmod 751 "$tree/a/one"
chmod 700 "$tree/a.b"
touch -d '2001-02-03 04:05:06.789' "$tree/a/b/large"
touch -d '1960-02-03 04:05:06.789' "$tree/a/b/c/nothing"
touch -d '2001-02-03 04:05:06' "$tree/a/b/c"
touch -h -d '2002-02-03 04:05:06.5' "$tree/a/b/link"

# listed FOLDER: all of it, with times and contents
listed()
{
    (
        cd "$1" || exit
        find . ! -name . -printf '%P %y %m %T@ %l %n ' \( -type f -printf '%s\n' -o -printf '\n' \) |
            sort
        find . -type f -print0 | sort -z | xargs -0 cksum
    )
}

# extract TAR... : by GNU tar, one after the other
extract()
{
    rm -rf "$scratch/extracted"
    mkdir "$scratch/extracted"
    for each; do
        tar -x -p -f "$each" -C "$scratch/extracted" 2>>"$scratch/errors" || return
    done
}

# is_as_packed TASKS
is_as_packed()
{
    rm -f "$scratch"/packed.*
    : >"$scratch/errors"
    "$program" pack "$tree" "$scratch/packed" "$1" || return
    # Files are packed in the order of their paths, so the numbers are.
    extract $(seq -f "$scratch/packed.%g" 0 $(($1 - 1))) || return
    listed "$tree" >"$scratch/wanted"
    listed "$scratch/extracted" >"$scratch/found"
    grep -v "implausibly old time stamp" "$scratch/errors"
    test $? -eq 1 && same "$scratch/wanted" "$scratch/found"
}

check 'GNU tar extracts what is packed' is_as_packed 1
check 'also from several streams' is_as_packed 5

"$program" pack "$tree" "$scratch/packed" 1
cp "$scratch/packed.0" "$scratch/once"
"$program" pack "$tree" "$scratch/packed" 1
check 'packing a tree again gives the same bytes' same "$scratch/once" "$scratch/packed.0"

check 'holes of files are holes of the stream' \
    test "$(stat -c %b "$scratch/packed.0")" -lt 2000

# Names and types are those of the tree, whoever has made the tar. Only pax has all digits of times.
for format in pax gnu ustar; do
    subject=$tree
    if test $format = ustar; then # which has no names of 250 bytes
        subject=$scratch/short
        cp -a "$tree" "$subject"
        rm -rf "${subject:?}/$long" "$subject/longlink" "$subject/z-long-hard" "$subject/a/b/c/nothing"
        touch -d '2001-02-03 04:05:06' "$subject/a/b/c"
    fi
    digits='s/\.[0-9]{9} /.000000000 /'
    test $format = pax && digits=''
    (cd "$subject" && find . ! -name . -printf '%P\0' | sort -z |
        tar -c --format=$format --no-recursion --null -T - -f "$scratch/$format.tar")
    "$program" find "$subject" | sed -E "$digits" | LC_ALL=C sort >"$scratch/wanted"
    "$program" list "$scratch/$format.tar" | sed -E "$digits" | LC_ALL=C sort >"$scratch/found"
    check "a tar of --format=$format is read" same "$scratch/wanted" "$scratch/found"
done

(cd "$tree" && tar -c --format=pax --sparse -f "$scratch/sparse.tar" sparse)
"$program" list "$scratch/sparse.tar" >"$scratch/out" 2>&1
check 'a sparse file of GNU tar is refused' grep -q 'a sparse file of GNU tar' "$scratch/out"

# 9 GiB without a byte on the disk
mkdir "$scratch/huge"
truncate -s 9G "$scratch/huge/file" 2>/dev/null && {
    touch -d '2001-02-03 04:05:06' "$scratch/huge/file"
    "$program" pack "$scratch/huge" "$scratch/big" 1
    check 'a file of 9 GiB is packed as a hole' test "$(stat -c %b "$scratch/big.0")" -lt 100
    tar -tv --full-time -f "$scratch/big.0" 2>&1 | grep -c ' 9663676416 .* file$' >"$scratch/out"
    check 'and GNU tar sees its size' grep -qx 1 "$scratch/out"
    rm -f "$scratch/big.0"
}

# Nothing that changes while it is packed is packed without a word.
mkfifo "$scratch/never" 2>/dev/null
"$program" pack "$scratch/none" "$scratch/packed" 1 >"$scratch/out" 2>&1
check 'a folder that is not there is named' grep -q 'cannot read folder .*none: No such file' "$scratch/out"
finish
