#!/usr/bin/env python3
"""Deliberate faults in the sources that the tests must find.

Makes small changes to src/, one at a time (a comparison, a constant, a call left out, ...), in a copy of
the tree, and runs the tests of the layer. A change that a test notices is killed; one that survives
shows code that nobody would miss if it broke. The same seed chooses the same changes from the same
sources. Needs nothing but Python, and what builds the library.
"""
import argparse
import glob
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

# Sources, by the first pattern that matches their path, and the tests that have to notice: programs,
# then scripts, which are run only for what the programs leave alive.
LAYERS = [
    (r'src/base/', ['test/unit/', 'test/api/debug', 'test/api/failures', 'test/layers/file']),
    (r'src/format/', ['test/unit/format_', 'test/layers/file', 'test/api/']),
    (r'src/geometry/', ['test/unit/geometry_', 'test/unit/collective_model', 'test/layers/']),
    (r'src/vfs/fault', []),
    (r'src/vfs/', ['test/unit/vfs_', 'test/unit/stream_', 'test/api/export', 'test/api/failures']),
    (r'src/stream/', ['test/unit/stream_', 'test/unit/lengths', 'test/api/']),
    (r'src/keyval/', ['test/layers/keyval', 'test/api/keyval']),
    (r'src/file/', ['test/layers/file', 'test/layers/keyval', 'test/api/']),
    (r'src/(comm|api|scr|ftiff)/(mpi|ompi|collective_mpi)', ['test/mpi/', 'test/omp/ompi']),
    (r'src/comm/(omp|threads)|src/api/omp', ['test/omp/', 'test/layers/comm_threads']),
    (r'src/comm/', ['test/layers/']),
    (r'src/parallel/', ['test/layers/']),
    (r'src/api/', ['test/api/', 'test/layers/generic_']),
    (r'src/scr/', ['test/scr/']),
    (r'src/ftiff/', ['test/ftiff/', 'test/fuzz/ftiff']),
]
# Scripts that build or install, or take minutes.
NO_SCRIPTS = r'test/(api|consumers|cxx|fortran|bench|self)/.*\.sh$'

SWAPS = {
    '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&',
    '+': '-', '-': '+', '+=': '-=', '-=': '+=', '++': '--', '--': '++',
}
OPERATOR = re.compile(r'(?<= )(<=|>=|==|!=|&&|\|\||\+=|-=|<|>|\+|-)(?= )|(\+\+|--)')
NUMBER = re.compile(r'(?<![\w.\[])(\d+)(?![\w.\]])')
CONDITION = re.compile(r'^(\s*(?:\} else )?(?:if|while) \()(.*)(\)(?: \{)?)$')
CALL = re.compile(r'^(\s+)[a-z_]\w*\([^{}]*\);$')
ASSIGNMENT = re.compile(r'^(\s+)[*a-z_][\w>.\[\]-]* [-+|&]?= [^{}]*;$')
RETURN = re.compile(r'^(\s+return )(?!0;|NULL;)([^;{}]+);$')


def masked(text):
    """The text with blanks for comments, strings, characters and the preprocessor's lines."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.S | re.M)


def changes_of_line(line, mask):
    """(new line, what was changed) for each change of a line."""
    for m in OPERATOR.finditer(mask):
        new = SWAPS[m.group(0)]
        yield line[:m.start()] + new + line[m.end():], "%s becomes %s" % (m.group(0), new)
    for m in NUMBER.finditer(mask):
        new = str(int(m.group(1)) + 1) if m.group(1) != '1' else '0'
        yield line[:m.start()] + new + line[m.end():], "%s becomes %s" % (m.group(1), new)
    m = CONDITION.match(mask)
    if m and m.group(2).count('(') == m.group(2).count(')'):
        first, last = m.span(2)
        yield line[:first] + '!(' + line[first:last] + ')' + line[last:], 'condition negated'
    for pattern, what in ((CALL, 'call left out'), (ASSIGNMENT, 'assignment left out')):
        m = pattern.match(mask)
        if m:
            yield m.group(1) + ';', what
    m = RETURN.match(mask)
    if m:
        yield m.group(1) + '0;', 'returns 0'


def changes_of_file(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        text = f.read()
    lines, masks = text.split('\n'), masked(text).split('\n')
    inside = False  # the body of a function
    for i, (line, mask) in enumerate(zip(lines, masks)):
        if mask == '{':
            inside = True
        elif mask == '}':
            inside = False
        elif inside:
            for new, what in changes_of_line(line, mask):
                yield path, i, new, what


def layer_of(path):
    for pattern, tests in LAYERS:
        if re.match(pattern, path):
            return tests
    return []


def chosen_changes(root, wanted, number, seed):
    """For each folder its share of the number, in an order that the seed decides."""
    folders = {}
    for path in sorted(glob.glob('src/**/*.c', root_dir=root, recursive=True)):
        if layer_of(path) and path.startswith(tuple(wanted)):
            folders.setdefault(os.path.dirname(path), []).extend(changes_of_file(root, path))
    total = sum(len(c) for c in folders.values()) or 1
    queues = []
    for folder in sorted(folders):
        share = max(3, round(number * len(folders[folder]) / total))
        random.Random('%d %s' % (seed, folder)).shuffle(folders[folder])
        queues.append((folder, share, folders[folder]))
    return queues


class Tree:
    """A copy of the sources, and a build of it."""

    def __init__(self, root, folder, mpi, jobs):
        self.source = os.path.join(folder, 'source')
        self.build = os.path.join(folder, 'build')
        self.scratch = os.path.join(folder, 'tmp')
        self.jobs = '-j%d' % jobs
        empty(folder)
        os.makedirs(self.build)
        os.makedirs(self.scratch)
        self.copy(root)
        self.must([os.path.join(self.source, 'configure'), '-q', 'CC=gcc', 'CFLAGS=-O1', '--disable-shared',
                   '--disable-fortran', '--disable-cxx', '--with-mpi' if mpi else '--without-mpi'])
        self.must(['make', '-s', self.jobs, 'check', 'TESTS='])
        self.environment = self.test_environment()
        self.seconds = {}  # of each test that passes without a change; None: it fails

    def copy(self, root):
        skip = shutil.ignore_patterns('.git', 'build', 'autom4te.cache')
        shutil.copytree(root, self.source, ignore=skip, symlinks=True)
        if not os.path.exists(os.path.join(self.source, 'configure')):
            subprocess.run(['autoreconf', '-fi'], cwd=self.source, check=True, stdout=subprocess.DEVNULL)

    def must(self, command):
        log = os.path.join(self.build, 'mutants.log')
        with open(log, 'ab') as out:
            if subprocess.run(command, cwd=self.build, stdout=out, stderr=out).returncode != 0:
                sys.exit('mutants: %s fails: see %s' % (' '.join(command), log))

    def variable(self, name):
        text = 'include Makefile\nprint-it:\n\t@echo "$(%s)"\n' % name
        return subprocess.run(['make', '-s', '-f', '-', 'print-it'], cwd=self.build, input=text,
                              capture_output=True, text=True).stdout.strip()

    def test_environment(self):
        here = os.path.abspath
        values = dict(os.environ, srcdir=here(self.source), builddir=here(self.build), CC='gcc', LC_ALL='C',
                      GOLDEN=here(os.path.join(self.source, 'test/golden')), TMPDIR=here(self.scratch),
                      LAUNCH=here(os.path.join(self.source, 'test/mpi/launch.sh')))
        for name in ('AWK', 'MPIEXEC', 'MPI_FLAVOUR'):
            values[name] = self.variable(name)
        values['TOOLS'] = self.variable('bin_PROGRAMS') + ' ' + self.variable('bin_SCRIPTS')
        return values

    def tests(self, patterns):
        """Programs, and scripts, that test the layer, the quick ones first."""
        names = [t for t in self.variable('TESTS').split()
                 if t.startswith(tuple(patterns)) and not re.match(NO_SCRIPTS, t)]
        for t in names:
            if t not in self.seconds:
                start = time.monotonic()
                passes = self.passes(t, 300)
                self.seconds[t] = time.monotonic() - start if passes else None
                if not passes:
                    print('%s fails without a change, and is left out' % t, flush=True)
        good = sorted((t for t in names if self.seconds[t] is not None), key=self.seconds.get)
        return [t for t in good if not t.endswith('.sh')], [t for t in good if t.endswith('.sh')]

    def passes(self, test, limit):
        if test.endswith('.sh'):
            command = ['sh', os.path.join(self.source, test)]
        else:
            command = [os.path.join(self.build, test)]
        process = subprocess.Popen(command, cwd=self.build, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   start_new_session=True, preexec_fn=limit_memory)
        try:
            out, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            out = b'not ok'
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            for name in os.listdir(self.scratch):
                remove(os.path.join(self.scratch, name))
        return process.returncode == 0 and re.search(rb'^not ok', out, re.M) is None

    def objects(self, path):
        """What the compiler makes of a source now."""
        folder, name = os.path.split(os.path.join(self.build, path))
        stem = name[:-2]
        digests = {}
        for pattern in (stem + '.o', '*-' + stem + '.o', '.libs/' + stem + '.o', '.libs/*-' + stem + '.o'):
            for found in glob.glob(os.path.join(folder, pattern)):
                with open(found, 'rb') as f:
                    digests[found] = hashlib.sha256(f.read()).digest()
        return digests

    def make(self, targets):
        result = subprocess.run(['make', '-s', self.jobs] + targets, cwd=self.build, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return result.returncode == 0


def empty(folder):
    """Only what an earlier run has left."""
    if os.path.isdir(folder) and os.listdir(folder):
        if not os.path.exists(os.path.join(folder, 'source/scripts/mutants.py')):
            sys.exit('mutants: %s is not empty, and not of an earlier run' % folder)
        shutil.rmtree(folder, ignore_errors=True)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


def killer(tree, path, before):
    """The test that notices; '' if none does, None if there is nothing to notice, or it does not compile."""
    programs, scripts = tree.tests(layer_of(path))
    if not tree.make(programs):
        return None
    if tree.objects(path) == before:
        return None
    for kind in (programs, scripts):
        if kind is scripts and scripts:
            tree.make(['all'])
        for test in kind:
            if not tree.passes(test, 10 + 5 * tree.seconds[test]):
                return test
    return ''


def try_change(tree, change):
    path, line, new, what = change
    full = os.path.join(tree.source, path)
    programs, _ = tree.tests(layer_of(path))
    if not programs:
        return None
    tree.make(programs)
    before = tree.objects(path)
    with open(full, encoding='utf-8') as f:
        text = f.read()
    lines = text.split('\n')
    lines[line] = new
    try:
        with open(full, 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines))
        return killer(tree, path, before)
    finally:
        with open(full, 'w', encoding='utf-8') as f:
            f.write(text)


def try_next(tree, changes, survivors):
    """One change that can be tried, the next of a folder: whether it is killed; None if there is none."""
    for change in changes:
        path, line, new, what = change
        found = try_change(tree, change)
        if found is None:
            continue
        where = '%s:%d: %s' % (path, line + 1, what)
        print('%s: %s' % (where, 'killed by ' + found if found else 'SURVIVED'), flush=True)
        if not found:
            survivors.append('%s\n    %s' % (where, new.strip()))
        return found != ''
    return None


def try_all(tree, queues, end, survivors):
    """By turns, so that each folder has had its part if the time ends."""
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
    parser.add_argument('paths', nargs='*', default=['src/'], help='only sources that begin so (src/vfs)')
    parser.add_argument('--number', type=int, default=100, help='of changes, over all folders (100)')
    parser.add_argument('--seed', type=int, default=1, help='which changes (1)')
    parser.add_argument('--time', type=int, default=3600, help='seconds after which none is begun (3600)')
    parser.add_argument('--folder', default='build/mutants', help='for the copy, emptied first (build/mutants)')
    parser.add_argument('--minimum', type=int, default=0, help='per cent that must be killed (0)')
    parser.add_argument('--jobs', type=int, default=2, help='of make (2)')
    parser.add_argument('--with-mpi', action='store_true', help='also what calls MPI')
    parser.add_argument('--list', action='store_true', help='show the changes, try none')
    return parser.parse_args()


def main():
    options = arguments()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    print('seed %d' % options.seed, flush=True)
    if not options.with_mpi:
        LAYERS.insert(0, (r'src/(comm|api|scr|ftiff)/(mpi|ompi)', []))
    queues = chosen_changes(root, options.paths, options.number, options.seed)
    if options.list:
        for folder, share, changes in queues:
            for path, line, new, what in changes[:share]:
                print('%s:%d: %s' % (path, line + 1, what))
        return 0
    end = time.monotonic() + options.time
    tree = Tree(root, os.path.abspath(options.folder), options.with_mpi, options.jobs)
    survivors = []
    results = try_all(tree, queues, end, survivors)
    return report(results, survivors, options.seed) < options.minimum


if __name__ == '__main__':
    sys.exit(main())
