import fc from 'fast-check';
import { po } from 'gettext-parser';
import { expectLinear } from '@tidings/testing/cpu-time';
import { findPoError } from './po-error';

const HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n';

describe('a .po text', () => {
  it.each<[string, string]>([
    ['an empty text', ''],
    ['comments alone', '# comment\n#: a.ts:1\n#, fuzzy\n#| msgid "old"\n'],
    ['a header and an entry', `${HEADER}msgid "a"\nmsgstr "b"\n`],
    ['no line at the end', 'msgid "a"\nmsgstr "b"'],
    ['Windows line ends', `${HEADER}msgid "a"\nmsgstr "b"\n`.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${HEADER}`],
    ['plural forms', 'msgid "%d a"\nmsgid_plural "%d as"\nmsgstr[0] "eins"\nmsgstr[1] "viele"\n'],
    ['one id in two contexts', 'msgctxt "x"\nmsgid "a"\nmsgstr "b"\n\nmsgctxt "y"\nmsgid "a"\nmsgstr "c"\n\nmsgid "a"\nmsgstr "d"\n'],
    ['texts of several lines', 'msgid ""\n"a"\n  "b"\nmsgstr\n"c"\n'],
    ['every escape', 'msgid "\\a\\b\\f\\n\\r\\t\\v\\\\\\"\\101\\x41"\nmsgstr "ä 😀"\n'],
    ['entries on one line with a comment', 'msgid"a"msgstr"b" # so it is\nmsgid "c" msgstr "d"'],
    ['obsolete entries, also duplicate', '#~ msgid "a"\n#~ msgstr "b"\n#~ msgid "a"\n#~ msgstr "b"\n#~| msgid "old\n'],
    ['a plural rule in several texts', 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; "\n"plural=(n > 1);\\n"\n'],
    ['a rule outside the header', 'msgid "a"\nmsgstr "Plural-Forms: none"\n\n#~ msgid ""\n#~ msgstr "Plural-Forms: none"\n'],
    ['a translation that is missing', 'msgid "a"\nmsgstr ""\n'],
  ])('may have %s', (_, text) => {
    expect(findPoError(text)).toBeUndefined();
    expect(() => po.parse(text)).not.toThrow();
  });

  it.each<[string, string, number, string]>([
    ['words', 'nonsense', 1, '"nonsense" is not a keyword'],
    ['JSON', '{"a": "b"}', 1, '"{" is not allowed here'],
    ['HTML', '<p>msgid "a"</p>', 1, '"<" is not allowed here'],
    ['an unknown keyword', `${HEADER}msgstring "a"`, 6, '"msgstring" is not a keyword'],
    ['a keyword in capitals', 'MSGID "a"\nMSGSTR "b"', 1, '"MSGID" is not a keyword'],
    ['a text before any keyword', '\n"a"', 2, 'belongs after a keyword'],
    ['a text without a closing quote', 'msgid "a\nmsgstr "b"', 1, 'does not end on its line'],
    ['a text without an end at the end', 'msgid "a"\nmsgstr "b', 2, 'does not end on its line'],
    ['a line continued by a backslash', 'msgid "a\\\n"\nmsgstr "b"', 1, 'does not end on its line'],
    ['a text in single quotes', "msgid 'a'\nmsgstr 'b'", 1, '"\'" is not allowed here'],
    ['an unknown escape', 'msgid "a"\nmsgstr "\\q"', 2, '\\q is not an escape'],
    ['a quote in a text', 'msgid "a"\nmsgstr "say "hello""', 2, '"hello" is not a keyword'],
    ['an entry without msgstr at the end', '\nmsgid "a"\n\n', 2, 'has no msgstr'],
    ['an entry without msgstr', 'msgid "a"\nmsgid "b"\nmsgstr "c"', 2, 'the entry before msgid has no msgstr'],
    ['an entry without msgid', 'msgstr "c"', 1, 'msgstr comes before any msgid'],
    ['a context without msgid', 'msgctxt "x"\nmsgstr "c"', 2, 'msgstr cannot follow msgctxt'],
    ['a keyword without a text', 'msgid "a"\nmsgstr\n\nmsgid "b"\nmsgstr "c"', 2, 'msgstr needs a text in double quotes'],
    ['a second msgstr', 'msgid "a"\nmsgstr "b"\nmsgstr "c"', 3, 'msgstr cannot follow msgstr'],
    ['plural forms without msgid_plural', 'msgid "a"\nmsgstr[0] "b"', 2, 'msgstr[0] cannot follow msgid'],
    ['a plural form left out', 'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\nmsgstr[2] "d"', 4, 'msgstr[1] is missing before msgstr[2]'],
    ['a plural without forms', 'msgid "a"\nmsgid_plural "b"\nmsgstr "c"', 3, 'msgstr cannot follow msgid_plural'],
    [
      'a rule of plurals that is none',
      `msgid ""\nmsgstr ""\n"Language: fr\\n"\n"Plural-Forms: nplurals=2; plural=(n\\n"\n`,
      4,
      'Plural-Forms has an invalid expression',
    ],
    ['a rule of too many forms', 'msgid ""\nmsgstr "plural-forms: nplurals=900; plural=n;\\nX: y\\n"\n', 2, 'Plural-Forms must be'],
    [
      'a rule with placeholders',
      'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"\n',
      3,
      'Plural-Forms must be',
    ],
    [
      'a rule that divides by nothing',
      'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n%0;\\n"\n',
      2,
      'Plural-Forms has the form NaN for n = 0',
    ],
    [
      'a form that is none',
      'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n>1?2:0;\\n"\n',
      2,
      'Plural-Forms has the form 2 for n = 2',
    ],
    ['an entry twice', 'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"', 4, 'msgid "a" is a duplicate of line 1'],
    ['an entry twice, once in an empty context', 'msgid "a"\nmsgstr "b"\nmsgctxt ""\nmsgid "a"\nmsgstr "c"', 4, 'is a duplicate of line 1'],
    ['an obsolete entry within another', 'msgid ""\n#~ msgid "x"\nmsgstr ""\n#~ msgstr "y"', 1, 'has no msgstr before line 2'],
    ['an entry within an obsolete one', '#~ msgid "x"\nmsgid "a"\nmsgstr "b"\n#~ msgstr "y"', 1, 'has no msgstr before line 2'],
    [
      'a plural form behind an obsolete entry',
      'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\n#~ msgid "x"\n#~ msgstr "y"\nmsgstr[1] "d"',
      6,
      'before any msgid',
    ],
    ['an invalid obsolete entry', 'msgid "a"\nmsgstr "b"\n#~ nonsense', 3, '"nonsense" is not a keyword'],
    ['an obsolete text without a closing quote', '#~ msgid "a\nmsgid "b"\nmsgstr "c"', 1, 'does not end on its line'],
  ])('is refused for %s', (_, text, line, problem) => {
    expect(findPoError(text)).toEqual({ line, problem: expect.stringContaining(problem) as string });
  });

  it.each<[string, string]>([
    ['', '"\\'],
    ['', '#~'],
    ['', 'a'],
    ['msgid "', '\\\\'],
  ])('is checked in linear time: %s and many %s', (before, piece) => {
    expectLinear(200_000, (size) => expect(findPoError(before + piece.repeat(size))?.line ?? 1).toBe(1));
  });
});

const word = fc.constantFrom('', 'a', 'b c', 'ü', '%s', '\\n', '\\"', '\\\\', '#', 'msgid', "'", '{name}');
const quoted = fc.array(word, { maxLength: 3 }).map((words) => `"${words.join(' ')}"`);
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom('msgctxt', 'msgid', 'msgid', 'msgid_plural', 'msgstr', 'msgstr', 'msgstr[0]', 'msgstr[1]'), quoted)
      .map((parts) => parts.join(' ')),
  },
  { weight: 4, arbitrary: fc.tuple(quoted, quoted).map(([id, text]) => `msgid ${id}\nmsgstr ${text}`) },
  { weight: 1, arbitrary: fc.constantFrom('# comment', '#, fuzzy', '#~ msgid "x"', '#~ msgstr "y"', '', '"more"', 'x', '"') },
);

it('accepted texts have the same entries in gettext-parser', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (lines) => {
      const text = lines.join('\n');
      if (findPoError(text)) return;
      accepted += 1;
      const { translations } = po.parse(text);
      const read = Object.values(translations).flatMap((entries) => Object.values(entries));
      const written = text.split('\n').filter((line) => /^msgid /.test(line)).length;
      expect(read).toHaveLength(written);
      for (const { msgstr } of read) expect(msgstr.length).toBeGreaterThan(0);
    }),
    { numRuns: 10_000 },
  );
  expect(accepted).toBeGreaterThan(300);
});
