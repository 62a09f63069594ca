#!/bin/sh
# Ranks: sionfti notices those whose files are missing, knows FTI's names with head = 1, restores a
# lost file from its partner's copy, and unpacks only what is good and what was asked for.
. "$srcdir/test/tools/lib.sh"

fti=$GOLDEN/ftiff
work=$scratch/work
mkdir "$work"
cd "$work" || exit 99

# missing NUMBER OF RANKS: the only message says so
missing()
{
    failed_with 2 "checkpoint 1: the Rank files of $1 of $2 ranks are missing: $3"
}

good_files()
{
    succeeded && test "$(grep -c ': good, FTI ' "$scratch/out")" -eq "$1"
}

# block_of FILE: the checksum in the file block of FTI after 1.6
block_of()
{
    tail -c 106 "$1" | head -c 32
}

# ---- missing ranks ----

mkdir l4
cp "$fti"/master/L4/Ckpt1-Rank?.fti l4
run sionfti check l4
check 'all four ranks are there' good_files 4
run sionfti check -r 4 l4
check 'all four ranks that are asked for are there' good_files 4
rm l4/Ckpt1-Rank2.fti
run sionfti check l4
check 'check: a missing rank' missing 1 4 2
check 'check: the others are good' test "$(grep -c ': good' "$scratch/out")" -eq 3
run sionfti check l4/*
check 'check: the same for names of the shell' missing 1 4 2
run sionfti pack -o four.sion l4
check 'pack: a missing rank' missing 1 4 2
check 'pack: no container is written' test ! -e four.sion
rm l4/Ckpt1-Rank3.fti
run sionfti check l4
check 'the last ranks are not missed if nothing says how many there are' good_files 2
run sionfti check --ranks=4 l4
check 'check: --ranks says so' missing 2 4 '2, 3'
run sionfti check l4 "$fti/master/L2/Topology.fti"
check 'check: Topology.fti says so' missing 2 4 '2, 3'
run sionfti pack -r 4 -o four.sion l4
check 'pack: --ranks says so' missing 2 4 '2, 3'
cp "$fti/master/L2/Ckpt1-Pcof3.fti" l4
run sionfti check l4
check "check: a partner's name says so" missing 2 4 '2, 3'
run sionfti check -r 1 l4/*Rank*
check 'check: more ranks than asked for' failed_with 2 'there is a file of rank 1, which is none of those'
run sionfti check -r 40 l4/*Rank*
check 'check: many missing ranks' missing 38 40 '2, 3, 4, 5, 6, 7, 8, 9, ...'
run sionfti check "$fti/master/L4/Ckpt1-Rank2.fti"
check 'a file that is named alone needs no others' good_files 1
run sionfti check Topology.fti l4
check 'a missing Topology.fti' failed_with 2 'Topology.fti'
echo '[other]' >Topology.fti
run sionfti check Topology.fti l4
check 'a Topology.fti without nodes' failed_with 2 'no nodes in a section'
rm Topology.fti
mkdir far
cp "$fti/master/L4/Ckpt1-Rank0.fti" far
cp "$fti/master/L4/Ckpt1-Rank1.fti" far/Ckpt1-Rank2147483647.fti
run sionfti check far
check 'the largest rank' failed_with 2 'of 2147483646 of 2147483648 ranks are missing: 1, 2'

# ---- head = 1 ----

# heads FOLDER: the files of four ranks as FTI names them with two processes on each node
heads()
{
    rm -rf "$1"
    mkdir "$1"
    for rank in 0 1 2 3; do
        cp "$fti/master/L4/Ckpt1-Rank$rank.fti" "$1/Ckpt1-Rank$((2 * rank + 1)).fti"
    done
}

heads h4
run sionfti check h4
check 'head = 1: the names show it' good_files 4
run sionfti check -r 4 h4
check 'head = 1: four ranks of the application' good_files 4
run sionfti pack -o heads.sion h4
check 'head = 1: pack' succeeded
run siondump -a heads.sion
check 'head = 1: the streams have the ranks of the application' test \
    "$(sed -n 's/.* glblrnk= *\([-0-9]*\) .*/\1/p' "$scratch/out" | tr '\n' ' ')" = '0 1 2 3 -1 '
run sionfti check heads.sion
check 'head = 1: check of the container' good_files 4
run sionfti unpack -o back heads.sion
check 'head = 1: unpack' succeeded
check 'head = 1: the same files under the same names' diff -r h4 back
rm h4/Ckpt1-Rank5.fti
run sionfti check -n 2 h4
check 'head = 1: a missing rank' missing 1 4 5
run sionfti pack -n 2 -o never.sion h4
check 'head = 1: pack: a missing rank' missing 1 4 5
check 'head = 1: no container then' test ! -e never.sion
run sionfti check -n 2 "$fti/master/L2/Topology.fti" h4
check 'head = 1: with Topology.fti' missing 1 4 5
run sionfti check "$fti/master/L2/Topology.fti" h4
check 'head = 1: Topology.fti tells the node size' missing 1 4 5
run sionfti check -n 2 l4/*Rank*
check 'head = 1: a head has no file' sh -c 'grep -q "rank 0, which is the head of a node" "$1/err"' - "$scratch"
rm -rf back plain
run sionfti pack -o plain.sion "$fti"/master/L4/Ckpt1-Rank?.fti
run sionfti unpack -n 2 -o back plain.sion
check 'head = 1: unpack what a program has written' succeeded
heads h4
check 'head = 1: it has the names of FTI' diff -r h4 back
rm -rf back
run sionfti unpack -n 3 -o back plain.sion
check 'head = 1: node size 3' test "$(ls back | tr '\n' ' ')" = \
    'Ckpt1-Rank1.fti Ckpt1-Rank2.fti Ckpt1-Rank4.fti Ckpt1-Rank5.fti '
run sionfti check back
check 'head = 1: node size 3: the names show it' good_files 4

# ---- unpack ----

rm -rf back
run sionfti pack -o all.sion "$fti/master/L4"
run sionfti unpack -c 3 -o back all.sion
check 'unpack: one checkpoint' succeeded
check 'unpack: only its files' test "$(ls back)" = Ckpt3-Rank0.fti
run sionfti unpack -c 9 -o back all.sion
check 'unpack: a checkpoint that is not there' failed_with 2 'all.sion: no files of checkpoint 9'
run sionfti unpack -c 9 -o back plain.sion
check 'unpack: the same without names' failed_with 2 'plain.sion: no files of checkpoint 9'
run sionfti unpack -c 1 -o back plain.sion
check 'unpack: the checkpoint that is there' test "$(ls back | wc -l)" -eq 5

# The checksum of rank 2 gets other digits.
for container in plain all; do
    old=$(block_of "$fti/master/L4/Ckpt1-Rank2.fti")
    new=$(echo "$old" | tr '0-9a-f' '1-9a-f0')
    LC_ALL=C sed "s/$old/$new/" "$container.sion" >damaged.sion
    check "$container: the container is damaged" sh -c "! cmp -s $container.sion damaged.sion"
    rm -rf back before
    mkdir back
    cp "$fti"/master/L4/Ckpt1-Rank?.fti back
    cp -r back before
    run sionfti unpack -o back damaged.sion
    check "$container: unpack: a damaged stream is named" failed_with 2 'the file block is damaged'
    check "$container: unpack: good files stay" diff -r before back
    run sionfti unpack -o never damaged.sion
    check "$container: unpack: nothing is written" test ! -e never
done
run sionfti unpack -c 2 -o back damaged.sion
check 'unpack: damage in another checkpoint is no matter' succeeded

# ---- restore ----

rm -rf l2
mkdir l2
cp "$fti"/master/L2/Ckpt1-*.fti l2
chmod u+w l2/*
run sionfti restore l2/Ckpt1-Rank3.fti l2
check 'restore: a good file stays' failed_with 2 'l2/Ckpt1-Rank3.fti is good: there is nothing to restore'
rm l2/Ckpt1-Rank3.fti
run sionfti restore l2/Ckpt1-Rank3.fti l2
check 'restore: a lost file' grep -q 'l2/Ckpt1-Rank3.fti: made from l2/Ckpt1-Pcof0.fti' "$scratch/out"
check 'restore: it is the same' same l2/Ckpt1-Rank3.fti "$fti/master/L2/Ckpt1-Rank3.fti"
printf x | dd of=l2/Ckpt1-Rank1.fti bs=1 seek=100 conv=notrunc 2>/dev/null
run sionfti restore l2/Ckpt1-Rank1.fti l2
check 'restore: a damaged file' succeeded
check 'restore: it is good now' same l2/Ckpt1-Rank1.fti "$fti/master/L2/Ckpt1-Rank1.fti"
rm l2/Ckpt1-Rank1.fti l2/Ckpt1-Rank3.fti
run sionfti restore l2/Ckpt1-Rank3.fti l2
check 'restore: two lost files' failed_with 2 'the file of rank 1 is missing, too'
check 'restore: nothing is written then' test ! -e l2/Ckpt1-Rank3.fti
run sionfti restore l2/Ckpt1-Rank3.fti l2/Ckpt1-Pcof0.fti
check 'restore: the copy is named' same l2/Ckpt1-Rank3.fti "$fti/master/L2/Ckpt1-Rank3.fti"
printf x | dd of=l2/Ckpt1-Pcof2.fti bs=1 seek=100 conv=notrunc 2>/dev/null
run sionfti restore l2/Ckpt1-Rank1.fti l2
check 'restore: a damaged copy' failed_with 2 'l2/Ckpt1-Rank1.fti: there is no good copy of it among the files'
check 'restore: no file of it is made' test ! -e l2/Ckpt1-Rank1.fti
run sionfti restore l2/Ckpt2-Rank1.fti l2/Ckpt1-Pcof1.fti
check 'restore: the copy of another checkpoint' failed_with 2 'no good copy'
run sionfti restore other.fti l2
check 'restore: another name' failed_with 1 'not the name of a Rank file'
finish
