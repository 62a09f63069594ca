# Thousands of random collective layouts, compared with the sample model, which is a Python script.
cases=4000
echo "1..1"
if ! command -v python3 >/dev/null 2>&1; then
    echo "ok 1 - layouts agree with the model # SKIP no python3"
    exit 0
fi
"$builddir/test/unit/geometry_collective" $cases | python3 -B "$srcdir/test/unit/collective_model.py" "$GOLDEN/tools" $cases
status=$?
if [ $status -eq 0 ]; then
    echo "ok 1 - $cases random layouts agree with the model"
else
    echo "not ok 1 - $cases random layouts agree with the model"
fi
exit $status
