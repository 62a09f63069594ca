# Compares thousands of random collective layouts with the sample model, a Python script.
. "$srcdir/test/harness.sh"
command -v python3 >/dev/null 2>&1 || skip_all 'no python3'
cases=4000
agrees()
{
    "$builddir/test/src/geometry/collective" $cases |
        python3 -B "$srcdir/test/src/geometry/collective_model.py" "$GOLDEN/tools" $cases
}
check "$cases random layouts agree with the model" agrees
finish
