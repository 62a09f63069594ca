# What names the version agrees with VERSION; recipes are well-formed; no text has a placeholder.
. "$srcdir/test/harness.sh"
cd "$srcdir" || exit 99
version=$(sed -n 's/^version=//p' VERSION)

# has_version FILE LINE: the line, with dots for any character, is in the file
has_version()
{
    grep -q "^$2\$" "$1"
}
check 'NEWS begins with this version' test "$(sed -n '/^[0-9]/ { p; q; }' NEWS)" = "$version"
check 'the citation has this version' has_version CITATION.cff "version: $version"
check 'the Python package has this version' has_version python/pyproject.toml "version = \"$version\""
check 'the Spack recipe has this version' has_version packaging/spack/package.py " *version(\"$version\".*)"
check 'the EasyBuild recipe has this version' has_version packaging/easybuild/Scion-"$version"-*.eb "version = '$version'"
check "Debian's packages have this version" grep -q "^scion ($version-" packaging/debian/changelog
check 'the RPM recipe has this version' has_version packaging/scion.spec "Version: *$version"
check 'the conda recipe has this version' has_version packaging/conda/meta.yaml "{% set version = \"$version\" %}"

news_of_this_version()
{
    awk -v version="$version" '/^[0-9]/ { inside = $0 == version } inside' NEWS | wc -l
}
check 'NEWS has at most 60 lines for a version' test "$(news_of_this_version)" -le 60

# placeholders FOLDER: the expressions do not match their own lines here
placeholders()
{
    grep -rnIE --exclude='*.html' 'example[.](org|com|net)|FIX''ME|(^|[^`])TO''DO|you(r|rname)?[@]|<YOU[R]' "$@" | head
}
placeholders_are_found()
{
    printf 'See https://www.example%s/scion\n' .org >"$scratch/text" && test -n "$(placeholders "$scratch/text")"
}
check 'placeholders are found' placeholders_are_found
placeholders ./*.md NEWS CITATION.cff VERSION configure.ac Makefile.am \
    bench doc examples include m4/scion* packaging python scripts src test utils >"$scratch/found"
check 'no text has a placeholder' test ! -s "$scratch/found"
show "$scratch/found"

is_program()
{
    "${PYTHON:-python3}" -c 'import ast, sys
for path in sys.argv[1:]:
    ast.parse(open(path).read(), path)' "$@"
}
is_yaml()
{
    "${PYTHON:-python3}" -c 'import sys, yaml
for path in sys.argv[1:]:
    assert yaml.safe_load(open(path))["version"]' "$@"
}
if "${PYTHON:-python3}" -c '' 2>/dev/null; then
    check 'recipes in Python are programs' is_program packaging/spack/package.py packaging/easybuild/*.eb
else
    skip 'recipes in Python' 'no Python'
fi
if "${PYTHON:-python3}" -c 'import yaml' 2>/dev/null; then
    check 'the citation is YAML' is_yaml CITATION.cff
else
    skip 'the citation' 'no yaml for Python (Debian: python3-yaml)'
fi
# rendered MPI: the conda recipe with this MPI is YAML, and says what its keys should
rendered()
{
    "${PYTHON:-python3}" -c 'import sys, jinja2, yaml
text = open("packaging/conda/meta.yaml").read()
template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text)
recipe = yaml.safe_load(template.render(mpi=sys.argv[1], PKG_HASH="0", compiler=lambda name: name + "-compiler"))
assert recipe["package"] == {"name": "scion", "version": sys.argv[2]}, recipe["package"]
assert recipe["source"]["url"].endswith("/scion-%s.tar.xz" % sys.argv[2]), recipe["source"]
assert {"build", "requirements", "test", "about"} <= set(recipe), list(recipe)
assert ("--without-mpi" in recipe["build"]["script"][0]) == (sys.argv[1] == "nompi")
assert all(isinstance(line, str) for line in recipe["build"]["script"] + recipe["test"]["commands"])' "$1" "$version"
}
if "${PYTHON:-python3}" -c 'import jinja2, yaml' 2>/dev/null; then
    check 'the conda recipe without MPI' rendered nompi
    check 'the conda recipe with Open MPI' rendered openmpi
else
    skip 'the conda recipe' 'no jinja2 or yaml for Python (Debian: python3-jinja2, python3-yaml)'
fi
finish
