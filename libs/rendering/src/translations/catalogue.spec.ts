import { CATALOGUE_CHARS_MAX, compileCatalogue } from './catalogue';
import { catalogueOfSources } from './sources';

const header = (plurals: string) => `msgid ""\nmsgstr ""\n"Plural-Forms: ${plurals}\\n"\n\n`;

const POLISH = 'nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);';

describe('a catalogue', () => {
  it('translates, by context where there is one', () => {
    const catalogue = compileCatalogue('msgid "Open"\nmsgstr "Öffnen"\n\nmsgctxt "state"\nmsgid "Open"\nmsgstr ""\n"Off"\n"en\\n"\n');
    expect(catalogue('Open')).toBe('Öffnen');
    expect(catalogue('Open', { context: 'state' })).toBe('Offen\n');
    expect(catalogue('Open', { context: 'menu' })).toBeUndefined();
    expect(catalogue('Close')).toBeUndefined();
  });

  it('skips empty, fuzzy and obsolete translations', () => {
    const catalogue = compileCatalogue(
      'msgid "a"\nmsgstr ""\n\n#, c-format, fuzzy\nmsgid "b"\nmsgstr "B"\n\n#~ msgid "c"\n#~ msgstr "C"\n\n#, fuzzy-not\nmsgid "d"\nmsgstr "D"\n',
    );
    expect(['a', 'b', 'c', 'd', ''].map((msgid) => catalogue(msgid))).toEqual([undefined, undefined, undefined, 'D', undefined]);
  });

  it('chooses plural forms by its header', () => {
    const entry = 'msgid "file"\nmsgid_plural "files"\nmsgstr[0] "plik"\nmsgstr[1] "pliki"\nmsgstr[2] "plików"\n';
    const catalogue = compileCatalogue(header(POLISH) + entry);
    const forms = [1, 2, 5, 12, 22, 0, 112, -2].map((count) => catalogue('file', { count }));
    expect(forms).toEqual(['plik', 'pliki', 'plików', 'plików', 'pliki', 'plików', 'plików', 'pliki']);
    expect(catalogue('file')).toBe('plik');
    const without = compileCatalogue('msgid "file"\nmsgid_plural "files"\nmsgstr[0] "one"\nmsgstr[1] "many"\n');
    expect([0, 1, 2].map((count) => without('file', { count }))).toEqual(['many', 'one', 'many']);
  });

  it.each([
    ['nplurals=2; plural=(n != 1);', [0, 1, 2], ['b', 'a', 'b']],
    ['nplurals=2; plural=n>1;', [0, 1, 2], ['a', 'a', 'b']],
    ['nplurals=1; plural=0;', [0, 1, 2], ['a', 'a', 'a']],
    ['nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);', [0, 1, 11, 21], [undefined, 'a', 'b', 'a']],
    ['nplurals=2; plural=n*1000;', [0, 7], ['a', 'a']],
  ])('reads the rule %s', (rule, counts, expected) => {
    const catalogue = compileCatalogue(`${header(rule)}msgid "x"\nmsgid_plural "xs"\nmsgstr[0] "a"\nmsgstr[1] "b"\n`);
    expect(counts.map((count) => catalogue('x', { count }))).toEqual(expected);
  });

  it.each(['nplurals=2; plural=process.exit();', 'nplurals=2; plural=(n', 'nplurals=900; plural=n;', 'yes'])(
    'takes the rule of most languages where its own, %s, is none',
    (rule) => {
      const catalogue = compileCatalogue(`${header(rule)}msgid "x"\nmsgid_plural "xs"\nmsgstr[0] "a"\nmsgstr[1] "b"\n`);
      expect([0, 1, 2].map((count) => catalogue('x', { count }))).toEqual(['b', 'a', 'b']);
    },
  );

  it.each([
    ['hello {', 'line 1: Invalid key name "hello"'],
    ['msgid "a"\nmsgstr "b', 'line 2: End-of-file within string'],
    ['msgid "a\nmsgstr "b"', 'line 2: End-of-line within string'],
    ['msgid ""\n', 'line 1: an entry without msgstr'],
    [`msgid "a"\n${'msgstr ""\n'.repeat(50)}`, 'line 22: an entry has at most 20 msgstr'],
  ])('that is invalid is refused with the line: %j', (source, message) => {
    expect(() => compileCatalogue(source)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) as string }) as Error,
    );
  });

  it('has a maximum length', () => {
    expect(() => compileCatalogue('#'.repeat(CATALOGUE_CHARS_MAX + 1))).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }) as Error,
    );
  });

  it('treats JavaScript property names as ordinary texts', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const catalogue = compileCatalogue(names.map((name) => `msgctxt "${name}"\nmsgid "${name}"\nmsgstr "T"\n`).join('\n'));
    for (const name of names) {
      expect(catalogue(name, { context: name })).toBe('T');
      expect(catalogue(name)).toBeUndefined();
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

it('queries catalogues in order for each text', () => {
  const entries = [{ a: 'a-CA' }, { a: 'a-fr', b: 'b-fr' }, { c: 'c-en' }].map((texts) =>
    Object.entries(texts).map(([msgid, msgstr]) => `msgid "${msgid}"\nmsgstr "${msgstr}"\n`),
  );
  const catalogue = catalogueOfSources(entries.map((texts) => texts.join('\n')));

  expect(['a', 'b', 'c', 'd'].map((msgid) => catalogue?.(msgid))).toEqual(['a-CA', 'b-fr', 'c-en', undefined]);
  expect(catalogueOfSources([])).toBeUndefined();
});
