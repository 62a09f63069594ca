# The picture of the layers shows every folder, and the calls that the linker sees.
. "$srcdir/test/harness.sh"
command -v nm >/dev/null || skip_all 'nm is missing'
for folder in api array comm crc cxx file fortran ftiff recover scr; do
    ls "$builddir/src/$folder"/*.o >/dev/null 2>&1 || skip_all "this build has no src/$folder"
done
pictures=$srcdir/doc/pictures

shows_every_folder()
{
    for folder in "$srcdir"/src/*/; do
        folder=$(basename "$folder")
        test "$folder" = abi || grep -q "<title>$folder</title>" "$pictures/layers.svg" || {
            echo "src/$folder"
            return 1
        }
    done
}
check 'every folder is in the picture' shows_every_folder
sh "$pictures/layers.sh" "$srcdir" "$builddir" >"$scratch/layers.dot"
result $? 'the objects are read'
check 'the calls are those of the objects ("make pictures" draws them)' \
    diff "$scratch/layers.dot" "$pictures/layers.dot"
finish
