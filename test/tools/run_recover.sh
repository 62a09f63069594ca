#!/bin/sh
# sionrun --recover and --checksum: what a packer that was killed had written, sionrecover finds.
. "$(dirname "$0")/run_lib.sh"

needs_preload
with_checksums=
finds_checksums && with_checksums='--checksum|--recover --checksum'

# Files that do not fit into one write, so that there are several commits.
cat >program <<'END_OF_PROGRAM'
#!/bin/sh
mkdir -p out
for i in 1 2 3 4; do
    head -c 700000 /dev/zero | tr '\0' $i >out/f$i
done
END_OF_PROGRAM
chmod +x program
mkdir expected && (cd expected && ../program)

clean()
{
    rm -rf out x.sion x.0* .x.* r.sion back tar log
    timeout 60 "$sionrun" --discard --quiet "$SION_STAGE" >/dev/null 2>&1
}
# is_prefix CONTAINER: each file in it is whole
is_prefix()
{
    rm -rf back && mkdir back && "$builddir/sioncat" -t 0 "$1" >tar || return 1
    test ! -s tar || tar -C back -xf tar || return 1
    found=$(find back -type f | wc -l)
    for file in $(cd back && find . -type f); do
        cmp "back/$file" "expected/$file" || return 1
    done
}
has_all()
{
    is_prefix "$1" && test "$found" -eq 4
}
# has_records CONTAINER: flag2 tells of trailers (doc/format.md)
has_records()
{
    flag2=$("$builddir/siondump" "$1" | sed -n 's/.*flag2: *//p')
    test $((flag2 >> 32)) -eq $((0x10080))
}

IFS='|'
for options in --recover $with_checksums; do
    unset IFS
    clean
    check "$options: the container is made" run "$sionrun" --by node $options -o x.sion --files 'out/**' ./program
    check "$options: it is whole" has_all x.sion
    check "$options: it is a good one" run "$builddir/sionverify" x.sion
    case $options in
    *recover*) check "$options: it has commit records" has_records x.sion ;;
    *) check "$options: it has none" test "$(has_records x.sion >/dev/null && echo yes)" = '' ;;
    esac
    check "$options: files are found" test "$("$builddir/sionls" --files x.sion | grep -c 'out/f')" -eq 4
    check "$options: nothing stays beside it" test -z "$(ls -A . | grep '^\.x')"

    clean
    run "$sionrun" --leave --by node $options -o x.sion --files 'out/**' ./program
    check "$options: --pack makes it, too" run "$sionrun" --pack "$SION_STAGE"
    check "$options: whole" has_all x.sion
    case $options in
    *recover*) check "$options: with commit records" has_records x.sion ;;
    esac

    clean
    check "$options: while the program runs" run "$sionrun" --by node $options --pack-when 'out/f2' -o x.sion \
        --files 'out/**' ./program
    check "$options: the first one" is_prefix x.000001.sion
    check "$options: is a good one" run "$builddir/sionverify" x.000001.sion
done
clean
LD_LIBRARY_PATH=/nowhere timeout 60 "$sionrun" --checksum -o x.sion --files 'out*' sh -c 'echo >stay' >log 2>&1
check 'checksums that cannot be made are told before the program runs' test $? -eq 0 -o ! -e stay

# ---- the packer is killed in each of its calls ----

recovered=0
most=0
call=1
status=1
while test $status -ne 0 && test $call -lt 2000; do
    clean
    run "$sionrun" --leave --by node --recover -o x.sion --files 'out/**' ./program
    SION_FAULT=any:kill:$call timeout 60 "$sionrun" --pack "$SION_STAGE" >log 2>&1
    status=$?
    new=$(ls -A . | grep '^\.x\.sion\..*\.new$')
    if test $status -ne 0 && test -n "$new" && test -s "$new"; then
        if timeout 60 "$builddir/sionrecover" -o r.sion "$new" >log 2>&1; then
            recovered=$((recovered + 1))
            check "killed in call $call: what was flushed is recovered" is_prefix r.sion
            test "$found" -gt "$most" && most=$found
        fi
    fi
    if test $status -ne 0 && test ! -e x.sion; then
        check "killed in call $call: --pack makes it all the same" run "$sionrun" --pack "$SION_STAGE"
        check "killed in call $call: whole" has_all x.sion
    fi
    call=$((call + ${TEST_STRIDE:-1}))
done
check 'a killed packer has left several states' test "$recovered" -gt 2
check 'one of them has several files' test "$most" -ge 2
check 'without a kill, it is whole' has_all x.sion
finish
