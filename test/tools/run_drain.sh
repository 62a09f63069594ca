#!/bin/sh
# sionrun --drain: containers are packed on the node, and drained from there while the program goes on.
. "$(dirname "$0")/run_lib.sh"

needs_preload
siondrain=$builddir/siondrain
checksum=
finds_checksums && checksum=--checksum

# Files that a drain does not copy in one piece, if it is slow.
cat >program <<'END_OF_PROGRAM'
#!/bin/sh
mkdir -p out
for i in 1 2 3; do
    head -c 90000 /dev/zero | tr '\0' $i >out/f$i
done
: >closed
END_OF_PROGRAM
chmod +x program
mkdir expected && (cd expected && ../program && rm closed)

clean()
{
    rm -rf stage/[012] out closed x.sion x.sion.reduced x.0* .x.* r.sion back tar log marker
    timeout 60 "$sionrun" --discard --quiet stage >/dev/null 2>&1
    timeout 60 "$siondrain" --discard --quiet stage >/dev/null 2>&1
}
# has_all CONTAINER: the files of the program
has_all()
{
    rm -rf back && mkdir back && "$builddir/sioncat" -t 0 "$1" >tar && tar -C back -xf tar && diff -r back expected
}
names_of()
{
    "$builddir/sionls" --files "$1" | tr '\n' ' '
}

for options in '' --recover $checksum; do
    clean
    check "$options: a container is drained at the end" \
        run "$sionrun" --by node --drain $options -o x.sion --files 'out/**' ./program
    check "$options: it is whole" has_all x.sion
    check "$options: it is a good one" run "$builddir/sionverify" x.sion
    check "$options: nothing stays on the node" nothing_staged

    clean
    check "$options: the drain can be left" \
        run "$sionrun" --by node --drain --leave $options -o x.sion --files 'out/**' ./program
    run "$siondrain" stage
    check "$options: siondrain completes it" has_all x.sion
    check "$options: then nothing stays on the node" nothing_staged
    check "$options: nor beside the container" test -z "$(ls -A . | grep '^\.x')"
done
clean
check '--drain without -o' fails 1 "$sionrun" --drain -i x.sion --files 'out*' true
check 'it says so' says '--drain goes with'
check 'the exit status is the program'"'"'s' fails 7 "$sionrun" --drain -o x.sion --files 'out*' sh -c 'echo >out; exit 7'

# ---- the program goes on while the container is drained ----

# At one byte a second, a drain is in its first piece as long as it is not stopped.
clean
cat >going_on <<'END_OF_PROGRAM'
#!/bin/sh
# Returns when the first container is complete on the node.
packed()
{
    grep -q 'complete 1' "$SION_RUN_SESSION/staged" 2>/dev/null
}
./program
echo >out/done
tries=0
until packed || test $tries -gt 1000; do
    tries=$((tries + 1))
    sleep 0.02
done
packed && test ! -e x.000001.sion && echo ahead >marker
echo more >out/g
END_OF_PROGRAM
chmod +x going_on
SION_DRAIN_RATE=1 timeout 60 "$sionrun" --by node --drain --leave --pack-when out/done -o x.sion --files 'out/**' ./going_on \
    >log 2>&1
result $? 'a program whose files are packed meanwhile'
check 'it has gone on before the container was there' test "$(cat marker)" = ahead
check 'its drain was stopped' test ! -e x.000001.sion
check 'and is told' says 'x.000001.sion is not complete'
check 'the next container has another number' says 'x.000002.sion is not complete'
check 'sionrun tells of them, too' run "$sionrun" --list stage
check 'and how they are completed' says 'has 2 staged containers'
check 'siondrain completes them' run "$siondrain" stage
check 'the first' test "$(names_of x.000001.sion)" = 'out out/done out/f1 out/f2 out/f3 '
check 'and the second' test "$(names_of x.000002.sion)" = 'out/g '
check 'nothing stays on the node' nothing_staged

# ---- the drain fails ----

clean
broken=0
call=1
status=1
while test $status -ne 0 && test $call -lt 200; do
    clean
    SION_FAULT=write:enospc:$call+ timeout 60 "$sionrun" --by node --drain -o x.sion --files 'out/**' ./program >log 2>&1
    status=$?
    test $status -eq 0 || check "a full disk from write $call on is told" says '^sionrun: .*No space left'
    grep -q 'is not complete: .*siondrain' log && broken=$((broken + 1))
    test ! -e x.sion || check "a full disk from write $call on: what is there is whole" has_all x.sion
    if test -e closed && test ! -e x.sion; then
        run "$sionrun" --pack --quiet stage
        timeout 60 "$siondrain" stage >log 2>&1
        check "a full disk from write $call on: later it is whole" has_all x.sion
        check "a full disk from write $call on: nothing stays" nothing_staged
    fi
    call=$((call + 1))
done
check 'in some cases the drain has failed' test $broken -gt 0

clean
mkdir away
check 'a container whose folder is gone' \
    fails 2 "$sionrun" --by node --drain -o away/x.sion --files 'out/**' sh -c './program; rmdir away'
check 'is told' says 'the files stay in'

# ---- a node without room for the container beside the files ----

clean
cat >small <<'END_OF_PROGRAM'
mount -t tmpfs -o size=600k tmpfs "$SION_STAGE" || exit 77
"$@"
END_OF_PROGRAM
fails 77 unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=600k tmpfs "$SION_STAGE" && exit 77'
if test $? -eq 0; then
    check 'without room, it is packed all the same' run unshare --user --map-root-user --mount sh small \
        "$sionrun" --by node --drain -o x.sion --files 'out/**' ./program
    check 'which is told' says 'is packed without a drain: .*has room for'
    check 'it is whole' has_all x.sion
else
    skip 'a node without room' 'nothing can be mounted here'
fi

# ---- sionrun is killed ----

call=1
status=1
while test $status -ne 0 && test $call -lt 2000; do
    clean
    SION_FAULT=any:kill:$call timeout 60 "$sionrun" --by node --drain --recover -o x.sion --files 'out/**' ./program >log 2>&1
    status=$?
    if test $status -ne 0 && test -e closed; then
        check "killed in call $call: the rest is packed" run "$sionrun" --pack --quiet stage
        check "killed in call $call: and drained" run "$siondrain" stage
        check "killed in call $call: it is whole" has_all x.sion
        check "killed in call $call: nothing stays" nothing_staged
    fi
    call=$((call + ${TEST_STRIDE:-3}))
done
check 'without a kill, it is whole' has_all x.sion

# ---- several nodes ----

# on_nodes OPTIONS: three processes that see each other as on nodes of their own
on_nodes()
{
    mkdir -p stage/0 stage/1 stage/2
    for rank in 0 1 2; do
        PMI_RANK=$rank PMI_SIZE=3 PMIX_NAMESPACE=drain$$ timeout 60 "$sionrun" --stage "stage/$rank" "$@" -o x.sion \
            --files 'out*' sh -c 'head -c 90000 /dev/zero | tr "\0" $PMI_RANK >out$PMI_RANK' >log.$rank 2>&1 &
        eval "process$rank=$!"
    done
    bad=0
    for rank in 0 1 2; do
        eval "wait \$process$rank" || { bad=1; cat log.$rank; }
    done
    return $bad
}
none_staged()
{
    test "$(find stage -mindepth 1 | wc -l)" -eq 3 || { find stage; return 1; }
}
has_ranks()
{
    for rank in 0 1 2; do
        rm -rf back && mkdir back && "$builddir/sioncat" -t $rank x.sion | tar -C back -xf - &&
            test "$(ls back)" = out$rank &&
            test "$(tr -d $rank <back/out$rank | wc -c) $(wc -c <back/out$rank)" = '0 90000' || return 1
    done
}
for options in '' --recover $checksum ${checksum:+"$checksum --recover"}; do
    clean
    check "several nodes $options" on_nodes --drain $options
    check "several nodes $options: all files" has_ranks
    check "several nodes $options: a good container" run "$builddir/sionverify" x.sion
    check "several nodes $options: nothing stays" none_staged

    clean
    SION_DRAIN_RATE=1
    export SION_DRAIN_RATE
    check "several nodes $options: left" on_nodes --drain --leave $options
    check "several nodes $options: there is no container yet" test ! -e x.sion
    unset SION_DRAIN_RATE
    for node in 0 1 2; do
        timeout 60 "$siondrain" stage/$node >log.$node 2>&1
    done
    check "several nodes $options: drained by each node" has_ranks
    check "several nodes $options: a good one" run "$builddir/sionverify" x.sion
    timeout 60 "$siondrain" --quiet stage/0 stage/1 stage/2 >log 2>&1
    check "several nodes $options: then nothing stays" none_staged
done
# One of two nodes is killed around the moment when the parts are complete; the other is killed in the end, too. Then
# both go on, in the order that messages tell.
both()
{
    number=$1
    shift
    for rank in 0 1; do
        PMI_RANK=$rank PMI_SIZE=2 PMIX_NAMESPACE=$number timeout 20 "$@" stage/$rank >log.$rank 2>&1 &
        eval "process$rank=$!"
    done
    wait "$process0"
    wait "$process1"
}
for victim in 0 1; do
    for call in ${TEST_CALLS:-108 113 118}; do
        clean
        rm -f closed?
        mkdir stage/0 stage/1
        for rank in 0 1; do
            test $rank -eq $victim && fault=any:kill:$call || fault=
            PMI_RANK=$rank PMI_SIZE=2 PMIX_NAMESPACE=n$$.$victim.$call SION_FAULT=$fault SION_DRAIN_PATIENCE=2 timeout 4 \
                "$sionrun" --wait 2 --stage stage/$rank --drain -o x.sion --files 'out*' \
                sh -c 'head -c 90000 /dev/zero >out$PMI_RANK; : >closed$PMI_RANK' >log.$rank 2>&1 &
            eval "process$rank=$!"
        done
        wait "$process0" 2>/dev/null
        wait "$process1" 2>/dev/null
        test -e closed0 -a -e closed1 || continue
        both n$$.$victim.$call.again "$sionrun" --quiet --wait 2 --pack
        both drain "$siondrain"
        both drain "$siondrain"
        check "node $victim is killed in call $call: all files" test "$(names_of x.sion)" = 'out0 out1 '
        check "node $victim is killed in call $call: nothing stays" test "$(find stage -mindepth 1 | wc -l)" -eq 2
    done
done

# One node knows that all parts are complete, and goes without the other one, which waits for it by then. Both have got
# there, because a folder has the name of the note that they would write next; then the other one is made not to know it.
clean
mkdir stage/0 stage/1
cat >hindered <<'END_OF_PROGRAM'
#!/bin/sh
head -c 90000 /dev/zero >out$PMI_RANK
mkdir "$SION_RUN_SESSION/packed"
END_OF_PROGRAM
chmod +x hindered
for rank in 0 1; do
    PMI_RANK=$rank PMI_SIZE=2 PMIX_NAMESPACE=w$$ SION_DRAIN_RATE=1 timeout 20 \
        "$sionrun" --wait 2 --stage stage/$rank --drain --leave -o x.sion --files 'out*' ./hindered >log.$rank 2>&1 &
    eval "process$rank=$!"
done
wait "$process0"
wait "$process1"
check 'two nodes are stopped where they know that all parts are complete' \
    test "$(cat stage/[01]/*/staged | grep -c 'complete 1')" -eq 2
rmdir stage/[01]/*/packed
sed 's/complete 1/complete 0/' stage/1/*/staged >notes && cp notes "$(ls stage/1/*/staged)"
rm -rf .x.sion.*.node.* .x.sion.*.sionrun
# later RANK: what this node does in the end, in the background
later()
{
    PMI_RANK=$1 PMI_SIZE=2 PMIX_NAMESPACE=w$$ timeout 20 "$sionrun" --quiet --wait 10 --pack stage/$1 >log.$1 2>&1 &
}
later 1
process1=$!
tries=0
until ls .x.sion.*.sionrun/node.1 >/dev/null 2>&1 || test $tries -gt 500; do
    tries=$((tries + 1))
    sleep 0.02
done
check 'one waits for the other' test $tries -le 500
later 0
process0=$!
check 'a node that goes alone' wait "$process0"
check 'and the one that waits for it' wait "$process1"
both drain "$siondrain"
both drain "$siondrain"
check 'all files of both' test "$(names_of x.sion)" = 'out0 out1 '

clean
SION_DRAIN_RATE=1
export SION_DRAIN_RATE
on_nodes --drain --leave >log 2>&1
unset SION_DRAIN_RATE
for node in 0 1; do
    timeout 60 "$siondrain" stage/$node >log 2>&1
done
rm -rf stage/2
for node in 0 1; do
    timeout 60 "$siondrain" --reduced stage/$node >log 2>&1
done
check 'without a node: what the others have' test "$(names_of x.sion.reduced)" = 'out0 out1 '
clean
SION_DRAIN_RATE=1
export SION_DRAIN_RATE
on_nodes --drain --leave >log 2>&1
unset SION_DRAIN_RATE
rm -rf stage/0
for node in 1 2 1 2; do
    timeout 60 "$siondrain" --reduced stage/$node >log 2>&1
done
check 'without the node that has the tables, too' test "$(names_of x.sion.reduced)" = 'out1 out2 '
finish
