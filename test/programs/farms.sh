# Programs without MPI: many processes under one sionrun.
. "$srcdir/test/programs/lib.sh"

# holds N TEXT: the container has the files out/1 to out/N, with TEXT and the number
holds()
{
    rm -rf all && unpacked all x.sion && test "$(ls all/out | wc -l)" = "$1" || return 1
    for i in $(seq "$1"); do
        test "$(cat "all/out/$i")" = "$2 $i" || return 1
    done
    test ! -e out && nothing_staged
}
tasks()
{
    "$builddir/sionls" x.sion | sed -n 's/.*: \([0-9]*\) task.*/\1/p'
}

cat >work.sh <<'END'
mkdir -p out && echo "done $1" >"out/$1"
END
check 'xargs -P' logged "$sionrun" -o x.sion --files 'out/**' sh -c 'seq 20 | xargs -P 4 -n 1 sh work.sh'
check 'all files are in the container' holds 20 'done'
check 'each process has a stream' test "$(tasks)" -ge 20

if ! parallel --version 2>/dev/null | grep -q GNU; then
    skip 'GNU parallel' 'it is not installed'
else
    check 'GNU parallel' logged "$sionrun" -o x.sion --files 'out/**' parallel -j 4 sh work.sh ::: $(seq 20)
    check 'all files are in the container' holds 20 'done'
fi

if test -z "$PYTHON"; then
    skip 'Python' 'it is not there'
else
    cat >pool.py <<'END'
import multiprocessing, os, pathlib

def work(i):
    pathlib.Path("out").mkdir(exist_ok=True)
    with open(f"out/{i}", "w") as file:
        print("done", i, file=file)

if __name__ == "__main__":
    with multiprocessing.Pool(4) as pool:
        pool.map(work, range(1, 21))
    assert sorted(map(int, os.listdir("out"))) == list(range(1, 21))
END
    check 'multiprocessing of Python' logged "$sionrun" -o x.sion --files 'out/**' "$PYTHON" pool.py
    check 'all files are in the container' holds 20 'done'
fi

flags=$(pkg-config --cflags --libs hdf5-serial 2>/dev/null || pkg-config --cflags --libs hdf5 2>/dev/null)
if test -z "$flags"; then
    skip 'HDF5' 'it is not installed'
else
    cat >h5.c <<'END'
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    hsize_t n = 1000;
    double values[1000], again[1000];
    char name[64];
    int rank = argc > 1 ? atoi(argv[1]) : 0, i;
    hid_t file, space, set, plan = H5Pcreate(H5P_DATASET_CREATE);

    for (i = 0; i < 1000; i++)
        values[i] = rank + i;
    snprintf(name, sizeof name, "out%d.h5", rank);
    file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate_simple(1, &n, NULL);
    H5Pset_obj_track_times(plan, 0); /* two files are compared */
    set = H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    if (H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return 1;
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    set = H5Dopen2(file, "x", H5P_DEFAULT);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, again) < 0)
        return 1;
    H5Dclose(set);
    H5Fclose(file);
    return again[999] != rank + 999;
}
END
    # shellcheck disable=SC2086
    ${CC:-cc} h5.c $flags -o h5 2>log || { show log; skip_all 'programs with HDF5 cannot be built'; }
    check 'a file of HDF5 for each process' logged "$sionrun" -o x.sion --files 'out*' sh -c './h5 1 & ./h5 2 & wait'
    check 'all come back' unpacked h5files x.sion
    ./h5 1 && ./h5 2
    check 'the first as it is without sionrun' cmp out1.h5 h5files/out1.h5
    check 'and the second' cmp out2.h5 h5files/out2.h5
fi
finish
