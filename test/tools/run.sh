#!/bin/sh
# sionrun: what programs write as many files becomes one container.
. "$(dirname "$0")/run_lib.sh"

needs_preload
mkdir work && cd work || exit 99
sioncat=$builddir/sioncat

# tar_is TASK NAMES: the stream of a task is a tar with these names
tar_is()
{
    "$sioncat" -t "$1" x.sion >tar.$1 && tar -tf tar.$1 | tr '\n' ' ' >names && test "$(cat names)" = "$2"
}
clean()
{
    rm -rf x.sion out stay log back
}

# ---- one program ----

check 'a program writes and reads files' \
    run "$sionrun" --by node -o x.sion --files 'out/**' -- \
    sh -c 'mkdir -p out/a && echo hello >out/a/one && echo more >>out/a/one && cat out/a/one && ls out && echo >stay'
check 'it sees them' test "$(tr '\n' ' ' <log)" = 'hello more a '
check 'they are not there' test ! -e out
check 'other files are' test -s stay
check 'they are in the container' tar_is 0 'out/ out/a/ out/a/one '
mkdir back && tar -C back -xf tar.0
printf 'hello\nmore\n' >expected
check 'with their bytes' same back/out/a/one expected
check 'nothing stays on the node' nothing_staged
check 'the container is a good one' run "$builddir/sionverify" x.sion

clean
check 'the exit status is the program'"'"'s' fails 7 "$sionrun" -o x.sion --files 'out*' sh -c 'echo >out; exit 7'
check 'its files are packed' tar_is 0 'out '
clean
check 'that of a signal, too' fails 137 "$sionrun" -o x.sion --files 'out*' sh -c 'echo >out; kill -9 $$'
check 'and then the files are packed' tar_is 0 'out '
clean
check 'options of the program are its own' run "$sionrun" -o x.sion --files 'out*' printf '%s' -o
check 'a program that writes nothing leaves a container' tar_is 0 ''

clean
check 'what a program has left is waited for' \
    run "$sionrun" -o x.sion --files 'out*' sh -c '(while test -e wait; do sleep 0.1; done; echo late >out) & rm -f wait'
check 'its files are packed' tar_is 0 'out '

clean
check 'each process that writes has a task' \
    run "$sionrun" -o x.sion --files 'out*' sh -c 'sh -c "echo 1 >out1"; sh -c "echo 2 >out2"'
check 'the first' tar_is 0 'out1 '
check 'the second' tar_is 1 'out2 '
clean
check 'or the node has one' \
    run "$sionrun" --by node -o x.sion --files 'out*' sh -c 'sh -c "echo 1 >out1"; sh -c "echo 2 >out2"'
check 'with all files' tar_is 0 'out1 out2 '

clean
check 'many files in folders, also such that may not be changed' run "$sionrun" --by node -o x.sion --files 'out/**' \
    sh -c 'mkdir -p out/a/deep out/b out/c && cd out && seq 1000 | sed s,^,a/deep/, | xargs touch &&
        seq 1000 | sed s,^,b/, | xargs touch && seq 500 | sed s,^,c/, | xargs touch && echo stay >c/1 && chmod 500 b'
check 'are all packed' test "$("$sioncat" -t 0 x.sion | tar -tf - | wc -l)" -eq 2505
check 'and all removed' nothing_staged

# ---- what cannot be done ----

clean
check 'without a pattern' fails 1 "$sionrun" -o x.sion true
check 'it says what is missing' says '--files says which files'
check 'a pattern elsewhere' fails 2 "$sionrun" -o x.sion --files '/other/*' true
check 'is named' says '/other/'
check 'nothing stays on the node' nothing_staged
check 'a program that is not there' fails 127 "$sionrun" -o x.sion --files 'out*' ./none
check 'is named' says 'cannot run ./none'
clean
if printf 'int main(void) { return 0; }\n' | ${CC:-cc} -static -x c -o static - 2>/dev/null; then
    check 'a static program is refused' fails 2 "$sionrun" -o x.sion --files 'out*' ./static
    check 'and told why' says 'linked statically'
fi
cp /bin/true setuid && chmod u+s setuid
check 'so is one with the rights of another user' fails 2 "$sionrun" -o x.sion --files 'out*' ./setuid
check 'the folder of the container must be there' fails 2 "$sionrun" -o none/x.sion --files 'out*' true
check 'so must the one for staging' fails 2 "$sionrun" --stage "$scratch/none" -o x.sion --files 'out*' true
check 'which is told' says 'cannot stage in'

# ---- while the program runs ----

# content_is CONTAINER NAMES
content_is()
{
    "$sioncat" -t 0 "$1" | tar -tf - | tr '\n' ' ' >names && test "$(cat names)" = "$2" || { cat names; return 1; }
}
clean
rm -f x.0*
mkfifo go
timeout "$seconds" "$sionrun" --by node --pack-on USR1 -o x.sion --files 'out*' sh -c '
    echo closed >out1; exec 3>out2; echo open >&3; : >begun
    read -r x <go; exec 3>&-; : >ended; read -r x <go; echo last >out3' >log 2>&1 &
child=$!
until_there begun
kill -USR1 "$(pgrep -P $child)"
check 'a signal makes a container while the program runs' until_there x.000001.sion
check 'with what is closed' content_is x.000001.sion 'out1 '
echo >go
until_there ended
kill -USR1 "$(pgrep -P $child)"
check 'another one makes the next' until_there x.000002.sion
check 'with what has been closed since' content_is x.000002.sion 'out2 '
echo >go
wait $child
check 'the end makes the last one' content_is x.000003.sion 'out3 '
check 'there is no other one' test ! -e x.sion -a ! -e x.000004.sion
check 'nothing stays on the node' nothing_staged
rm -f x.0* go begun ended

clean
check 'files can be left for later' run "$sionrun" --leave -o x.sion --files 'out*' sh -c 'echo left >out'
check 'which is told' says 'the files stay in'
check 'there is no container yet' test ! -e x.sion
check 'then they are packed, too' run "$sionrun" --pack "$SION_STAGE"
check 'as they were' tar_is 0 'out '
check 'and nothing stays' nothing_staged
check 'the exit status is the program'"'"'s' fails 7 "$sionrun" --leave -o x.sion --files 'out*' sh -c 'echo left >out; exit 7'
check 'what was left can be discarded' run "$sionrun" --discard "$SION_STAGE"
check '--leave without -o' fails 1 "$sionrun" --leave -i x.sion --files 'out*' true

clean
mkfifo go
timeout "$seconds" "$sionrun" --by node --pack-when 'out/*/done' -o x.sion --files 'out/**' sh -c '
    mkdir -p out/1; echo 1 >out/1/data; echo >out/1/done
    read -r x <go; mkdir out/2; echo 2 >out/2/data' >log 2>&1 &
child=$!
check 'a file of a name makes a container when it is closed' until_there x.000001.sion
check 'with what is closed' content_is x.000001.sion 'out/ out/1/ out/1/data out/1/done '
echo >go
wait $child
check 'the end makes the last one' content_is x.000002.sion 'out/2/ out/2/data '
check 'nothing stays on the node' nothing_staged
rm -f x.0* go

# ---- files of earlier containers ----

clean
check 'a container for the next runs' run "$sionrun" --by node -o first.sion --files 'out/**' \
    sh -c 'mkdir out; echo kept >out/kept; echo old >out/changed; echo gone >out/gone; ln -s kept out/link'
check 'its files are seen, changed, removed and joined by others' \
    run "$sionrun" --by node -i first.sion -o x.sion --files 'out/**' \
    sh -c 'cat out/kept out/link; ls out; echo new >>out/changed; rm out/gone; cat out/gone; echo more >out/added'
check 'as they would be' test "$(grep -v 'No such' log | tr '\n' ' ')" = 'kept kept changed gone kept link '
check 'the new container has what is new' tar_is 0 'out/added out/changed '
tar -xOf tar.0 out/changed >back
printf 'old\nnew\n' >expected
check 'whole' same back expected
check 'the old one is as before' content_is first.sion 'out/ out/changed out/gone out/kept out/link '
check 'of two containers, the last one counts' \
    run "$sionrun" -i first.sion -i x.sion --files 'out/**' cat out/changed out/kept out/added
check 'and nothing is kept without -o' test "$(tr '\n' ' ' <log)" = 'old new kept more '
check 'a container that is none' fails 2 "$sionrun" -i expected -o x.sion --files 'out/**' true
if "$builddir/siondefrag" --compress=zstd first.sion zip.sion >log 2>&1; then
    check 'one that is compressed' fails 2 "$sionrun" -i zip.sion --files 'out/**' cat out/kept
    check 'it says so' says 'zip.sion is compressed: its files cannot be shown'
    check 'what is made of it' run "$builddir/siondefrag" --plain zip.sion plain.sion
    check 'can be' run "$sionrun" -i plain.sion --files 'out/**' cat out/kept
    check 'and is right' test "$(cat log)" = kept
    rm -f zip.sion plain.sion
else
    skip 'one that is compressed' 'no libzstd'
fi
check 'nothing stays on the node' nothing_staged
: >escaped
mkdir tree && echo evil >tree/x && tar -cf evil.tar --transform 's,.*,../escaped,' tree/x
"$builddir/sionmerge" --quiet evil.sion evil.tar
check 'names that lead elsewhere are left out' run "$sionrun" -i evil.sion --files 'out/**' --files '*' ls
check 'with a warning' says 'escaped is refused'
check 'and nothing is written there' test ! -s escaped
rm -rf first.sion tree evil.tar evil.sion escaped

# ---- later ----

clean
mkdir away
check 'if the files cannot be packed' \
    fails 2 "$sionrun" -o away/x.sion --files 'out*' sh -c 'echo kept >out; rmdir away'
check 'that is told' says 'the files stay in'
check 'they are listed' run "$sionrun" --list "$SION_STAGE"
check 'with their container' says '/away/x.sion'
check 'and stay while it cannot be made' fails 2 "$sionrun" --pack "$SION_STAGE"
mkdir away
check 'later they are packed' run "$sionrun" --pack "$SION_STAGE"
mv away/x.sion . && rmdir away
check 'all of them' tar_is 0 'out '
check 'nothing stays on the node' nothing_staged

clean
mkfifo go
timeout 60 "$sionrun" -o x.sion --files 'out*' sh -c 'echo early >out; echo >begun; read -r x <go; echo late >out2' >/dev/null 2>&1 &
child=$!
while test ! -e begun; do sleep 0.05; done
killed=$(pgrep -P $child)
kill -9 $killed
wait $child 2>/dev/null
check 'while the program of a killed sionrun runs' fails 2 "$sionrun" --pack "$SION_STAGE"
check 'its files are in use' says 'in use by process'
echo >go
while "$sionrun" --list "$SION_STAGE" | grep -q 'in use'; do sleep 0.05; done
check 'then they are packed' run "$sionrun" --pack "$SION_STAGE"
check 'with what was written last' tar_is 0 'out out2 '
rm -f go begun

clean
timeout 60 "$sionrun" -o x.sion --files 'out*' sh -c 'echo early >out; kill -9 $PPID' >/dev/null 2>&1
while "$sionrun" --list "$SION_STAGE" | grep -q 'in use'; do sleep 0.05; done
check 'what is not wanted is removed' run "$sionrun" --discard "$SION_STAGE"
check 'nothing stays on the node' nothing_staged
check 'no container is made' test ! -e x.sion

# ---- processes of one launcher ----

# launched N COMMAND: as a launcher starts processes
launched()
{
    n=$1
    shift
    i=0
    status=0
    while test $i -lt "$n"; do
        PMI_RANK=$i PMI_SIZE=$n timeout 60 "$@" >log.$i 2>&1 &
        eval "process$i=$!"
        i=$((i + 1))
    done
    while test $i -gt 0; do
        i=$((i - 1))
        eval "wait \$process$i" || { status=1; cat log.$i; }
    done
    return $status
}
launched_fails()
{
    launched "$@" >/dev/null 2>&1
    test $? -ne 0
}
clean
check 'processes of a launcher make one container' \
    launched 3 "$sionrun" -o x.sion --files 'out*' sh -c 'echo $PMI_RANK >out$PMI_RANK'
for rank in 0 1 2; do
    check "task $rank has the files of its rank" tar_is $rank "out$rank "
done
check 'nothing stays on the node' nothing_staged

# One that has said that it has ended is slow to come to its end; then another one ends.
slowly='test $PMI_RANK = 0 || set -- strace -qq -o /dev/null -e inject=fsync:delay_enter=700000 "$@"; exec "$@"'
if strace -o /dev/null true 2>/dev/null; then
    clean
    check 'a slow one still finds the folder' launched 2 sh -c "$slowly" sh "$sionrun" -o x.sion --files 'out*' \
        sh -c 'echo $PMI_RANK >out$PMI_RANK
            test $PMI_RANK = 1 || until grep -q ended "$SION_STAGE"/*/member.1; do sleep 0.05; done'
    check 'and one container has been made' tar_is 1 'out1 '
    check 'nothing of it stays on the node' nothing_staged
else
    skip 'a slow one still finds the folder' 'no strace (Debian: strace), or it may not trace here'
fi

# ---- a node is lost ----

clean
check 'a job whose other process never comes is not waited for forever' \
    fails 2 env PMI_RANK=0 PMI_SIZE=2 "$sionrun" --wait 1 -o x.sion --files 'out*' sh -c 'echo left >out'
check 'which is told' says '1 of 2 programs'
check 'its files cannot be packed as if they were all' fails 2 "$sionrun" --pack --wait 1 "$SION_STAGE"
check 'what is left becomes a container of another name' \
    run "$sionrun" --pack --reduced --wait 1 "$SION_STAGE"
check 'with its files' content_is x.sion.reduced 'out '
check 'that of the job is not made' test ! -e x.sion
check 'the files stay, for a node that comes back' test -n "$(ls -A "$SION_STAGE")"
run "$sionrun" --discard "$SION_STAGE"
rm -f x.sion.reduced

clean
check 'if the sionrun of one process is killed' launched_fails 2 "$sionrun" -o x.sion --files 'out*' \
    sh -c 'until_there() { until test -e $1; do sleep 0.05; done; }
        echo $PMI_RANK >out$PMI_RANK
        if test $PMI_RANK = 0; then
            until_there other; kill -9 $PPID; echo >dead
        else
            echo >other; until_there dead
        fi'
check 'the others say that the files stay' grep -q 'were killed: the files stay in' log.1
while "$sionrun" --list "$SION_STAGE" | grep -q 'in use'; do sleep 0.05; done
check 'they are packed later' run "$sionrun" --pack "$SION_STAGE"
check 'those of the one' tar_is 0 'out0 '
check 'and those of the other' tar_is 1 'out1 '
rm -f dead other log.*
finish
