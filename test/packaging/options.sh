# configure knows every option that the recipes in packaging/ give it, and they leave no part to chance.
. "$srcdir/test/harness.sh"
source=$(cd "$srcdir" && pwd)
if [ -f "$source/config.status" ]; then
    skip_all 'the source folder is configured, which prevents builds in other folders'
fi
cd "$scratch" || exit 99

# The options of a recipe, one a line; Spack's are made by its functions.
options_of()
{
    sed 's/self\.enable_or_disable("\([a-z]*\)")/--enable-\1/; s/self\.with_or_without("\([a-z]*\)")/--with-\1/' \
        "$source/packaging/$1" | grep -oE -e '--(enable|disable|with|without)-[a-z-]+(=[a-z]+)?' | sort -u
}
# A wrong symbol prefix ends configure early; autoconf has told by then which options it does not know.
# shellcheck disable=SC2046
known()
{
    ! "$source/configure" -q $(options_of "$1") --with-symbol-prefix=1x 2>err &&
        grep 'symbol prefix must be' err && ! grep -i unrecognized err
}
# What is not said is taken where it is there. Debian's builds have nothing that is not named.
decided()
{
    for part in mpi python fuse isal; do
        options_of "$1" | grep -E -e "--with(out)?-$part\b" && continue
        grep -E -e "--$part=" "$source/packaging/$1" || { echo "not decided: $part" && return 1; }
    done
}
easyconfig=$(cd "$source/packaging" && echo easybuild/*.eb)
for recipe in debian/rules Containerfile scion.spec conda/meta.yaml spack/package.py "$easyconfig"; do
    check "$recipe: configure knows the options" known "$recipe"
done
for recipe in scion.spec conda/meta.yaml spack/package.py "$easyconfig"; do
    check "$recipe: MPI, Python, fuse and ISA-L" decided "$recipe"
done
finish
