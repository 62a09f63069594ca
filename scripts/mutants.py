#!/usr/bin/env python3
"""Deliberate faults in the sources that the tests must find.

Makes small changes to src/, one at a time (a comparison, a constant, a call left out, ...), in a copy
of the tree, and runs the tests of the layer. A change that a test notices is killed; one that
survives shows code that nobody would miss if it broke. The same seed chooses the same changes, and an
edit of a line affects the choice of its own changes only. The results are kept in the folder of the
copy: --go-on starts from them, and tries only the survivors again. The script needs Python and what
builds the library, nothing else.

Each change costs one run of the compiler, and one of the linker for each test: the changed object
precedes the archives on the link line, so that the linker does not take the one in an archive. With
--bindings, it costs two runs of make, and an installation for each test.
"""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # leaves no files next to the sources
from mutant_changes import LANGUAGES, changes_of_file, named_changes  # noqa: E402

# The tests that must notice a change of a source, by the first pattern that matches its path.
# Programs run first, and scripts only for changes that survive the programs.
ABOVE_STREAMS = r'test/src/(comm|file|keyval|parallel)/(?!.*_(mpi|omp|ompi)\b)'
PARALLEL = r'test/src/parallel/(?!.*_(mpi|omp|ompi)\b)'
OF_MPI = r'test/src/parallel/.*_mpi\b'
OF_OPENMP = r'test/src/parallel/.*_omp\b'
LAYERS = [
    (r'src/base/', ['test/src/(base|format|geometry|vfs|stream)/', 'test/api/', ABOVE_STREAMS]),
    (r'src/format/', ['test/src/(format|file)/', 'test/api/', 'test/src/recover/serial']),
    (r'src/geometry/', ['test/src/geometry/', ABOVE_STREAMS]),
    (r'src/vfs/fault', []),
    (r'src/vfs/', ['test/src/(vfs|stream|file)/', 'test/api/', 'test/src/recover/serial', 'test/faults/power/']),
    (r'src/stream/', ['test/src/stream/', 'test/api/', 'test/src/recover/serial', 'test/faults/power/', 'test/faults/serial']),
    (r'src/keyval/', ['test/src/keyval/', 'test/api/', 'test/model/serial']),
    (r'src/file/', [ABOVE_STREAMS, 'test/api/', 'test/src/recover/serial', 'test/faults/power/', 'test/faults/serial']),
    (r'src/(comm|api|scr|ftiff)/(mpi|ompi|collective_mpi)', [OF_MPI, 'test/src/parallel/data_ompi']),
    (r'src/comm/(omp|threads)|src/api/omp', [OF_OPENMP, 'test/src/parallel/.*_ompi', 'test/src/comm/threads']),
    (r'src/comm/', [ABOVE_STREAMS]),
    (r'src/parallel/', [ABOVE_STREAMS, 'test/model/generic', OF_MPI, 'test/src/recover/unclosed_mpi', 'test/faults/power/generic',
                        'test/faults/generic']),
    (r'src/api/private_abi', ['test/src/array/']),
    (r'src/api/', ['test/api/', PARALLEL, 'test/src/recover/serial', 'test/src/scr/attach', 'test/faults/serial']),
    (r'src/scr/', ['test/src/scr/', 'test/faults/power/scr']),
    (r'src/ftiff/', ['test/src/ftiff/', 'test/fuzz/ftiff', 'test/faults/power/fti']),
    (r'src/array/', ['test/src/array/']),
    (r'src/crc/', ['test/api/checksum', 'test/tools/verify']),
    (r'src/recover/', ['test/src/recover/', 'test/faults/power/']),
    (r'utils/sionscr', ['test/src/scr/']),
    (r'utils/sionfti', ['test/src/ftiff/']),
    (r'utils/sionarray', ['test/src/array/']),
    (r'utils/sionrecover', ['test/src/recover/']),
    (r'utils/sion(mount|version)', []),
    (r'utils/', ['test/tools/']),
]
# Scripts that build or install, or take minutes.
NO_SCRIPTS = r'test/(api|packaging|bindings/cxx|bindings/fortran|bench|self)/.*\.sh$|test/src/vfs/descriptors.sh'
# Programs in which a memory leak is a fault. With others, the sanitizer takes long, or needs memory
# that the test takes away.
LEAKS = (r'test/(src/(base|format|geometry|vfs|stream|comm|file)|api|tools)/|test/src/scr/attach$|'
         r'test/src/parallel/(?!close$|.*_(mpi|omp|ompi)$)')

# With --bindings, these replace LAYERS: the tests install the build, and compile programs with it.
BINDINGS = [
    (r'src/cxx/|include/sion_cxx', ['test/bindings/cxx/']),
    (r'src/fortran/', ['test/bindings/fortran/']),
]


def layer_of(path):
    for pattern, tests in LAYERS:
        if re.match(pattern, path):
            return tests
    return []


def chosen_changes(root, wanted, options):
    """For each folder: its name, how many changes to try, and its changes in the order given by the seed."""
    folders = {}
    paths = [path for top in ('src', 'utils', 'include')
             for path in glob.glob(top + '/**/*.*', root_dir=root, recursive=True)]
    for path in sorted(paths):
        if os.path.splitext(path)[1] in LANGUAGES and layer_of(path) and path.startswith(tuple(wanted)):
            folders.setdefault(folder_of(path), []).extend(changes_of_file(root, path, options.reckless))
    total = sum(len(c) for c in folders.values()) or 1
    queues = []
    for folder in sorted(folders):
        changes = named_changes(root, folders[folder])
        changes.sort(key=lambda c: (c.what != 'sync left out',
                                    hashlib.sha256(('%d %s' % (options.seed, c.name)).encode()).digest()))
        share = max(1 if options.reckless else 3, round(options.number * len(changes) / total))
        queues.append((folder, options.each or share, changes))
    return queues


def folder_of(path):
    """The folder that a source counts for: that of its layer; all tools are one, and utils/lib is one."""
    folders = os.path.dirname(path).split('/')
    return '/'.join(folders[:1 if folders[0] == 'utils' and folders[1:] != ['lib'] else 2])


class Tree:
    """A copy of the sources, and a build of it."""

    def __init__(self, root, folder, options):
        self.folder = folder
        self.source = os.path.join(folder, 'source')
        self.build = os.path.join(folder, 'build')
        self.scratch = os.path.join(folder, 'tmp')
        self.longest = options.longest
        self.jobs = options.jobs
        self.mutant = Rebuilt if options.bindings else Mutant
        if not options.go_on:
            empty(folder)
        for name in (self.build, self.scratch):
            os.makedirs(name, exist_ok=True)
        # The time of each test that passes without a change; None if it fails.
        self.seconds = {t: s for t, s in self.kept('seconds').items() if s is not None}
        self.known = self.kept('known')  # results of the changes tried so far
        self.undo()
        self.copy(root)
        if not os.path.exists(os.path.join(self.build, 'Makefile')):
            self.must([os.path.join(self.source, 'configure'), '-q', 'CC=gcc', 'CFLAGS=-O1', '--disable-shared',
                       *(['CXXFLAGS=-O1', 'FCFLAGS=-O1'] if options.bindings else ['--disable-fortran', '--disable-cxx']),
                       *([] if options.no_leaks or options.bindings else ['LDFLAGS=-fsanitize=leak']),
                       '--with-mpi' if options.with_mpi else '--without-mpi'])
        self.must(['make', '-O', 'V=1', '-j%d' % options.jobs] + ([] if options.bindings else ['check', 'TESTS=']))
        self.read_commands()
        self.link_tools()
        self.environment = self.test_environment()
        self.kills = collections.Counter()
        self.symbols_of = {}

    def kept(self, name):
        path = os.path.join(self.folder, name + '.json')
        if not os.path.exists(path):
            return {}
        with open(path, encoding='utf-8') as f:
            return json.load(f)

    def keep(self):
        for name in ('seconds', 'known'):
            with open(os.path.join(self.folder, name + '.json'), 'w', encoding='utf-8') as f:
                json.dump(getattr(self, name), f, indent=1)

    def undo(self):
        """Reverts the change in the tree, if the last run was ended in the middle of one."""
        for folder in (self.source, self.build):
            for name in glob.glob('**/*.good', root_dir=folder, recursive=True):
                os.rename(os.path.join(folder, name), os.path.join(folder, name[:-len('.good')]))

    def copy(self, root):
        """Copies what has changed since the last copy, or everything. A changed file is newer than its objects."""
        skip = {'.git', 'build', 'autom4te.cache'}
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in skip]
            to = os.path.join(self.source, os.path.relpath(folder, root))
            os.makedirs(to, exist_ok=True)
            for name in files:
                if not same_file(os.path.join(folder, name), os.path.join(to, name)):
                    is_new = not os.path.lexists(os.path.join(to, name))
                    self.forget_tests(os.path.relpath(folder, root))
                    shutil.copy2(os.path.join(folder, name), os.path.join(to, name), follow_symlinks=False)
                    if not is_new:
                        os.utime(os.path.join(to, name), follow_symlinks=False)
        if not os.path.exists(os.path.join(self.source, 'configure')):
            subprocess.run(['autoreconf', '-fi'], cwd=self.source, check=True, stdout=subprocess.DEVNULL)

    def forget_tests(self, folder):
        """Tests in a changed folder must first pass on the unchanged sources again."""
        if folder.split('/')[0] == 'test':
            self.seconds = {t: s for t, s in self.seconds.items() if not t.startswith(folder + '/')}

    def must(self, command):
        with open(os.path.join(self.folder, 'log'), 'ab') as out:
            if subprocess.run(command, cwd=self.build, stdout=out, stderr=out).returncode != 0:
                sys.exit('mutants: %s fails: see %s' % (' '.join(command), out.name))

    def read_commands(self):
        """Finds in make's output how each object is compiled, and each program linked."""
        self.compile, self.link = {}, {}
        with open(os.path.join(self.folder, 'log'), encoding='utf-8', errors='replace') as f:
            for line in f:
                words = re.match(r'libtool: (compile|link):\s+(.*)', line)
                if words is None and ' -c -o ' in line:
                    words = re.match(r'(?:depbase=.*?;\s*)?()((?:gcc|mpicc)\S* .*?)(?:\s*&& ?\\?)?$', line.strip())
                words = split_words(words.group(2)) if words else []
                if '-c' in words and '-o' in words and not words[words.index('-o') + 1].startswith('.libs'):
                    self.compile[words[words.index('-o') + 1]] = words
                elif '-o' in words and '-shared' not in words:
                    self.link[words[words.index('-o') + 1]] = words

    def link_tools(self):
        """Links tools without the leak sanitizer: it takes long, or needs more memory than scripts allow."""
        for program, words in self.link.items():
            if not re.match(LEAKS, program) and '-fsanitize=leak' in words:
                words.remove('-fsanitize=leak')
                self.run(words)

    def variable(self, name):
        text = 'include Makefile\nprint-it:\n\t@echo "$(%s)"\n' % name
        return subprocess.run(['make', '-s', '-f', '-', 'print-it'], cwd=self.build, input=text,
                              capture_output=True, text=True).stdout.strip()

    def test_environment(self):
        here = os.path.abspath
        values = dict(os.environ, srcdir=here(self.source), builddir=here(self.build), CC='gcc', LC_ALL='C',
                      GOLDEN=here(os.path.join(self.source, 'test/golden')),
                      LAUNCH=here(os.path.join(self.source, 'test/launch.sh')))
        for name in ('AWK', 'MPIEXEC', 'MPI_FLAVOUR', 'PYTHON'):
            values[name] = self.variable(name)
        values['TOOLS'] = self.variable('bin_PROGRAMS') + ' ' + self.variable('bin_SCRIPTS')
        self.all_tests = self.variable('TESTS').split()
        return values

    def tests(self, patterns):
        """The programs, then the scripts, that test the layer: first quick ones, and those with many kills."""
        names = [t for t in self.all_tests
                 if re.match('|'.join(patterns) or '$', t) and (self.mutant is Rebuilt or not re.match(NO_SCRIPTS, t))]
        for t in names:
            if t not in self.seconds:
                start = time.monotonic()
                passes = self.passes(t, 300)
                self.seconds[t] = time.monotonic() - start if passes else None
                if not passes:
                    print('%s fails on the unchanged sources, and is left out' % t, flush=True)
        good = [t for t in names if self.seconds[t] is not None and self.seconds[t] < self.longest]
        if names and not good:
            sys.exit('mutants: all tests of %s fail, or take longer than --longest' % ' '.join(patterns))
        return sorted(good, key=lambda t: (t.endswith('.sh'), self.seconds[t] / (1 + self.kills[t])))

    def passes(self, test, limit):
        if test.endswith('.sh'):
            command = ['sh', os.path.join(self.source, test)]
        else:
            command = [os.path.join(self.build, test)]
        scratch = tempfile.mkdtemp(dir=self.scratch)
        process = subprocess.Popen(command, cwd=self.build, env=dict(self.environment, TMPDIR=scratch), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   start_new_session=True, preexec_fn=limit_memory)
        try:
            out, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            out = b'not ok'
        finally:
            kill_session(process.pid)
            process.wait()
            shutil.rmtree(scratch, ignore_errors=True)
        return process.returncode == 0 and re.search(rb'^not ok', out, re.M) is None

    def objects(self, path):
        """The objects compiled from a source."""
        return [o for o, words in self.compile.items() if any(w.endswith('/' + path) for w in words)]

    def run(self, words):
        return subprocess.run(words, cwd=self.build, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=dict(os.environ, CCACHE_DISABLE='1')).returncode == 0

    def symbols(self, path, flags):
        if path not in self.symbols_of:
            out = subprocess.run(['nm', '-f', 'posix', '--defined-only'] + flags + [path], cwd=self.build,
                                 capture_output=True, text=True).stdout
            self.symbols_of[path] = {line.split()[0] for line in out.split('\n') if line} - {'main'}
        return self.symbols_of[path]

    def has(self, program, objects):
        """The one of the objects that a program contains; '' if none."""
        for o in objects:
            if o in self.link[program]:
                return o
        for o in objects:
            if self.symbols(o, ['-g']) & self.symbols(program, []):
                return o
        return ''


class Mutant:
    """One change, made in the tree until the end of a with statement."""

    def __init__(self, tree, change):
        self.tree, self.change = tree, change
        self.source = os.path.join(tree.source, change.path)
        self.objects = tree.objects(change.path)
        self.programs = {}  # programs linked with the change, and the object that has it
        self.found = ''  # the test that noticed the change
        self.linking = threading.Lock()

    def __enter__(self):
        for o in self.objects:
            self.tree.symbols(o, ['-g'])
        for name in [os.path.join(self.tree.build, o) for o in self.objects]:
            shutil.copy2(name, name + '.good')
        self.change_source()
        return self

    def change_source(self):
        shutil.copy2(self.source, self.source + '.good')
        with open(self.source, encoding='utf-8') as f:
            lines = f.read().split('\n')
        lines[self.change.line] = self.change.new
        with open(self.source, 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines))

    def __exit__(self, *_):
        for name in [self.source] + [os.path.join(self.tree.build, o) for o in self.objects]:
            os.rename(name + '.good', name)
        for program in self.programs:
            name = os.path.join(self.tree.build, program)
            os.rename(name + '.good', name)

    def compiles(self):
        """Whether the change compiles, and to a different object than before."""
        different = False
        for o in self.objects:
            if not self.tree.run(self.tree.compile[o] + ['-w', '-fno-diagnostics-color']):
                return False
            name = os.path.join(self.tree.build, o)
            different = different or content(name) != content(name + '.good')
        return different

    def link(self, program):
        """Links the program with the change; whether the change is in it."""
        if program in self.programs:
            return True
        if program not in self.tree.link:
            return False
        o = self.tree.has(program, self.objects)
        if not o:
            return False
        name = os.path.join(self.tree.build, program)
        os.rename(name, name + '.good')
        self.programs[program] = o
        words = list(self.tree.link[program])
        if o not in words:
            words.insert(words.index('-o') + 2, o)
        if not self.tree.run(words):
            raise SystemExit('mutants: cannot link %s with %s' % (program, o))
        return True

    def put_into(self, test):
        """Links the test with the change; whether it is in the program, or in one that a script names."""
        if not test.endswith('.sh'):
            return self.link(test)
        names = glob.glob(os.path.join(self.tree.source, os.path.dirname(test), 'lib.sh'))
        text = ' '.join(content(n).decode() for n in [os.path.join(self.tree.source, test)] + names)
        words = set(re.findall(r'\w+', text))
        return [p for p in self.tree.link if os.path.basename(p) in words and self.link(p)] != []

    def killer(self):
        """A test that notices; '' if none does. Several run at a time; no more start once one has noticed."""
        with concurrent.futures.ThreadPoolExecutor(self.tree.jobs) as pool:
            list(pool.map(self.notices, self.tree.tests(layer_of(self.change.path))))
        return self.found

    def notices(self, test):
        if self.found:
            return
        with self.linking:
            present = self.put_into(test)
        if present and not self.tree.passes(test, 30 + 5 * self.tree.seconds[test]):
            self.tree.kills[test] += 1
            self.found = test


class Rebuilt(Mutant):
    """A change that make builds into everything."""

    def __enter__(self):
        self.before = self.all_objects()
        self.change_source()
        return self

    def __exit__(self, *_):
        os.rename(self.source + '.good', self.source)
        os.utime(self.source)
        self.tree.must(['make'])

    def all_objects(self):
        return [content(o) for o in sorted(glob.glob(self.tree.build + '/**/*.o', recursive=True))]

    def compiles(self):
        return self.tree.run(['make']) and (self.change.path.endswith('.hpp') or self.all_objects() != self.before)

    def put_into(self, test):
        return True


def content(name):
    with open(name, 'rb') as f:
        return f.read()


def same_file(a, b):
    return os.path.islink(a) or os.path.exists(b) and content(a) == content(b)


def split_words(text):
    try:
        return shlex.split(text)
    except ValueError:
        return []


def empty(folder):
    """Removes the folder, but only if an earlier run made it."""
    if os.path.isdir(folder) and os.listdir(folder):
        if not os.path.exists(os.path.join(folder, 'source/scripts/mutants.py')):
            sys.exit('mutants: %s is not empty, and no earlier run made it' % folder)
        shutil.rmtree(folder, ignore_errors=True)


def kill_session(leader):
    """Ends all processes of a test. `timeout` puts mpiexec into another group; ranks end with mpiexec."""
    for name in os.listdir('/proc'):
        try:
            if name.isdigit() and os.getsid(int(name)) == leader:
                os.kill(int(name), signal.SIGKILL)
        except ProcessLookupError:
            pass


def limit_memory():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))


# ---- trying

def try_change(tree, change):
    """The test that notices; '' if none does; None if there is no test, or no different object."""
    if not tree.tests(layer_of(change.path)) or not tree.objects(change.path) and tree.mutant is Mutant:
        return None
    with tree.mutant(tree, change) as mutant:
        return mutant.killer() if mutant.compiles() else None


def known_change(tree, change):
    """The known result; but a survivor is tried again, because tests written since may notice it."""
    if tree.known.get(change.name, '') == '':
        tree.known[change.name] = try_change(tree, change)
        tree.keep()
    return tree.known[change.name]


def try_next(tree, changes, survivors):
    """Tries the next possible change of a folder: whether it is killed; None if none is left."""
    for change in changes:
        found = known_change(tree, change)
        if found is None:
            continue
        where = '%s:%d: %s' % (change.path, change.line + 1, change.what)
        print('%s: %s' % (where, 'killed by ' + found if found else 'SURVIVED'), flush=True)
        if not found:
            survivors.append('%s\n    %s' % (where, change.new.strip()))
        return found != ''
    return None


def try_all(tree, queues, end, survivors):
    """Takes the folders in turn, so that each has had its share when the time is up."""
    results = [[folder, [0, 0]] for folder, _, _ in queues]
    changes = [iter(changes) for _, _, changes in queues]
    open_folders = list(range(len(queues)))
    while open_folders:
        for i in list(open_folders):
            if time.monotonic() > end:
                return results
            killed = try_next(tree, changes[i], survivors)
            if killed is not None:
                results[i][1][0] += killed
                results[i][1][1] += 1
            if killed is None or results[i][1][1] == queues[i][1]:
                open_folders.remove(i)
    return results


def report(results, survivors, seed):
    print('\nsurvived:' if survivors else '\nnone survived')
    for text in survivors:
        print('  ' + text)
    print('\n%-16s %6s %8s %8s' % ('folder', 'tried', 'killed', 'survived'))
    for folder, (killed, tried) in results:
        print('%-16s %6d %8d %8d' % (folder, tried, killed, tried - killed))
    killed, tried = (sum(r[i] for _, r in results) for i in (0, 1))
    percent = 100 * killed / tried if tried else 0
    print('seed %d: %d mutants, %d killed, %d survived: %.0f %%' % (seed, tried, killed, tried - killed, percent))
    return percent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('paths', nargs='*', default=['src/', 'utils/', 'include/'],
                        help='only sources whose paths begin so (src/vfs)')
    parser.add_argument('--number', type=int, default=100, help='of changes in all folders together (100)')
    parser.add_argument('--each', type=int, default=0, help='of changes in each folder; replaces --number')
    parser.add_argument('--seed', type=int, default=1, help='chooses the changes (1)')
    parser.add_argument('--time', type=int, default=3600, help='seconds after which no change is begun (3600)')
    parser.add_argument('--folder', default='build/mutants', help='for the copy; emptied first (build/mutants)')
    parser.add_argument('--go-on', action='store_true', help='continue the last run; try only survivors again')
    parser.add_argument('--longest', type=int, default=60, help='seconds that a test may take; others are left out (60)')
    parser.add_argument('--minimum', type=int, default=0, help='per cent that must be killed (0)')
    parser.add_argument('--jobs', type=int, default=2, help='jobs of make, and tests that run at a time (2)')
    parser.add_argument('--with-mpi', action='store_true', help='also change sources that call MPI')
    parser.add_argument('--bindings', action='store_true',
                        help='change src/cxx and src/fortran; programs with the installed library test them')
    parser.add_argument('--reckless', action='store_true',
                        help='only changes that lose data: results and checks ignored, syncs left out, orders, ranks')
    parser.add_argument('--no-leaks', action='store_true', help='do not count memory leaks as faults')
    parser.add_argument('--list', action='store_true', help='show the changes, try none')
    return parser.parse_args()


def main():
    options = arguments()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    print('seed %d' % options.seed, flush=True)
    if not options.with_mpi:
        LAYERS.insert(0, (r'src/(comm|api|scr|ftiff)/(mpi|ompi)', []))
        BINDINGS.insert(0, (r'(src|include)/.*(mpi|f08|communicators|collective)', []))
    if options.bindings:
        LAYERS[:] = BINDINGS
    queues = chosen_changes(root, options.paths, options)
    if options.list:
        for folder, share, changes in queues:
            for c in changes[:share]:
                print('%s:%d: %s' % (c.path, c.line + 1, c.what))
        return 0
    end = time.monotonic() + options.time
    tree = Tree(root, os.path.abspath(options.folder), options)
    survivors = []
    results = try_all(tree, queues, end, survivors)
    return report(results, survivors, options.seed) < options.minimum


if __name__ == '__main__':
    sys.exit(main())
