#!/bin/sh
# Files of all layouts, which a Python script makes from the tables of the format, and the samples,
# whose arrays follow a rule: sionfti checks, prints, extracts and packs them.
. "$srcdir/test/tools/lib.sh"

scripts=$(cd "$srcdir" && pwd)/test/src/ftiff
history=$(cd "$builddir" && pwd)/test/src/ftiff/history
cd "$scratch" || exit 99
if ! command -v python3 >/dev/null 2>&1; then
    skip 'files of all layouts' 'no python3'
    finish
    exit
fi

# all_good NUMBER: reports so many good files, and nothing else
all_good()
{
    succeeded && test "$(wc -l <out)" -eq "$1" && test "$(grep -c ': good, FTI ' out)" -eq "$1"
}

# The structure and the variables of each Rank file of a layout.
dumps_agree()
{
    for dump in "$1"/l?/*.dump; do
        run sionfti dump "${dump%.dump}"
        printed "$dump" || return 1
    done
}

variables_agree()
{
    for variables in "$1"/l?/*.vars; do
        rm -rf found
        run sionfti extract -o found "${variables%.vars}"
        succeeded && diff -r "$variables" found || return 1
    done
}

# Packs the files of a level into a container, and unpacks them.
same_after_packing()
{
    rm -rf files back packed.sion
    mkdir files && cp "$1"/*.fti files || return 1
    run sionfti pack -o packed.sion files
    succeeded || return 1
    run sionfti unpack -o back packed.sion
    succeeded && diff -r files back
}

# Corrects checksums that FTI itself refuses, and nothing else in the file.
mended()
{
    for file in "$1"/l1/*.fti; do
        rm -f new.fti
        run sionfti rehash -o new.fti "$file"
        succeeded || return 1
        run sionfti check new.fti
        all_good 1 || return 1
        ! grep refuses out || return 1
        size=$(($(wc -c <"$file") - $2))
        cmp -n $size "$file" new.fti || return 1
    done
}

check 'the model makes files of all layouts' python3 -B "$scripts/model.py" "$scratch/model"
# A layout, and the bytes of its file block.
while read -r layout bytes release; do
    for level in l1 l2 l3 l4; do
        folder=model/$layout/$level
        test -d "$folder" || continue
        run sionfti check "$folder"
        check "$folder is good" all_good "$(find "$folder" -name '*.fti' | wc -l)"
        check "$folder has files of FTI $release" sh -c "! grep -v 'FTI .*$release' '$scratch/out'"
        check "$folder is the same after packing" same_after_packing "$folder"
    done
    check "the structure of layout $layout" dumps_agree "model/$layout"
    check "the variables of layout $layout" variables_agree "model/$layout"
    case $layout in
    A | B) ;;
    *) check "rehash of layout $layout" mended "model/$layout" "$bytes" ;;
    esac
done <<'END'
A 96 1.1
B 90 1.2
C 110 1.3
D 110 1.4
E 82 1.4.1 to 1.6
F 106 later than 1.6
END

# ---- files of the library ----

# A version for sion_ftiff_set_version, and its layout.
while read -r version layout; do
    mkdir -p "written/$layout"
    check "a history in version $version" "$history" "written/$layout" "$version"
    check "it has layout $layout, byte by byte" \
        python3 -B "$scripts/model.py" --compare "written/$layout" "$layout"
    run sionfti check "written/$layout"
    check "sionfti finds it good" all_good 5
done <<'END'
1 A
2 B
3 C
4 D
5 E
6 F
END

# ---- other layouts ----

# converted FROM TO RELEASE: all checkpoints of a history in another layout
converted()
{
    rm -rf converted
    mkdir converted
    for file in written/"$1"/*.fti; do
        run sionfti convert --layout="$3" -o "converted/$(basename "$file")" "$file"
        succeeded || return 1
    done
    python3 -B "$scripts/model.py" --compare converted "$2"
}

while read -r to release; do
    for from in A B D F; do
        check "layout $from becomes $to, byte by byte" converted $from "$to" "$release"
    done
done <<'END'
A 1.1
B 1.2
C 1.3
D 1.4
E 1.4.1
E 1.6
F latest
END
run sionfti convert -l 1.7 -o new.fti written/A/Ckpt1-Rank0.fti
check 'a release that does not exist' failed_with 1 '--layout takes 1.1, 1.2, '
rm -f new.fti
cp written/A/Ckpt1-Rank0.fti without
run sionfti convert -l 1.6 -o new.fti without
check 'the number of the checkpoint is missing' failed_with 2 'use -c'
check 'no file is written then' test ! -e new.fti
run sionfti convert -l 1.6 -c 1 -o new.fti without
run sionfti check -c 1 new.fti
check 'the number is given' all_good 1
run sionfti convert -l 1.6 -o without without
check 'convert: the output is the input' failed_with 2 'is a file of the input'
rm -rf unpacked
run sionfti pack -o plain.sion written/F/Ckpt5-Rank0.fti
run sionfti unpack -l 1.3 -o unpacked plain.sion
run sionfti convert -l 1.3 -o new13.fti written/F/Ckpt5-Rank0.fti
check 'unpack: in another layout' same unpacked/Ckpt5-Rank0.fti new13.fti
run sionfti pack -o partners.sion model/F/l2
run sionfti unpack -l 1.3 -o partners partners.sion
check 'unpack: partners copies cannot get another layout' failed_with 2 'only Rank files can get another layout'
check 'unpack: nothing is written then' test -z "$(ls -A partners)"

# ---- the samples ----

extract_samples()
{
    for file in "$GOLDEN"/ftiff/*/L?/Ckpt*-[RP]??[kf]?.fti; do
        name=$(basename "$file")
        folder=$(dirname "${file#"$GOLDEN/ftiff/"}" | tr / -)-$name
        run sionfti extract -o "found/$folder" "$file"
        succeeded || return 1
        echo "rule/$folder $name" >>list
    done
}
rm -rf found
mkdir found
check 'all samples are extracted' extract_samples
check 'there are 80 samples' test "$(wc -l <list)" -eq 80
check 'the arrays by their rule' python3 -B "$scripts/arrays.py" <list
check 'the samples have the arrays of the rule' diff -r rule found
finish
