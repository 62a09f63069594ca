#!/bin/sh
# sionrun --namespace: the folder for staging is mounted over folders, so that no call needs to be redirected.
. "$(dirname "$0")/run_lib.sh"

mkdir work && cd work || exit 99

"$sionrun" --namespace -o x.sion --files 'out/**' true >log 2>&1
if grep -q 'cannot make a namespace' log; then
    skip_all 'this system lets no user make namespaces'
fi
rm -f x.sion

clean()
{
    rm -rf out deep x.sion x.0* log
}
names_are()
{
    test "$("$builddir/sionls" --files x.sion | tr '\n' ' ')" = "$1" || { "$builddir/sionls" --files x.sion; return 1; }
}
# The process that keeps the namespace of a session ends with it.
keeper_ends()
{
    tries=0
    while kill -0 "$1" 2>/dev/null && test $tries -lt 500; do
        tries=$((tries + 1))
        sleep 0.02
    done
    ! kill -0 "$1" 2>/dev/null
}

# ---- programs whose calls cannot be redirected ----

cat >static.c <<'PROGRAM'
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Writes files by the C library and by the system itself, and lists them by fts(3). */
int main(void)
{
    char top[] = "out", *const tops[] = {top, NULL};
    FILE *file;
    FTSENT *entry;
    FTS *fts;
    int fd;

    if (mkdir("out", 0755) != -1 || errno != EEXIST || mkdir("out/sub", 0755) != 0)
        return 1;
    file = fopen("out/sub/one", "w");
    if (!file || fputs("hello\n", file) < 0 || fclose(file) != 0)
        return 2;
    fd = (int)syscall(SYS_openat, AT_FDCWD, "out/two", O_WRONLY | O_CREAT, 0644);
    if (fd < 0 || write(fd, "two\n", 4) != 4 || close(fd) != 0)
        return 3;
    fts = fts_open(tops, FTS_PHYSICAL, NULL);
    while (fts && (entry = fts_read(fts)) != NULL) {
        if (entry->fts_info == FTS_F)
            printf("%s\n", entry->fts_path);
    }
    printf("uid %ld\n", (long)getuid());
    return 0;
}
PROGRAM
linked=
for how in -static ''; do
    ${CC:-cc} $how -o program static.c 2>/dev/null || continue
    linked="$linked $how"
    clean
    check "a program ($how) writes files" run "$sionrun" --namespace -o x.sion --files 'out/**' ./program
    check "and sees them ($how)" test "$(grep -c '^out/' log)" -eq 2
    check "as the same user ($how)" says "uid $(id -u)"
    check "they are not there ($how)" test ! -e out
    check "but in the container ($how)" names_are 'out out/sub out/sub/one out/two '
    check "with their bytes ($how)" test "$("$builddir/sioncat" -t 0 x.sion | tar -xOf - out/sub/one out/two | tr '\n' ' ')" = 'hello two '
    check "nothing stays on the node ($how)" nothing_staged
done
check 'a program was linked' test -n "$linked"

# ---- folders ----

clean
mkdir out
check 'an empty folder' run "$sionrun" --namespace -o x.sion --files out sh -c 'echo 1 >out/one; echo 2 >beside'
check 'stays' test -d out -a -z "$(ls -A out)"
check 'other files are written as before' test -s beside
check 'its files are packed' names_are 'out out/one '
clean
check 'a folder in others that are not there' \
    run "$sionrun" --namespace -o x.sion --files 'deep/er/out/**' sh -c 'cd deep/er/out && echo 1 >one'
check 'is there only meanwhile' test ! -e deep
check 'its files are packed, too' names_are 'deep/er/out deep/er/out/one '
clean
mkdir out
echo old >out/old
echo gone >out/gone
if run "$sionrun" --namespace -o x.sion --files 'out/**' \
    sh -c 'cat out/old; echo more >>out/old; rm out/gone; echo new >out/new; ls out'; then
    check 'what is in a folder is seen' test "$(tr '\n' ' ' <log)" = 'old new old '
    check 'and stays as it is' test "$(cat out/old out/gone | tr '\n' ' ')" = 'old gone '
    check 'what has changed is packed' names_are 'out out/new out/old '
    check 'whole' test "$("$builddir/sioncat" -t 0 x.sion | tar -xOf - out/old | tr '\n' ' ')" = 'old more '
else
    check 'a folder that cannot be shown is told' says 'cannot show its files'
    check 'and stays as it is' test "$(cat out/old out/gone | tr '\n' ' ')" = 'old gone '
fi
check 'nothing stays on the node' nothing_staged

clean
check 'files that are left for later' run "$sionrun" --namespace --leave -o x.sion --files 'out/**' sh -c 'echo 1 >out/one'
check 'leave no folder' test ! -e out
mkdir out
check 'they are packed' run "$sionrun" --pack "$SION_STAGE"
check 'and a folder that somebody has made since then stays' test -d out

# ---- what goes with it ----

clean
check 'other patterns are refused' fails 1 "$sionrun" --namespace -o x.sion --files 'out*' true
check 'and told' says 'takes whole folders'
check 'so is -i' fails 1 "$sionrun" --namespace -i y.sion -o x.sion --files 'out/**' true
cp /bin/true setuid && chmod u+s setuid
check 'so are the rights of another user' fails 2 "$sionrun" --namespace -o x.sion --files 'out/**' ./setuid
check 'a program that is not there' fails 127 "$sionrun" --namespace -o x.sion --files 'out/**' ./none
clean
check 'the exit status is the program'"'"'s' \
    fails 7 "$sionrun" --namespace -o x.sion --files 'out/**' sh -c 'echo 1 >out/one; exit 7'
check 'its files are packed' names_are 'out out/one '
clean
check '--drain, --recover' run "$sionrun" --namespace --drain --recover -o x.sion --files 'out/**' sh -c 'echo 1 >out/one'
check 'make it, too' names_are 'out out/one '
clean
mkfifo go
timeout 60 "$sionrun" --namespace --pack-on USR1 -o x.sion --files 'out/**' sh -c '
    echo closed >out/one; exec 3>out/two; echo open >&3; : >begun
    read -r x <go; exec 3>&-' >log 2>&1 &
child=$!
until_there begun
kill -USR1 "$(pgrep -P $child)"
check 'a signal packs what is closed' until_there x.000001.sion
check 'and not what is open' test "$("$builddir/sionls" --files x.000001.sion | tr '\n' ' ')" = 'out out/one '
echo >go
wait $child
check 'the end packs the rest' test "$("$builddir/sionls" --files x.000002.sion | grep two)" = out/two
rm -f go begun
clean
mkdir out && echo old >out/old
check 'a folder with files is not packed while the program runs' \
    fails 2 "$sionrun" --namespace --pack-on USR1 -o x.sion --files 'out/**' true
check 'which is told' says 'is not empty, so --pack-on'
check 'nothing stays on the node' nothing_staged

# ---- kills ----

clean
timeout 60 "$sionrun" --namespace -o x.sion --files 'out/**' sh -c '
    sed -n "s/^process //p" "$SION_RUN_SESSION/namespace" >keeper; echo 1 >out/one; kill -9 $PPID' >/dev/null 2>&1
until_there keeper
tries=0
while "$sionrun" --list "$SION_STAGE" 2>/dev/null | grep -q 'in use' && test $tries -lt 400; do
    tries=$((tries + 1))
    sleep 0.02
done
check 'the namespace of a killed sionrun ends' keeper_ends "$(cat keeper)"
check 'its files are packed later' run "$sionrun" --pack "$SION_STAGE"
check 'all' names_are 'out out/one '
check 'the folder that was made is gone' test ! -e out
check 'nothing stays on the node' nothing_staged
rm -f keeper

# ---- processes of one launcher ----

clean
ranks=
for rank in 0 1 2; do
    PMI_RANK=$rank PMI_SIZE=3 timeout 60 "$sionrun" --namespace -o x.sion --files 'out/**' sh -c '
        echo $PMI_RANK >out/$PMI_RANK; tries=0
        until test -e out/0 -a -e out/1 -a -e out/2 || test $tries -gt 500; do tries=$((tries + 1)); sleep 0.02; done
        ls out >seen.$PMI_RANK; readlink /proc/self/ns/mnt >ns.$PMI_RANK; readlink /proc/self/ns/user >>ns.$PMI_RANK' >log.$rank 2>&1 &
    ranks="$ranks $!"
done
status=0
for child in $ranks; do
    wait "$child" || status=1
done
check 'processes of a launcher make one container' test $status -eq 0
check 'they see each other'"'"'s files' test "$(cat seen.0 seen.1 seen.2 | tr -d '\n')" = 012012012
check 'in one namespace' same ns.0 ns.1
check 'all of them' same ns.0 ns.2
check 'the container has all files' names_are 'out out/0 out/1 out/2 '
check 'nothing stays on the node' nothing_staged

# ---- a user whom modes keep out ----

if test "$(id -u)" -eq 0 && command -v setpriv >/dev/null; then
    mkdir "$scratch/bin" "$scratch/files"
    for tool in sionrun sionls sioncat; do
        "$builddir/libtool" --mode=execute cp "$builddir/$tool" "$scratch/bin/$tool" 2>/dev/null ||
            cp "$builddir/$tool" "$scratch/bin/$tool"
    done
    chmod 755 "$scratch" "$scratch/bin" "$scratch/bin"/*
    chmod 1777 "$scratch/files"
    cat >"$scratch/bin/as_nobody" <<'SCRIPT'
#!/bin/sh
mkdir stage && mkdir out && echo old >out/old || exit 9
SION_STAGE=$PWD/stage "$1/sionrun" --namespace -o x.sion --files 'new/**' sh -c 'echo 1 >new/one; id -u' &&
    "$1/sionls" --files x.sion && test ! -e new && test -z "$(ls -A stage)" || exit 1
SION_STAGE=$PWD/stage "$1/sionrun" --namespace -o x.sion --files 'out/**' sh -c 'echo 1 >out/one; rm out/old; ls out' &&
    "$1/sionls" --files x.sion && cat out/old && test -z "$(ls -A stage)"
SCRIPT
    nobody()
    {
        (cd "$scratch/files" && setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
    }
    if nobody "$scratch/bin/sionrun" --version >/dev/null 2>&1; then
        nobody sh "$scratch/bin/as_nobody" "$scratch/bin" >log 2>&1
        status=$?
        if grep -q 'cannot make a namespace\|cannot show its files' log; then
            skip 'another user' 'this system does not let users do that'
        else
            check 'another user: it works' test $status -eq 0
            check 'another user: with the own number' test "$(tr '\n' ' ' <log)" = '65534 new new/one one out out/one old '
        fi
    else
        skip 'another user' 'it cannot run programs here'
    fi
fi
finish
