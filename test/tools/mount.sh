#!/bin/sh
# sionmount: the folder has what other tools print about the container.
. "$(dirname "$0")/lib.sh"

cd "$builddir" || exit 99
test -x sionmount || skip_all 'built without libfuse (Debian: libfuse3-dev)'
command -v fusermount3 >/dev/null || skip_all 'no fusermount3 (Debian: fuse3)'
mnt=$scratch/mnt
mkdir "$mnt"
trap 'fusermount3 -q -u -z "$mnt" 2>/dev/null; rm -rf "$scratch"' EXIT

# First the tests that need no mount.
run sionmount "$GOLDEN/invalid/i03_badmagic.sion" "$mnt"
check 'another file than a container' failed_with 2 'badmagic'
run sionmount "$scratch/nothing.sion" "$mnt"
check 'a missing file' failed_with 2 'nothing.sion'
echo data >"$scratch/file"
run sionmount "$GOLDEN/serial/s01_single.sion" "$scratch/file"
fusermount3 -q -u -z "$scratch/file" 2>/dev/null
check 'a file in place of a folder' failed_with 2 "cannot mount on $scratch/file: Not a directory"
run sionmount '' "$mnt"
check 'an empty name' failed_with 2 'no file name given'
run sionmount one
check 'too few operands' ended 1

./sionmount "$GOLDEN/serial/s01_single.sion" "$mnt" >"$scratch/out" 2>&1 || {
    # Mounting may be forbidden, as in most cloud containers; anything else is a failure.
    if ! test -w /dev/fuse || grep -q 'not permitted' "$scratch/out"; then
        skip 'mounting' "not possible: $(tail -n 1 "$scratch/out")"
        finish
    fi
}
fusermount3 -u "$mnt"
check 'a mount and an unmount' test -z "$(ls "$mnt")"
run sionmount "$GOLDEN/serial/s01_single.sion" "$scratch/nowhere"
check 'a missing folder' failed_with 2 'nowhere: No such file'
run sionmount -o nonsense_option "$GOLDEN/serial/s01_single.sion" "$mnt"
check 'an unknown option' failed_with 2 'nonsense_option'

mounted()
{
    ./sionmount "$1" "$mnt"
}

unmounted()
{
    fusermount3 -u "$mnt"
}

# Each task has the bytes that sioncat writes, and a name from its number.
tasks_are_right()
{
    ntasks=$(./siondump "$1" | sed -n 's/.*number of tasks: *//p')
    last=$((ntasks - 1))
    test "$(find "$mnt" -maxdepth 1 -type f -name '[0-9]*' | wc -l)" -eq "$ntasks" || return 1
    task=0
    while test $task -lt "$ntasks"; do
        name=$mnt/$(printf "%0${#last}d" $task)
        ./sioncat -t $task "$1" >"$scratch/wanted" && cmp "$name" "$scratch/wanted" &&
            test "$(stat -c %s "$name")" -eq "$(wc -c <"$scratch/wanted")" || return 1
        task=$((task + 1))
    done
}

# Each key has the bytes that sionsplit writes, and there are no other keys.
keys_are_right()
{
    rm -rf "$scratch/split" && mkdir "$scratch/split" &&
        ./sionsplit "$1" "$scratch/split/" >/dev/null || return 1
    (cd "$mnt/keys" && find . -type f) >"$scratch/keys"
    test "$(wc -l <"$scratch/keys")" -eq "$(ls "$scratch/split" | wc -l)" &&
        test -s "$scratch/keys" || return 1
    while read -r key; do
        task=${key#./}
        cmp "$mnt/keys/$key" \
            "$scratch/split/$(printf '%05d_%012d' "${task%/*}" "${key##*/}")" || return 1
    done <"$scratch/keys"
}

for sample in serial/s01_single serial/s04_multichunk serial/s07_keyval mpi/m01_multi mpi/m02_coll2 omp/o01_omp; do
    check "$sample: mounted" mounted "$GOLDEN/$sample.sion"
    check "$sample: the tasks" tasks_are_right "$GOLDEN/$sample.sion"
    if command -v python3 >/dev/null; then
        check "$sample: meta.json" python3 -c 'import json, sys
meta = json.load(open(sys.argv[1]))
dump = json.loads(sys.stdin.read())
assert meta["global_ranks"] == [task["global_rank"] for task in dump["tasks"]]
assert meta["chunks"] == [len(task["extents"]) for task in dump["tasks"]]
assert meta["bytes"] == dump["bytes"]["used"] and meta["file"] == dump["file"]
assert meta["number_of_files"] == dump["number_of_files"]' "$mnt/meta.json" <<END
$(./siondump --json "$GOLDEN/$sample.sion")
END
    fi
    case $sample in
    *keyval) check "$sample: the keys" keys_are_right "$GOLDEN/$sample.sion" ;;
    *) check "$sample: no keys" test ! -e "$mnt/keys" ;;
    esac
    check "$sample: unmounted" unmounted
done

# ---- merged streams ----

# Each file is what the task has written, and there are no holes where others have written.
members_are_right()
{
    for t in 0 1 2 3 4 5 6 7; do
        cmp "$mnt/$t" "$scratch/task.$t" || return 1
    done
    command -v python3 >/dev/null || return 0
    python3 -c 'import os, sys
task = os.open(sys.argv[1], os.O_RDONLY)
assert os.lseek(task, 5, os.SEEK_DATA) == 5
assert os.lseek(task, 5, os.SEEK_HOLE) == os.fstat(task).st_size
assert os.pread(task, 100, 250) == open(sys.argv[2], "rb").read()[250:350]' "$mnt/2" "$scratch/task.2"
}

cp "$GOLDEN/mpi/m03_cmerge.sion" "$scratch/merged.sion"
chmod u+w "$scratch/merged.sion"
(cd "$scratch" && "$builddir/test/tools/make_members" merged.sion) || exit 99
check 'merged streams: mounted' mounted "$scratch/merged.sion"
check 'merged streams: each task has its own bytes' members_are_right
check 'merged streams: unmounted' unmounted

# ---- compressed streams ----

# Each file is what the task has written; several readers of one file, and of others, get their bytes.
plain_bytes_are_right()
{
    for t in 0 1 2; do
        cmp "$mnt/$t" "$scratch/zip.$t" || return 1
    done
    command -v python3 >/dev/null || return 0
    python3 -c 'import os, sys, threading
wanted = [open(f"{sys.argv[2]}.{task}", "rb").read() for task in range(3)]
files = [os.open(f"{sys.argv[1]}/{task}", os.O_RDONLY) for task in range(3)]
bad = []
def read(first):
    for i in range(60):
        at = (first + 7919 * i) % (len(wanted[i % 3]) - 5000)
        if os.pread(files[i % 3], 5000, at) != wanted[i % 3][at:at + 5000]:
            bad.append(at)
threads = [threading.Thread(target=read, args=[100000 * t]) for t in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not bad
assert os.lseek(files[2], 5, os.SEEK_DATA) == 5
assert os.lseek(files[2], 5, os.SEEK_HOLE) == len(wanted[2])' "$mnt" "$scratch/zip"
}

if ./test/tools/make_zip "$scratch/zip.sion" 'wb,compress=zstd,compress_frame=65536' "$scratch/zip" 2>/dev/null; then
    check 'compressed streams: mounted' mounted "$scratch/zip.sion"
    check 'compressed streams: the plain bytes' plain_bytes_are_right
    check 'compressed streams: unmounted' unmounted
else
    skip 'compressed streams' 'no libzstd'
fi

# ---- as files are used ----

./test/tools/make_many "$scratch/many.sion" 101 3 5000
chmod 640 "$scratch/many.sion"
check 'a hundred tasks' mounted "$scratch/many.sion"
check 'all names have the same number of digits' test -f "$mnt/007" -a -f "$mnt/100" -a ! -e "$mnt/7"
for wrong in 101 0007 07 -01 +01 ' 01' 1e1 x meta keys 99999999999999999999; do
    check "there is no '$wrong'" test ! -e "$mnt/$wrong"
done
check 'permissions of tasks follow those of the container' test "$(stat -c '%a %F' "$mnt/007")" = '440 regular file'
check 'permissions of folders do so, too' test "$(stat -c '%a' "$mnt")" = 550
check 'times are those of the container' test "$(stat -c %Y "$mnt/007")" = "$(stat -c %Y "$scratch/many.sion")"
refuses_to_write()
{
    ! (echo x >"$mnt/007") 2>/dev/null && ! (echo x >"$mnt/new") 2>/dev/null && ! rm -f "$mnt/007" &&
        ! mkdir "$mnt/folder" && ./sioncat -t 7 "$scratch/many.sion" | cmp - "$mnt/007"
}
check 'nothing can be written' refuses_to_write
part_is_right()
{
    ./sioncat -t 8 "$scratch/many.sion" | tail -c +4000 | head -c 3000 >"$scratch/wanted"
    dd if="$mnt/008" bs=1 skip=3999 count=3000 2>/dev/null | cmp - "$scratch/wanted" &&
        test "$(wc -c <"$scratch/wanted")" -eq 3000
}
check 'a part that crosses two chunks' part_is_right
check 'mapped into memory' sh -c './test/tools/make_special map "$2/008" >"$3" && cmp "$2/008" "$3" && test -s "$3"' \
    - x "$mnt" "$scratch/mapped"

many_readers()
{
    pids=''
    for reader in 1 2 3 4 5 6; do
        (cat "$mnt"/[0-9]* | cmp - "$scratch/all") &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || return 1
    done
}
./sioncat "$scratch/many.sion" >"$scratch/all"
check 'many readers at once' many_readers
check 'unmounted while nobody reads' unmounted

# ---- other users ----

# as_other COMMAND...: as a user who is in no group
as_other()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
}

# lets MODE, refuses MODE: whether that user may read a task, or its folder, of a container that has
# this mode by now
lets()
{
    chmod "$1" "$scratch/folder/other.sion" && as_other cat "$mnt/007" >"$scratch/found" && as_other ls "$mnt/" >/dev/null
}
refuses()
{
    chmod "$1" "$scratch/folder/other.sion" && ! as_other cat "$mnt/007" >/dev/null 2>&1 &&
        ! as_other ls "$mnt/" >/dev/null 2>&1
}
if test "$(id -u)" -eq 0 && as_other true 2>/dev/null; then
    chmod 755 "$scratch" "$mnt" 2>/dev/null
    mkdir -m 755 "$scratch/folder"
    cp "$scratch/many.sion" "$scratch/folder/other.sion"
    chmod 644 "$scratch/folder/other.sion"
    check 'allow_other' ./sionmount -o allow_other "$scratch/folder/other.sion" "$mnt"
    check 'a file that others may read' lets 644
    check 'chmod takes effect' refuses 640
    check '... and back' lets 644
    chmod 700 "$scratch/folder"
    check 'a folder that others may not enter' refuses 644
    chmod 755 "$scratch/folder"
    check 'root may read it afterwards' cmp "$mnt/007" "$scratch/found"
    unmounted
    mkdir -m 777 "$scratch/own"
    as_other ./sionmount -o allow_other "$scratch/folder/other.sion" "$scratch/own" 2>"$scratch/err"
    check 'a user cannot let others in' grep -q 'allow_other: only root can check' "$scratch/err"
    fusermount3 -q -u "$scratch/own" 2>/dev/null
else
    skip 'other users' 'not root'
fi

# A stream that is partly a hole in the file.
./test/tools/make_special make "$scratch/holes.sion"
check 'a stream with a hole' mounted "$scratch/holes.sion"
if test "$(./test/tools/make_special list "$scratch/holes.sion" | wc -l)" -eq 1; then
    skip 'holes are shown' 'the file system has none'
else
    ./test/tools/make_special list "$mnt/0" >"$scratch/out"
    printf '%s\n' '0 1048576' '3145728 4194304' '5242880 6291456' >"$scratch/wanted"
    check 'holes are shown' same "$scratch/out" "$scratch/wanted"
fi
check 'holes read as zeros' sh -c './sioncat -t 0 "$1" | cmp - "$2/0"' - "$scratch/holes.sion" "$mnt"
unmounted

# ---- keys that are in no sample ----

./test/tools/make_special keys "$scratch/keys.sion"
check 'records of all kinds' mounted "$scratch/keys.sion"
check 'the largest key, empty records' test -f "$mnt/keys/1/18446744073709551615" -a \
    -f "$mnt/keys/1/0" -a ! -s "$mnt/keys/1/0"
check 'records of a key follow each other' test "$(cat "$mnt/keys/1/5")" = onetwothree
check 'a part of a key' test "$(tail -c 4 "$mnt/keys/1/5")" = hree
check 'there is no key 7, 05, 18446744073709551616' test ! -e "$mnt/keys/1/7" -a ! -e "$mnt/keys/1/05" \
    -a ! -e "$mnt/keys/1/18446744073709551616"
check 'a task without keys' test -d "$mnt/keys/0" -a -z "$(ls "$mnt/keys/0")"
unmounted
mounted "$GOLDEN/invalid/i42_kv_len_huge.sion"
check 'damaged records are an error' sh -c '! ls "$1"/keys/* 2>"$2" && grep -q "Input/output error" "$2"' \
    - "$mnt" "$scratch/err"
check 'other files can be read' test -s "$mnt/meta.json"
unmounted

# ---- containers that were never closed ----

# The same as sionrecover writes to a new container, and the old one does not change.
recovered_is_right()
{
    rm -f "$scratch"/unclosed.sion* "$scratch"/copied.sion
    ./test/src/recover/make_unclosed "$scratch/unclosed.sion" "$1" "$2" || return 1
    cat "$scratch"/unclosed.sion* >"$scratch/before"
    ./sionrecover -o "$scratch/copied.sion" "$scratch/unclosed.sion" >/dev/null &&
        ./sionmount --recover "$scratch/unclosed.sion" "$mnt" || return 1
    tasks_are_right "$scratch/copied.sion" && cat "$mnt"/[0-9]* | grep -q . &&
        { case $1 in *keyval*) keys_are_right "$scratch/copied.sion" ;; esac; } &&
        cat "$scratch"/unclosed.sion* | cmp - "$scratch/before"
    right=$?
    unmounted && return $right
}
check 'not closed, with commit records' recovered_is_right bw,recover 1
check 'a set of files that were not closed' recovered_is_right bw,recover 3
check 'key-value records that were not closed' recovered_is_right bw,recover,keyval=inline 1
run sionmount "$scratch/unclosed.sion" "$mnt"
check 'without --recover it is refused' failed_with 2 sionrecover
./test/src/recover/make_unclosed "$scratch/plain.sion" bw 1
run sionmount --recover "$scratch/plain.sion" "$mnt"
check 'without commit records, it is refused' failed_with 2 'no commit records'
mounted_anyway()
{
    ./sionmount --recover "$GOLDEN/mpi/m01_multi.sion" "$mnt" && tasks_are_right "$GOLDEN/mpi/m01_multi.sion"
}
check 'closed containers are mounted as usual' mounted_anyway
unmounted

# ---- many tasks ----

./test/tools/make_many "$scratch/many.sion" 100000 1 1
mounted "$scratch/many.sion"
check 'a hundred thousand tasks are listed' test "$(ls -f "$mnt" | grep -cx '[0-9]\{5\}')" -eq 100000
check 'each task is listed once' test "$(ls -f "$mnt" | sort -u | wc -l)" -eq 100003
unmounted

# ---- the program ----

./sionmount -f "$GOLDEN/serial/s01_single.sion" "$mnt" 2>"$scratch/err" &
pid=$!
check 'in the foreground' timeout 60 sh -c 'until test -e "$1/meta.json"; do :; done' - "$mnt"
check 'the mount is in the list of mounts' grep -q "s01_single.sion $mnt fuse.sion ro," /proc/mounts
unmounted
wait $pid
check 'the program ends with the mount' test $? -eq 0 -a ! -s "$scratch/err"
./sionmount -f "$GOLDEN/serial/s01_single.sion" "$mnt" 2>"$scratch/err" &
pid=$!
timeout 60 sh -c 'until test -e "$1/meta.json"; do :; done' - "$mnt"
kill -TERM $pid
wait $pid
check 'a signal ends the mount' test $? -eq 0 -a ! -e "$mnt/meta.json"
(cd "$scratch" && cp "$GOLDEN/mpi/m01_multi.sion"* . && "$builddir/sionmount" m01_multi.sion mnt)
check 'names relative to the working folder' test "$(find "$mnt" -name '[0-9]*' -exec cat {} + | wc -c)" -eq \
    "$(./sioncat "$scratch/m01_multi.sion" | wc -c)"
unmounted
finish
