"""The deliberate faults of mutants.py: possible changes of sources in C, C++ and Fortran."""
import collections
import os
import re
import sys

SWAPS = {
    '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&',
    '+': '-', '-': '+', '+=': '-=', '-=': '+=', '++': '--', '--': '++',
    '/=': '==', '.and.': '.or.', '.or.': '.and.',
}
OPERATOR = re.compile(r'(?<= )(<=|>=|==|!=|&&|\|\||\+=|-=|<|>|\+|-)(?= )|(\+\+|--)')
NUMBER = re.compile(r'(?<![\w.\[])(\d+)(?![\w.\]])')
CONDITION = re.compile(r'^(\s*(?:\} else )?(?:if|while) \()(.*)(\)(?: \{)?)$')
CALL = re.compile(r'^(\s+)[a-z_]\w*\([^{}]*\);$')
METHOD_CALL = re.compile(r'^(\s+)[a-z_][\w:.]*(?:->\w+)*\([^{}]*\);$')
ASSIGNMENT = re.compile(r'^(\s+)[*a-z_][\w>.\[\]-]* [-+|&]?= [^{}]*;$')
RETURN = re.compile(r'^(\s+return )(?!0;|NULL;)([^;{}]+);$')

# C++: keywords of blocks on lines of their own that are not functions.
NO_FUNCTION = re.compile(r'\s*(?:template <.*> )?(?:class|struct|namespace|enum|union|extern)\b')

FORTRAN_OPERATOR = re.compile(r'(?<= )(<=|>=|==|/=|\.and\.|\.or\.|<|>|\+|-)(?= )')
FORTRAN_CONDITION = re.compile(r'^(\s*(?:else )?if \()(.*)(\) (?:then|call .*|[a-z_]\w* = .*))$')
FORTRAN_CALL = re.compile(r'^(\s+)(?:if \(.*\) )?call [a-z_]\w*\(.*\)$')
FORTRAN_ASSIGNMENT = re.compile(r'^(\s+)(?:if \(.*\) )?[a-z_]\w*(?:\(.*\))? = [^&]*$')

Change = collections.namedtuple('Change', 'path line new what name')


# The faults that lose data: what a call returns is not looked at, a sync is left out, two steps change
# places, a process takes itself for another one.
CHECKED_CALL = re.compile(r'^(\s+(?:int |return )?(?:\w+ = )?)(scion_\w+\([^{}]*\)|\w+->\w+\([^{}]*\))(;)$')
CHECK = re.compile(r'^(\s*(?:\} else )?if \()((?:\w+ && )*(?:rc|errnum|status) == 0(?: && [^{}]*)?)(\)(?: \{)?)$')
# 0 is the result in any case: the last argument, or on a host with little-endian numbers.
RETURNS_0 = re.compile(r'scion_(?:api|layer)_fail\w*\(.*, (?:0|NULL|SION_NOT_SUCCESS)\)$' +
                       (r'|scion_host_is_big\(\)$' if sys.byteorder == 'little' else ''))
# Not of a position in a file, which loses nothing on a disk.
SYNC = re.compile(r'\b(scion_(?!\w*sync_pos\b)\w*sync\w*|vfs->fsync)\([^()]*(?:\([^()]*\)[^()]*)*\)')
STEP = re.compile(r'^(\s+)(?:\w+ = )?[a-z_]\w*(?:->\w+)*\([^{}]*\);$')
ON_DISK = re.compile(r'write|sync|rename|remove|commit|truncate|replace|settle|finish|save|put')
RANK = re.compile(r'\b((?:\w+->)*(?:comm|group|team))->rank\b')


def blank(pattern, text):
    """The text, with blanks in place of what matches."""
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.S | re.M)


def swaps_and_numbers(operator, line, mask):
    for m in operator.finditer(mask):
        new = SWAPS[m.group(0)]
        yield line[:m.start()] + new + line[m.end():], "%s becomes %s" % (m.group(0), new)
    for m in NUMBER.finditer(mask):
        new = str(int(m.group(1)) + 1) if m.group(1) != '1' else '0'
        yield line[:m.start()] + new + line[m.end():], "%s becomes %s" % (m.group(1), new)


def negation(condition, negator, line, mask):
    m = condition.match(mask)
    if m and m.group(2).count('(') == m.group(2).count(')'):
        first, last = m.span(2)
        yield line[:first] + negator + '(' + line[first:last] + ')' + line[last:], 'condition negated'


def reckless(line, mask, following, following_mask):
    """(new line, what was changed) for each way to lose data in a line."""
    m = CHECKED_CALL.match(mask)
    if m and ('=' in m.group(1) or 'return' in m.group(1)) and not RETURNS_0.match(m.group(2)):
        first, last = m.span(2)
        yield line[:first] + '(' + line[first:last] + ', 0)' + line[last:], 'result ignored'
    m = CHECK.match(mask)
    if m:
        first, last = m.span(2)
        yield line[:first] + re.sub(r'\b(rc|errnum|status) == 0', '1', line[first:last]) + line[last:], 'check left out'
    for m in SYNC.finditer(mask):
        yield line[:m.start()] + '0' + line[m.end():], 'sync left out'
    m, n = STEP.match(mask), STEP.match(following_mask)
    if m and n and m.group(1) == n.group(1) and ON_DISK.search(mask) and ON_DISK.search(following_mask):
        yield m.group(1) + following.strip() + ' ' + line.strip() + ' if (0)', 'exchanged with the next line'
    for m in RANK.finditer(mask):
        yield (line[:m.start()] + '(%s->size - 1 - %s)' % (m.group(1), m.group(0)) + line[m.end():], 'another rank')


class C:
    call = CALL

    @staticmethod
    def masked(text):
        """The text without comments, strings, characters and preprocessor lines."""
        return blank(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', text)

    @staticmethod
    def bodies(masks):
        """For each line, whether it is in the body of a function."""
        inside = False
        for mask in masks:
            if mask == '{':
                inside = True
            elif mask == '}':
                inside = False
            yield inside

    @classmethod
    def changes(cls, line, mask):
        """(new line, what was changed) for each change of a line."""
        yield from swaps_and_numbers(OPERATOR, line, mask)
        yield from negation(CONDITION, '!', line, mask)
        for pattern, what in ((cls.call, 'call left out'), (ASSIGNMENT, 'assignment left out')):
            m = pattern.match(mask)
            if m:
                yield m.group(1) + ';', what
        m = RETURN.match(mask)
        if m:
            yield m.group(1) + '0;', 'returns 0'


class Cxx(C):
    """C++, where functions may be inside classes."""
    call = METHOD_CALL

    @staticmethod
    def bodies(masks):
        end, before = None, ''  # what the last line of the function looks like
        for mask in masks:
            text = mask.strip()
            if end is None and text == '{' and not NO_FUNCTION.match(before):
                end = mask.replace('{', '}').rstrip()
                yield False
            else:
                if mask.rstrip() == end:
                    end = None
                yield end is not None
            if text:
                before = mask


class Fortran:
    @staticmethod
    def masked(text):
        """The text without strings and comments."""
        return blank(r'"[^"\n]*"|\'[^\'\n]*\'|![^\n]*', text)

    @staticmethod
    def bodies(masks):
        """Lines after `contains`, except declarations, interfaces, and statements of several lines."""
        after = interface = follows = False
        for mask in masks:
            text = mask.strip()
            after = after or text == 'contains'
            interface = (interface or text.startswith('interface')) and not text.startswith('end interface')
            continued = text.endswith('&')
            yield (after and not interface and not follows and not continued and '::' not in text and
                   re.match(r'(end|use|import|implicit)\b', text) is None)
            follows = continued

    @staticmethod
    def changes(line, mask):
        yield from swaps_and_numbers(FORTRAN_OPERATOR, line, mask)
        yield from negation(FORTRAN_CONDITION, '.not. ', line, mask)
        for pattern, what in ((FORTRAN_CALL, 'call left out'), (FORTRAN_ASSIGNMENT, 'assignment left out')):
            m = pattern.match(mask)
            if m:
                yield m.group(1) + 'continue', what


LANGUAGES = {'.c': C, '.cc': Cxx, '.hpp': Cxx, '.f90': Fortran}


def changes_of_file(root, path, only_reckless=False):
    """(path, number of the line, new line, what was changed)"""
    language = LANGUAGES[os.path.splitext(path)[1]]
    with open(os.path.join(root, path), encoding='utf-8') as f:
        text = f.read()
    lines, masks = text.split('\n'), language.masked(text).split('\n')
    for i, (line, mask, inside) in enumerate(zip(lines, masks, language.bodies(masks))):
        if inside:
            found = reckless(line, mask, lines[i + 1], masks[i + 1]) if only_reckless else language.changes(line, mask)
            for new, what in found:
                yield path, i, new, what


def named_changes(root, changes):
    """With names that edits elsewhere do not affect: the text of the line, and a count of equal ones."""
    texts, seen, named = {}, collections.Counter(), []
    for path, line, new, what in changes:
        if path not in texts:
            with open(os.path.join(root, path), encoding='utf-8') as f:
                texts[path] = f.read().split('\n')
        name = '%s: %s: %s' % (path, texts[path][line].strip(), new.strip())
        seen[name] += 1
        named.append(Change(path, line, new, what, '%s: %d' % (name, seen[name])))
    return named
