#!/bin/sh
# sionmv, sioncp, sionrm: all files of a container, and never half of it.
. "$(dirname "$0")/lib.sh"

golden=$(cd "$GOLDEN" && pwd) || exit 99
builddir=$(cd "$builddir" && pwd) || exit 99
cd "$scratch" || exit 99
buddy=$golden/buddy/m06d_buddy3l2.sion
set=$golden/mpi/m01_multi.sion

# fetch SAMPLE NAME: copies all files of a sample, under names that begin with NAME
fetch()
{
    for file in "$1" "$1".?????? "$1"_BUDDY_?? "$1"_BUDDY_??.??????; do
        test ! -e "$file" || cp "$file" "$2${file#"$1"}"
    done
}

# The files here that begin with a name, what follows it, in one line; also hidden ones.
files()
{
    ls -A | sed -n "s/^$1//p" | tr '\n' ' '
}
has_files()
{
    test "$(files "$1")" = "$2" || {
        echo "files: $(files "$1")"
        return 1
    }
}
# One that was made and has not got its name.
clean()
{
    ! ls -A | grep '^\.'
}
is_like()
{
    "$builddir/siondiff" "$1" "$2"
}
all=' .000001 .000002 _BUDDY_00 _BUDDY_00.000001 _BUDDY_00.000002 _BUDDY_01 _BUDDY_01.000001 _BUDDY_01.000002 '

# ---- names ----

fetch "$buddy" a.sion
run sionmv -v a.sion b.sion
check 'a set with copies is renamed' said 'a.sion -> b.sion'
check 'with all files' has_files b.sion "$all"
check 'and nothing is left' has_files a.sion ''
check 'it has the same data' is_like b.sion "$buddy"
check 'its copies are those of the sample' same b.sion_BUDDY_01.000002 "${buddy}_BUDDY_01.000002"
run sioncp b.sion c.sion
check 'a set with copies is copied' printed /dev/null
check 'with all files, and both are there' sh -c 'test "$1" = "$2"' - "$(files b.sion)" "$(files c.sion)"
check 'the copy has the same data' is_like c.sion b.sion
run sioncp b.sion c.sion
check 'an older container is not replaced' failed_with 2 'c.sion exists (-f replaces it)'
run sionmv b.sion c.sion
check 'nor by another name' failed_with 2 'c.sion exists (-f replaces it)'
rm c.sion
run sionmv b.sion c.sion
check 'nor a part of it' failed_with 2 'c.sion.000001 exists (-f replaces it)'
check 'the source is as it was' has_files b.sion "$all"
run sionrm -f c.sion
check 'what is left of a container is removed' printed /dev/null
check 'all of it' has_files c.sion ''

mkdir folder
fetch "$set" a.sion
run sionmv a.sion b.sion folder
check 'several into a folder' printed /dev/null
check 'both are there' is_like folder/b.sion "$buddy"
run sionmv folder/a.sion folder/b.sion nothing
check 'several into what is no folder' failed_with 2 'nothing is not a folder'
run sionmv nothing.sion folder/a.sion .
check 'one that is not there' failed_with 2 'nothing.sion'
check 'the others are moved all the same' is_like a.sion "$set"
run sionmv a.sion.000001 x
check 'a part of a set' failed_with 2 'a.sion.000001 is file 1 of a set: name file 0 in place of it'
run sionmv -f a.sion a.sion
check 'its own name' failed_with 2 'a.sion is a file of the container itself'
for tool in sionmv sioncp; do
    run $tool -f a.sion a.sion.000001
    check "$tool: the name of one of its files" failed_with 2 'a.sion.000001 is a file of the container itself'
done
mkdir d.sion.000001
run sionmv -f a.sion d.sion
check 'a folder is in the way' failed_with 2 'd.sion.000001 is a folder'
echo text >text
run sionmv text x
check 'what is no container' failed_with 2 text
run sioncp a.sion
check 'no target' failed_with 1 'operand 2 of 2 is missing'
check 'the source is there after all this' is_like a.sion "$set"

# ---- older containers ----

fetch "$buddy" old.sion
echo other >old.sion.000009
run sioncp -f a.sion old.sion
check 'a larger set is replaced' printed /dev/null
check 'its other files are gone, and what it did not have stays' has_files old.sion ' .000001 .000002 .000009 '
check 'with the new data' is_like old.sion "$set"
rm old.sion.000009
run sionmv -f folder/b.sion old.sion
check 'a smaller set is replaced' is_like old.sion "$buddy"
check 'all files' has_files old.sion "$all"
cp "$golden/serial/s04_multichunk.sion" one.sion
chmod 640 one.sion
run sionmv -f one.sion old.sion
check 'a set by a single file' is_like old.sion "$golden/serial/s04_multichunk.sion"
check 'nothing else is left' has_files old.sion ' '
check 'no file without a name' clean

# ---- what is said of files ----

cp "$golden/serial/s01_single.sion" one.sion
chmod 604 one.sion
touch -d '2001-02-03 04:05:06' one.sion
run sioncp -p one.sion two.sion
check '-p: permissions and times' test "$(stat -c '%a %Y' two.sion)" = "$(stat -c '%a %Y' one.sion)"
rm two.sion
umask 077
run sioncp one.sion two.sion
umask 022
check 'permissions under the umask' test "$(stat -c %a two.sion)" = 600
check 'a time of its own' test "$(stat -c %Y two.sion)" != "$(stat -c %Y one.sion)"
"$builddir/test/src/recover/make_unclosed" killed.sion bw,recover 1 >/dev/null
cp killed.sion holes.sion
truncate -s 300M holes.sion
run sioncp holes.sion copy.sion
check 'a container that was never closed' same copy.sion holes.sion
check 'holes stay holes' test "$(stat -c %b copy.sion)" -lt 100000
run sionmv killed.sion moved.sion
run sionrecover --in-place moved.sion
check 'it is recovered under another name' succeeded

# ---- a container that is written ----

"$builddir/test/src/recover/make_unclosed" busy.sion bw,recover 1 wait >waiting &
writer=$!
until test -s waiting || ! kill -0 $writer; do sleep 0.1; done
by="busy.sion is being written by process $writer on $(hostname)"
run sionmv busy.sion x.sion
check 'sionmv: it is being written' failed_with 2 "$by"
run sioncp busy.sion x.sion
check 'sioncp: it is being written' failed_with 2 "$by"
run sionrm -f busy.sion
check 'sionrm: it is being written' failed_with 2 "$by"
run sioncp -f one.sion busy.sion
check 'a target that is being written' failed_with 2 "$by"
kill -KILL $writer
wait $writer 2>/dev/null
run sionrm busy.sion
check 'its writer was killed' has_files busy.sion ''

# ---- missing and damaged files ----

fetch "$buddy" m.sion
rm m.sion.000001
run sioncp m.sion n.sion
check 'a file that a copy has' printed /dev/null
check 'it comes without this file' has_files n.sion \
    ' .000002 _BUDDY_00 _BUDDY_00.000001 _BUDDY_00.000002 _BUDDY_01 _BUDDY_01.000001 _BUDDY_01.000002 '
rm m.sion_BUDDY_00.000001 m.sion_BUDDY_01.000001
for tool in 'sionmv m.sion o.sion' 'sioncp m.sion o.sion'; do
    # shellcheck disable=SC2086
    run $tool
    check "$tool: no file, and no copy" failed_with 2 'm.sion.000001 is missing, which is file 1 of 3 of the container'
done
run sionrm m.sion
check 'sionrm: a missing file' failed_with 2 'which is file 1 of 3 of the container; -f removes the others'
run sionrm -v -f m.sion
check 'sionrm -f' said 'm.sion is removed'
check 'sionrm -f removes the others' has_files m.sion ''
: >n.sion
run sionrm n.sion
check 'sionrm: file 0 is damaged' failed_with 2 n.sion
run sionrm -f n.sion nothing.sion
check 'sionrm -f: by their names' has_files n.sion ''
check 'sionrm -f: nothing is no error' printed /dev/null
run sionrm nothing.sion
check 'sionrm: nothing' failed_with 2 nothing.sion

# ---- the other file system ----

other=$(mktemp -d "$builddir/moves.XXXXXX") || exit 99
trap 'rm -rf "$scratch" "$other"' EXIT
fetch "$buddy" far.sion
chmod 604 far.sion
touch -d '2001-02-03 04:05:06' far.sion.000001
times=$(stat -c '%a %Y' far.sion far.sion.000001)
run sionmv far.sion "$other"
check 'to another file system' printed /dev/null
check 'nothing is left' has_files far.sion ''
check 'all data' is_like "$other/far.sion" "$buddy"
check 'permissions and times' test "$(stat -c '%a %Y' "$other/far.sion" "$other/far.sion.000001")" = "$times"
fetch "$set" far.sion
run sionmv -f far.sion "$other"
check 'to another file system, in place of an older one' is_like "$other/far.sion" "$set"
check 'no other file there' test "$(ls -A "$other" | wc -l)" -eq 3

# ---- failures ----

# unchanged NAME: it is the sample, and nothing is left beside it
unchanged()
{
    is_like "$1" "$set" && clean
}
# cannot FAULT TOOL...: the tool fails with this fault, and nothing has changed
cannot()
{
    fault=$1
    shift
    fetch "$set" a.sion
    fetch "$set" old.sion
    SION_FAULT=$fault run "$@"
    check "$fault, $*: it fails" ended 2
    check "$fault, $*: the source" unchanged a.sion
    check "$fault, $*: an older container" unchanged old.sion
    check "$fault, $*: no new file" has_files new ''
}
rm -f old.sion* a.sion*
for fault in write:enospc:1 write:eio:2 sync:eio:2 open:emfile:9+; do
    cannot $fault sioncp a.sion new.sion
    cannot $fault sioncp -f a.sion old.sion
done
for fault in rename:eio:1 link:enospc:2; do
    cannot $fault sionmv a.sion new.sion
    cannot $fault sioncp -f a.sion old.sion
done
cannot rename:eacces:4 sionmv -f a.sion old.sion
fetch "$set" a.sion
SION_FAULT=link:eperm:1+ run sionmv a.sion new.sion
check 'without links' is_like new.sion "$set"
check 'without links: nothing is left' has_files a.sion ''
fetch "$buddy" a.sion
SION_FAULT=link:eperm:1+ run sionmv -f a.sion new.sion
check 'without links, in place of an older one' is_like new.sion "$buddy"
check 'without links: all files' has_files new.sion "$all"
rm -f a.sion* new.sion* .[!.]*

# ---- a kill at each call ----

# whole NAME: there is no container of the name, or a whole one
whole()
{
    test ! -e "$1" || "$builddir/sioncat" -t 0 "$1" >/dev/null || {
        echo "$1 is not whole"
        return 1
    }
}
# killed WANTED TOOL FROM TO: in each call that changes something; at any moment one of the names is that of a whole
# container, and no name that of half a container
killed()
{
    wanted=$1
    shift
    n=0
    problems=0
    while :; do
        rm -f from.sion* to.sion* .[!.]*
        fetch "$set" from.sion
        test "$wanted" = new || fetch "$buddy" to.sion
        n=$((n + 1))
        SION_FAULT=any:kill:$n run "$@"
        test "$status" -ne 0 && test "$n" -lt 200 || break
        whole from.sion && whole to.sion || problems=$((problems + 1))
        { test -e from.sion && is_like from.sion "$set"; } || is_like to.sion "$set" || problems=$((problems + 1))
        # What a killed move has left does not keep the next one from its work.
        test "$1" = sionmv && test "$wanted" = new && test -e from.sion || continue
        run sionmv from.sion to.sion
        { ended 0 && is_like to.sion "$set" && has_files from.sion ''; } || problems=$((problems + 1))
    done >"$scratch/problems" 2>&1
    check "$*: killed in each call" test "$n" -gt 4 -a "$n" -lt 200 -a "$problems" -eq 0
    test "$problems" -eq 0 || show "$scratch/problems"
}
killed new sionmv from.sion to.sion
killed old sionmv -f from.sion to.sion
killed new sioncp from.sion to.sion
killed old sioncp -f from.sion to.sion

# A container that is removed is none at once.
n=0
problems=0
while :; do
    rm -f from.sion*
    fetch "$set" from.sion
    n=$((n + 1))
    SION_FAULT=any:kill:$n run sionrm from.sion
    test "$status" -ne 0 && test "$n" -lt 200 || break
    whole from.sion || problems=$((problems + 1))
    run sionrm -f from.sion
    has_files from.sion '' || problems=$((problems + 1))
done
check 'sionrm: killed in each call' test "$n" -eq 3 -o "$n" -eq 4 -a "$problems" -eq 0
finish
