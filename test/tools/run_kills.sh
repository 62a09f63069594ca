#!/bin/sh
# sionrun: whoever is killed, and wherever, each file that was closed before is in the container that
# sionrun --pack makes.
. "$(dirname "$0")/run_lib.sh"

needs_preload

# Writes files, says which are closed, and kills somebody after one of them.
cat >program <<'END'
#!/bin/sh
# program FILES VICTIM FILE
mkdir -p out
i=1
while test $i -le $1; do
    echo "content $i" >out/f$i
    echo $i >>closed
    if test $i -eq $3; then
        case $2 in
            program) kill -9 $$ ;;
            sionrun) kill -9 $PPID ;;
            both) kill -9 $PPID $$ ;;
        esac
    fi
    i=$((i + 1))
done
END
chmod +x program

clean()
{
    rm -rf out closed expected x.sion back log
    timeout 60 "$sionrun" --discard --quiet "$SION_STAGE" >/dev/null 2>&1
}
not_in_use()
{
    tries=0
    while "$sionrun" --list "$SION_STAGE" 2>/dev/null | grep -q 'in use' && test $tries -lt 400; do
        tries=$((tries + 1))
        sleep 0.02
    done
}
# Whatever was closed is in the container, with its bytes.
is_whole()
{
    mkdir back && "$builddir/sioncat" -t 0 x.sion >tar && tar -C back -xf tar || return 1
    set --
    while read -r i; do
        echo "content $i" >&3
        name=back/out/f$i
        test -e "$name" || name=back/out/d$i/f$i
        set -- "$@" "$name"
    done 3>expected <closed
    test $# -eq 0 || cat "$@" | cmp - expected || return 1
    test -z "$(ls -A "$SION_STAGE")"
}
packed_later()
{
    test -n "$(ls -A "$SION_STAGE")" || return 0
    not_in_use
    timeout 60 "$sionrun" --pack "$SION_STAGE" >log 2>&1 || { cat log; return 1; }
}

# ---- program, sionrun, or both, after some file ----

for victim in program sionrun both; do
    file=1
    while test $file -le 12; do
        clean
        timeout 60 "$sionrun" --by node -o x.sion --files 'out/**' ./program 12 $victim $file >log 2>&1
        check "$victim dies after file $file: the rest is packed" packed_later
        check "$victim dies after file $file: what was closed is there" is_whole
        file=$((file + ${TEST_STRIDE:-4}))
    done
done

# ---- the program, before each of its system calls, also those of the library ----

files=7
test "${TEST_STRIDE:-4}" -gt 1 || files=180
# traced KIND N: it dies before the Nth call of a kind
traced()
{
    timeout 60 "$sionrun" --by node -o x.sion --files 'out/**' \
        strace -o /dev/null -e "inject=$1:signal=KILL:when=$2" "$builddir/test/run/closes" $files >log 2>&1
}
if strace -o /dev/null -e inject=/^open:signal=KILL:when=1000 true 2>/dev/null; then
    for kind in /^open /^mkdir /^rename write close mmap fallocate; do
        call=1
        status=1
        while test $status -ne 0 && test $call -lt 2000; do
            clean
            traced $kind $call
            status=$?
            check "the program dies before $kind $call: the rest is packed" packed_later
            test ! -e closed ||
                check "the program dies before $kind $call: what was closed is there" is_whole
            call=$((call + ${TEST_STRIDE:-4}))
        done
        check "without $kind $((call - 1)), the program does all" test "$(wc -l <closed)" -eq $files
    done
else
    skip 'the program dies before each call' 'strace is not installed, or may not be used here'
fi

# ---- sionrun, in each of its calls ----

call=1
status=1
while test $status -ne 0 && test $call -lt 2000; do
    clean
    SION_FAULT=any:kill:$call timeout 60 "$sionrun" --by node -o x.sion --files 'out/**' ./program 3 nobody 0 >log 2>&1
    status=$?
    if test -e closed && test $status -ne 0; then
        check "sionrun dies in call $call: the rest is packed" packed_later
        check "sionrun dies in call $call: what was closed is there" is_whole
    elif test $status -ne 0; then # before the program was started
        check "sionrun dies in call $call: nothing is in the way of others" \
            timeout 60 "$sionrun" --pack "$SION_STAGE"
        timeout 60 "$sionrun" --discard "$SION_STAGE" >/dev/null 2>&1
    fi
    if test $call -lt 20; then
        call=$((call + 1)) # a session is made in these
    else
        call=$((call + ${TEST_STRIDE:-7}))
    fi
done
check 'without a kill, it is whole' is_whole

# ---- calls of sionrun fail ----

# Either it succeeds, or it says so and the files stay.
told()
{
    test $status -eq 0 && return
    grep -q '^sionrun: ' log || { cat log; return 1; }
}
for fault in write:enospc sync:eio rename:eio open:emfile; do
    call=1
    status=1
    while test $status -ne 0 && test $call -lt 200; do
        clean
        SION_FAULT=$fault:$call+ timeout 60 "$sionrun" --by node -o x.sion --files 'out/**' ./program 3 nobody 0 >log 2>&1
        status=$?
        check "$fault from call $call on is told" told
        if test -e closed; then
            check "$fault from call $call on: the rest is packed" packed_later
            check "$fault from call $call on: what was closed is there" is_whole
        fi
        call=$((call + ${TEST_STRIDE:-3}))
    done
done

# ---- sionrun --pack, in each of its calls, and again ----

call=1
status=1
while test $status -ne 0 && test $call -lt 2000; do
    clean
    timeout 60 "$sionrun" --by node -o x.sion --files 'out/**' ./program 3 sionrun 3 >log 2>&1
    not_in_use
    SION_FAULT=any:kill:$call timeout 60 "$sionrun" --pack "$SION_STAGE" >log 2>&1
    status=$?
    check "sionrun --pack dies in call $call: another one packs" packed_later
    check "sionrun --pack dies in call $call: what was closed is there" is_whole
    call=$((call + ${TEST_STRIDE:-7}))
done
finish
