# sionscr index --build: maps, summaries and index from the filemaps that a scavenge left. The datasets are those of
# real releases, the filemaps are made of their maps; those of SCR 1.1.8 in its cache are real, too.
. "$srcdir/test/tools/lib.sh"
. "$srcdir/test/src/scr/lib.sh"

scr=$GOLDEN/scr
scavenge=$builddir/test/src/scr/scavenge
mkdir "$scratch/work" && cd "$scratch/work" || exit 99
TZ=UTC
export TZ

mkdir files
make_rank_files files

# whole GOLDEN: makes ./want, a prefix of real SCR with all files
whole()
{
    rm -rf want
    case $1 in
    *1.1.8*)
        cp -r "$scr/$1/prefix" want && chmod -R u+w want && rm want/.scr/halt.scr
        cp files/* want/scr.dataset.1
        ;;
    *)
        cp -r "$scr/$1" want && chmod -R u+w want
        ;;
    esac
    find want -name '*.dump.txt' -exec rm {} +
    case $1 in
    *container*) # their sum is that of the summary
        mkdir want/ckpt.1 && head -c 700000 /dev/zero >want/ckpt.1/data.sion
        head -c 520708 /dev/zero >want/ckpt.1/data.sion.000001
        ;;
    esac
}

# folders: where the maps of ./want are
folders()
{
    (cd want && ls -d .scr/scr.dataset.* ./*/.scr 2>/dev/null)
}

# scavenged FORM NAME PATH CACHE: makes ./p of ./want: with filemaps, without maps, summaries and index
scavenged()
{
    rm -rf p && cp -r want p && rm p/.scr/index.scr
    for at in $(folders); do
        rm p/$at/rank2file* p/$at/summary.scr
        case $at in .scr/*) base=want ;; *) base=want/${at%/.scr} ;; esac
        "$scavenge" write want/$at want/$at/summary.scr $base "$1" "$3" "$4" "p/$at/$2" || exit 99
    done
}

# as_maps_before: ./p has the maps and summaries of ./want
as_maps_before()
{
    for at in $(folders); do
        for one in want/$at/*; do
            echo "$one" && "$scavenge" same "$one" "p/${one#want/}" || return 1
        done
        test "$(cd want/$at && ls rank2file*)" = "$(cd p/$at && ls rank2file*)" || return 1
    done
}

# as_before: ... and the index
as_before()
{
    as_maps_before && "$scavenge" same want/.scr/index.scr p/.scr/index.scr
}

# rebuilt NAME RELEASE: builds ./p, compares, and asks whether SCR would restart
rebuilt()
{
    run sionscr index --build p
    check "$1" succeeded
    check '... map, summary, index' as_before
    run sionscr check p
    check '... is complete' succeeded
    run sionscr check --restart 4 --scr "$2" p
    check '... would restart' grep -q 'SCR would restart 4 processes' "$scratch/out"
    rm -rf built && cp -r p built
    run sionscr index --build p
    check '... again' printed /dev/null
    check '... changes nothing' diff -r built p
}

# fails LINE...: the last run failed, and among its errors are these
fails()
{
    ended 2 || return 1
    for line in "$@"; do
        grep -qF -- "$line" "$scratch/err" || { cat "$scratch/err" && return 1; }
    done
}

# complete VALUE FOLDER: what summary and index say
complete()
{
    "$builddir/sionscr" dump "p/$2/summary.scr" | sed -n '/^  COMPLETE/{n;p;}' | grep -qx "    $1"
}

# listed: the names in the index, and * before the current one
listed()
{
    "$builddir/sionscr" list p 2>/dev/null | sed 1d | awk '{ print $1 == "*" ? "*" $3 "," $4 : $2 "," $3 }' | tr '\n' ' '
}

# same_inode FILE OLDER: a copy of the file was made before, and it was not written again since
same_inode()
{
    cmp "$1" "$2/${1#p/}" && test ! "$1" -nt "$2/${1#p/}"
}

# ---- the same as before ----

for form in nested flat; do
    for name in fmap.%d.scr filemap_%d; do
        whole real_scr_1.1.8_plain
        scavenged $form $name "$PWD/p/scr.dataset.1" /cache/scr.dataset.1
        rebuilt "SCR 1.1.8: $form, $name" 1.1
    done
    whole real_scr_1.2.2_prefix
    scavenged $form fmap.%d.scr "$PWD/p" /cache
    rebuilt "SCR 1.2.2: $form" 1.2
    whole real_scr_3_prefix
    for folder in $(folders); do # SCR itself writes no sizes
        "$builddir/sionscr" seal -C want/$folder || exit 99
    done
    scavenged $form filemap_%d "$PWD/p" /cache
    rebuilt "SCR 3: $form" 3
    whole real_scr_3_container_prefix
    "$builddir/sionscr" seal -C want || exit 99
    scavenged $form filemap_%d "$PWD/p" /cache
    rebuilt "SCR 3: $form, ranks without files" 3
done

# What SCR 1.1.8 had in its cache: without CRCs, and PATH is not the folder of the dataset.
whole real_scr_1.1.8_plain
scavenged nested fmap.%d.scr "$PWD/p" /cache
for r in 0 1 2 3; do
    cp "$scr/real_scr_1.1.8_plain/cntl/filemap_$r.scrinfo" p/scr.dataset.1/.scr/fmap.$r.scr
done
"$scavenge" put want/scr.dataset.1/.scr/rank2file.0.0.scr '' CRC '' || exit 99
rebuilt 'SCR 1.1.8: real filemaps' 1.1

# Where files are: names relative to the prefix, to the dataset, or only their last part.
whole real_scr_1.2.2_prefix
scavenged flat fmap.%d.scr '.' /cache
run sionscr index --build p
check 'PATH is relative' succeeded
check '... the same map' as_before
scavenged flat fmap.%d.scr /gone ck
run sionscr index --build p
check 'the key is relative' succeeded
check '... the same map' as_before
scavenged flat fmap.%d.scr /gone "$PWD/p/ck"
run sionscr index --build p
check 'the key is below the prefix' succeeded
check '... the same map' as_before
scavenged flat fmap.%d.scr /gone /cache
cp p/ck/* p/.scr/scr.dataset.1
cp p/ck/* p/.scr/scr.dataset.2
run sionscr index --build p
check 'in the folder of the dataset' succeeded
run sionscr dump p/.scr/scr.dataset.2/rank2file.0.0.scr
check '... is what the map says' grep -q '\.scr/scr\.dataset\.2/rank_3\.ckpt' "$scratch/out"
run sionscr check p
check '... is complete' succeeded

# What a description lacks; the permissions of the files.
scavenged flat fmap.%d.scr "$PWD/p" /cache
for filemap in p/.scr/scr.dataset.*/fmap.*.scr; do
    for key in FLAG_CKPT FLAG_OUTPUT FILES SIZE COMPLETE; do
        "$scavenge" put "$filemap" DSETDESC $key ''
    done
done
chmod 640 p/ck/*
chmod 600 p/ck/rank_1.ckpt
run sionscr index --build p
check 'descriptions without flags and numbers' succeeded
check '... the same summaries, index and maps' as_before
check '... the map is as private as the files' test "$(stat -c %a p/.scr/scr.dataset.1/rank2file.0.0.scr)" = 600
mv p/ck/* p && rmdir p/ck
for filemap in p/.scr/scr.dataset.*/fmap.*.scr; do
    "$scavenge" put "$filemap" META PATH "$PWD/p"
done
rm p/.scr/scr.dataset.*/rank2file* p/.scr/scr.dataset.*/summary.scr
run sionscr index --build p
check 'in the prefix itself' succeeded
run sionscr dump p/.scr/scr.dataset.2/rank2file.0.0.scr
check '... is what the map says' grep -qx ' *rank_3\.ckpt' "$scratch/out"

# ---- what is missing or wrong ----

for kind in 1.1.8_plain:scr.dataset.1/.scr:fmap.2.scr:scr.dataset.1:scr.dataset.1/rank_2.ckpt: \
    1.2.2_prefix:.scr/scr.dataset.2:fmap.2.scr:ckpt.2:ck/rank_2.ckpt:ck/ \
    3_prefix:.scr/scr.dataset.2:filemap_2:ckpt.2:ck/rank_2.ckpt:ck/; do
    IFS=: read -r golden folder filemap name file above <<EOF
$kind
EOF
    form=$(echo "$filemap" | sed 's/2/%d/')
    place=$PWD/p
    test "$folder" = scr.dataset.1/.scr && place=$PWD/p/scr.dataset.1
    whole real_scr_$golden
    test $golden != 3_prefix || for at in $(folders); do
        "$builddir/sionscr" seal -C want/$at || exit 99
    done

    scavenged nested "$form" "$place" /cache
    rm -rf before && cp -r p before
    run sionscr index --build --dry-run p
    check "$golden: a dry run" succeeded
    check '... tells' grep -q ': to be built: the map of 4 ranks and 4 files$' "$scratch/out"
    check '... changes nothing' diff -r before p
    mv p/$folder/$filemap kept
    rm before/$folder/$filemap
    run sionscr index --build --dry-run p
    check '... of a rank without a filemap' fails 'rank 2: it has no filemap'
    check '... changes nothing' diff -r before p

    run sionscr index --build p
    check "$golden: a rank without a filemap" fails 'rank 2: it has no filemap' 'not complete: 1 of'
    check '... the summary says so' complete 0 $folder
    check '... and the index' sh -c "echo '$(listed)' | grep -q '$name,no'"
    check '... it is not the current one' sh -c "! echo '$(listed)' | grep -q '[*]$name'"
    run sionscr check p/$folder
    check '... it is not complete' fails 'COMPLETE is 0'
    cp kept p/$folder/$filemap
    run sionscr index --build p
    check '... until it is there again' succeeded
    check '... and the same map' as_maps_before
    run sionscr check p
    check '... is complete' succeeded

    scavenged flat "$form" "$place" /cache
    rm "p/$file"
    run sionscr index --build p
    check "$golden: a file that is missing" fails "rank 2, file ${above}rank_2.ckpt: it does not exist"
    check '... the summary says so' complete 0 $folder
    cp "want/$file" "p/$file"
    truncate -s -1 "p/$file"
    run sionscr index --build p
    check '... is cut off' fails "rank 2, file ${above}rank_2.ckpt: it has"
    cp "want/$file" "p/$file"
    run sionscr index --build p
    check '... is there again' succeeded
    check '... the summary says so' complete 1 $folder
    run sionscr check p
    check '... is complete' succeeded

    scavenged flat "$form" "$place" /cache
    "$scavenge" put p/$folder/$filemap META COMPLETE 0
    run sionscr index --build p
    check "$golden: a file marked as incomplete" fails "rank 2, file ${above}rank_2.ckpt: marked as incomplete"

    scavenged flat "$form" "$place" /cache
    truncate -s -5 p/$folder/$filemap
    run sionscr index --build p
    check "$golden: a damaged filemap" fails "$filemap: cut off"
    check '... no map' test ! -e p/$folder/rank2file -a ! -e p/$folder/rank2file.scr -a ! -e p/$folder/summary.scr

    scavenged flat "$form" "$place" /cache
    "$scavenge" put p/$folder/$filemap META RANKS 5
    run sionscr index --build p
    check "$golden: another number of ranks" fails 'RANKS is'
    check '... no map' test ! -e p/$folder/rank2file -a ! -e p/$folder/rank2file.scr

    # Names that lead out.
    for value in ../../../outside/rank_2.ckpt ../x/../../outside/rank_2.ckpt; do
        scavenged flat "$form" "$place" ../../../../outside
        rm "p/$file"
        "$scavenge" put p/$folder/$filemap META NAME "$value"
        "$scavenge" put p/$folder/$filemap META ORIG "$PWD/outside/rank_2.ckpt"
        mkdir -p outside x && cp "want/$file" outside
        run sionscr index --build p
        check "$golden: a name that leads out" fails 'rank 2, file ' 'rank_2.ckpt: it does not exist' 'is not in'
        run sionscr dump p/$folder/rank2file.0.0 p/$folder/rank2file.0.0.scr
        check '... is not in the map' sh -c "! grep -q 'outside/' '$scratch/out'"
    done
    scavenged flat "$form" "$place" /cache
    mv "p/$file" out.ckpt && ln -s ../../out.ckpt "p/$file"
    run sionscr index --build p
    check "$golden: a link that leads out" fails 'rank 2, file ' 'rank_2.ckpt: it does not exist' 'is not in'
done

# ---- filemaps of several datasets, and files of SCR itself ----

whole real_scr_1.1.8_plain
scavenged nested fmap.%d.scr "$PWD/p/scr.dataset.1" /cache
cp want/scr.dataset.1/.scr/summary.scr other.scr
"$scavenge" put other.scr DSET NAME other
"$scavenge" put other.scr DSET ID 2
"$scavenge" write want/scr.dataset.1 other.scr want/scr.dataset.1 nested "$PWD/p/scr.dataset.1" /cache \
    p/scr.dataset.1/.scr/fmap.0%d.scr || exit 99
run sionscr index --build p
check 'filemaps of two datasets' succeeded
check '... the folder has the name of one' as_before
mv p/scr.dataset.1 p/third && rm p/third/.scr/rank2file* p/third/.scr/summary.scr
run sionscr index --build p
check '... of none' fails 'third: the filemaps are of several datasets, none of them called third'
scavenged nested fmap.%d.scr "$PWD/p/scr.dataset.1" /cache
"$scavenge" put p/scr.dataset.1/.scr/fmap.2.scr META TYPE XOR
run sionscr index --build p
check 'a file that protects others' fails 'DSETDESC: FILES is 4, but there are 3'
run sionscr dump p/scr.dataset.1/.scr/rank2file.0.0.scr
check '... is not in the map' sh -c "! grep -q rank_2.ckpt '$scratch/out'"

# ---- what is there stays ----

whole real_scr_1.2.2_prefix
scavenged flat fmap.%d.scr "$PWD/p" /cache
"$builddir/sionscr" index --build p >/dev/null || exit 99
truncate -s 5 p/.scr/scr.dataset.*/fmap.2.scr
rm -rf before && cp -r p before
run sionscr index --build p
check 'a good map stays' printed /dev/null
check '... whatever filemaps there are' diff -r before p
rm p/.scr/index.scr
run sionscr index --build p
check 'only the index is missing' succeeded
check '... it is the same' "$scavenge" same want/.scr/index.scr p/.scr/index.scr
scavenged flat fmap.%d.scr "$PWD/p" /cache
cp want/.scr/scr.dataset.1/summary.scr p/.scr/scr.dataset.1
run sionscr index --build p
check 'a good summary stays' cmp want/.scr/scr.dataset.1/summary.scr p/.scr/scr.dataset.1/summary.scr
check '... with the same map' as_before
rm p/.scr/scr.dataset.1/summary.scr
rm -rf before && cp -r p before
run sionscr index --build p
check 'only a summary is missing' grep -q 'scr.dataset.1: built: the summary of 4 ranks and 4 files' "$scratch/out"
check '... the same map' as_before
check '... is the same file' same_inode p/.scr/scr.dataset.1/rank2file.scr before
truncate -s -3 p/.scr/scr.dataset.2/rank2file.0.0.scr
run sionscr index --build p
check 'a map that cannot be read' succeeded
check '... is built' as_before
cp want/.scr/scr.dataset.2/summary.scr p/.scr/scr.dataset.1/summary.scr
rm p/.scr/scr.dataset.1/rank2file.scr
run sionscr index --build p
check 'the summary of another dataset' succeeded
check '... is replaced' as_maps_before
cp want/.scr/index.scr p/.scr/index.scr
rm -r p/.scr/scr.dataset.1
rm p/.scr/scr.dataset.2/rank2file.scr
run sionscr index --build p
check 'entries of the index stay' "$scavenge" same want/.scr/index.scr p/.scr/index.scr

# ---- filemaps that cannot be ----

scavenged flat fmap.%d.scr "$PWD/p" /cache
for folder in $(folders); do
    "$scavenge" put p/$folder/fmap.1.scr META NAME rank_0.ckpt
done
run sionscr index --build p
check 'a file of two ranks' fails 'rank 1, file ck/rank_0.ckpt: it is also the file of rank 0'
scavenged flat fmap.%d.scr "$PWD/p" /cache
"$scavenge" put p/.scr/scr.dataset.1/fmap.3.scr DSETDESC NAME other
run sionscr index --build p
check 'a description of another dataset' fails 'scr.dataset.1: rank 3: DSETDESC: NAME is other, but others have ckpt.1'
check '... no map' test ! -e p/.scr/scr.dataset.1/rank2file.scr
scavenged nested fmap.%d.scr "$PWD/p" /cache
cp p/.scr/scr.dataset.1/fmap.3.scr p/.scr/scr.dataset.2/fmap.3.scr
"$scavenge" put p/.scr/scr.dataset.1/fmap.3.scr DSETDESC SIZE 7
cp p/.scr/scr.dataset.1/fmap.3.scr p/.scr/scr.dataset.1/fmap.7.scr
for r in 0 1 2; do
    "$scavenge" put p/.scr/scr.dataset.1/fmap.$r.scr DSETDESC FILES 5
done
run sionscr index --build p
check 'another number of files' fails 'DSETDESC: FILES is 5, but there are 4'
check 'a filemap of another dataset' fails 'scr.dataset.2: rank 3: it has no filemap'
scavenged flat fmap.%d.scr "$PWD/p" /cache
cp p/.scr/scr.dataset.1/fmap.3.scr p/.scr/scr.dataset.1/fmap.4.scr
for r in 0 1 2 3; do
    "$scavenge" put p/.scr/scr.dataset.2/fmap.$r.scr DSETDESC ID 1
done
run sionscr index --build p
check 'a rank too many' fails 'scr.dataset.1: there is a rank 4, but RANKS is 4'
check 'the dataset of another folder' fails 'scr.dataset.2: the filemaps have nothing of this dataset'
check '... no index' test ! -e p/.scr/index.scr

rm -rf p && cp -r want p
run sionscr index --build p
check 'no filemaps' failed_with 2 'p has no filemaps of a scavenge'
check '... changes nothing' diff -r want p
run sionscr index --build gone
check 'no prefix' failed_with 2 'gone'
finish
