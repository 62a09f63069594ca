# OpenFOAM: decomposed, run, and restarted, with processor folders that exist only in containers.
. "$srcdir/test/programs/lib.sh"
needs blockMesh decomposePar icoFoam
examples=/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity
test -d $examples || skip_all 'the examples of OpenFOAM are not installed'
WM_PROJECT_DIR=/usr/share/openfoam
export WM_PROJECT_DIR
here='processor*/**'

cp -r $examples case || exit 99
find case -name '*.gz' -exec gunzip {} +
cat >case/system/decomposeParDict <<'END'
FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains 2;
method simple;
simpleCoeffs { n (2 1 1); delta 0.001; }
END
# until TIME: the next run goes on with what is there
until_time()
{
    sed -i "s/^endTime .*/endTime $1;/; s/^startFrom .*/startFrom latestTime;/" system/controlDict
}
(cd case && logged blockMesh) || exit 99
cp -r case reference && cp -r case packed || exit 99

cd reference || exit 99
logged decomposePar && until_time 0.2 && logged on_ranks 2 icoFoam -parallel &&
    until_time 0.4 && logged on_ranks 2 icoFoam -parallel
result $? 'without sionrun'

cd ../packed || exit 99
check 'decomposePar makes a container' logged "$sionrun" -o mesh.sion --files "$here" decomposePar
check 'and no folders' sh -c '! ls -d processor*'
until_time 0.2
check 'the solver runs from it' \
    logged on_ranks 2 "$sionrun" -i mesh.sion -o first.sion --files "$here" icoFoam -parallel
until_time 0.4
check 'it goes on from two containers' \
    logged on_ranks 2 "$sionrun" -i mesh.sion -i first.sion -o second.sion --files "$here" icoFoam -parallel
check 'there are no folders' sh -c '! ls -d processor*'
check 'nothing stays on the node' nothing_staged
mkdir all
check 'all files come back' unpacked all mesh.sion first.sion second.sion
mkdir expected && mv ../reference/processor* expected/
check 'they are those that are written without sionrun' same_trees expected all
check 'the second container has only what is new' \
    sh -c "! '$builddir/sionls' --files second.sion | grep -q polyMesh"
finish
