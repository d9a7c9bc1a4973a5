import * as fc from 'fast-check';
import { cpuMsOf } from '@tidings/testing/cpu-time';
import { RenderBudget } from '../render-budget';
import { RENDERED_CHARS_MAX } from '../render-budget';
import type { RenderScope } from '../scope';
import type { Escaping } from './escaping';
import { PARTIAL_DEPTH_MAX, TEMPLATE_CHARS_MAX } from './template-bounds';
import { compileText } from './template-text';

/** Uses the whole step budget with cheap steps. */
const ALL_STEPS = '{{#each l}}{{#each ../l}}{{set "x" @index}}{{/each}}{{/each}}';

const SCOPE: RenderScope = {
  data: {
    name: 'Jane',
    größe: 'L',
    order: { id: 7, 'the key': 'k', items: ['a', { sku: 'b' }] },
    none: null,
    profile: 'mine',
    html: `<b a='"'>&`,
  },
  profile: { email: 'jane@example.org' },
  tenant: { name: 'ACME', properties: { plan: 'gold' } },
  brand: { colors: { primary: '#fff' } },
  builtIns: { messageId: '1-abc', datetime: { year: 2026 }, name: 'hidden by data' },
  item: { sku: 's' },
  index: 3,
  refs: { header: { visible: true } },
};

const render = (source: string, scope = SCOPE, escape: Escaping = 'none') => compileText(source, escape)(scope);

describe('a variable', () => {
  it.each([
    ['{name}', 'Jane'],
    ['{{name}}', 'Jane'],
    ['{{{name}}}', 'Jane'],
    ['{data.name} {{data.name}}', 'Jane Jane'],
    ['{order.items[1].sku} {{order.items[1].sku}} {order.items.0}', 'b b a'],
    [`{order['the key']} {{order["the key"]}} {{order.[the key]}}`, 'k k k'],
    ['{größe} {{größe}}', 'L L'],
    ['{profile.email} {{profile.email}} {profile} {{profile}}', 'jane@example.org jane@example.org mine mine'],
    ['{tenant.properties.plan} {{brand.colors.primary}}', 'gold #fff'],
    ['{$.tenant.name} {{$.data.name}} {$.messageId}', 'ACME Jane 1-abc'],
    ['{$.item.sku}{$.index} {{$.item.sku}}{{$.index}}', 's3 s3'],
    ['{refs.header.visible} {{refs.header.visible}}', 'true true'],
    ['{messageId} {{datetime.year}}', '1-abc 2026'],
    ['[{none}] [{{none}}]', '[] []'],
    ['{order.items}', '["a",{"sku":"b"}]'],
    ['{order.items[*].sku} {order.items[-1].sku}', '["b"] b'],
    // Missing: one brace stays, two print nothing.
    ['Hi {missing}! Hi {{missing}}!', 'Hi {missing}! Hi !'],
    ['{profile.missing} {$.x} {$} {name.length} {order.id.toFixed}', '{profile.missing} {$.x} {$} {name.length} {order.id.toFixed}'],
    // No variables at all.
    ['{ name } {} {a b} { "json": [1] } {', '{ name } {} {a b} { "json": [1] } {'],
    ['{"a":{"b":{name}}} \\{{name}}', '{"a":{"b":Jane}} {{name}}'],
  ])('%s becomes %s', (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  it('reaches own properties only, for any path', () => {
    const data = JSON.parse('{"__proto__": {"polluted": "leak"}, "o": {"__proto__": "leak", "constructor": {"name": "leak"}}}') as object;
    for (const path of [
      '__proto__',
      '__proto__.polluted',
      'constructor',
      'o.constructor.name',
      'o.__proto__',
      'toString',
      'constructor.constructor',
    ]) {
      for (const prefix of ['', 'data.', '$.data.']) {
        expect(render(`{${prefix}${path}}|{{${prefix}${path}}}|{{path "${prefix}${path}"}}`, { data })).toBe(`{${prefix}${path}}||`);
      }
    }
    expect(render('{{lookup this "__proto__"}}{{lookup o "constructor"}}{{#with o}}{{constructor.name}}{{/with}}', { data })).toBe('');
  });

  it('is escaped with two braces as with three, and so are results of helpers', () => {
    const escaped = '&lt;b a=&#39;&quot;&#39;&gt;&amp;';
    expect(render('<i>{html}{{html}}{{{html}}}{{&html}}</i>', SCOPE, 'html')).toBe(`<i>${escaped.repeat(4)}</i>`);
    expect(
      render(
        '{{concat html}}{{> s}}{{t html}}{{#each l}}{{this}}{{/each}}',
        { ...SCOPE, data: { html: '<', l: ['<'] }, snippets: { s: '<u>{{html}}</u>' } },
        'html',
      ),
    ).toBe('&lt;<u>&lt;</u>&lt;&lt;');
    expect(render('<a href={name}>', { data: { name: 'x onclick=y' } }, 'attribute')).toBe('<a href=x&#32;onclick&#61;y>');
    expect(render('{html}')).toBe(SCOPE.data && `<b a='"'>&`);
  });
});

describe('a text', () => {
  it('uses snippets as partials, also in blocks', () => {
    const snippets = { a: 'A{{> b}}', b: 'B{name}{{x}}' };
    expect(render('{{> a}} {{> b x="y"}}', { ...SCOPE, snippets })).toBe('ABJane BJaney');
  });

  it('resolves a translation, its arguments in order and then its variables', () => {
    const catalogue = (msgid: string, { count }: { count?: number } = {}) => ({ hi: 'Salut %s, {name} {missing}', n: `${count} f` })[msgid];
    expect(render('{{t "hi" "{name}%s"}} {{t "n" "x" 4}} {{t "other"}}', { ...SCOPE, catalogue })).toBe(
      'Salut {name}%s, Jane {missing} 4 f other',
    );
  });

  it.each([
    ['%2$s vor %1$s', 'two vor one'],
    ['%2$d, %1$s and again %2$s', 'two, one and again two'],
    ['%s, %2$s, %s', 'one, two, two'],
    ['%3$s, %0$s, %1$', '%3$s, %0$s, %1$'],
    ['100%%2$s', '100%2$s'],
  ])('inserts the arguments of a translation by their numbers: %s', (msgstr, expected) => {
    const catalogue = () => msgstr;
    expect(render('{{t "x" "one" "two"}}', { ...SCOPE, catalogue })).toBe(expected);
  });

  it.each([
    ['{{#if a}}', 1],
    ['\n{{#if a}}\n{{/each}}', 2],
    ['\n\n{{a b', 3],
    ['{{}}', 1],
    ['\n{{#each}}{{/if}}', 2],
    ['{{foo', 1],
    ['{{> }}', 1],
  ])('that is no valid template is refused with the line: %j', (source, line) => {
    expect(() => render(source)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(new RegExp(`^Template line ${line}: `)) as string,
      }) as Error,
    );
  });

  it('has bounds on its length, result, depth and work', () => {
    const refused = (code: string, text: RegExp) =>
      expect.objectContaining({ code, message: expect.stringMatching(text) as string }) as Error;
    const big = { data: { x: 'x'.repeat(100_000), list: Array.from({ length: 100_000 }, () => 1) } };
    const many = (n: number, text: string) => text.repeat(n);
    expect(() => render(`{{a}}${'x'.repeat(TEMPLATE_CHARS_MAX)}`)).toThrow(refused('invalid_request', /characters/));
    expect(() => render(many(1 + RENDERED_CHARS_MAX / 100_000, '{x}'), big)).toThrow(refused('payload_too_large', /rendered/));
    expect(() => render(many(1 + RENDERED_CHARS_MAX / 100_000, '{{x}}'), big)).toThrow(refused('payload_too_large', /rendered/));
    expect(() => render('{{#each list}}123456{{/each}}', big)).toThrow(refused('payload_too_large', /rendered/));
    expect(() => render('{{set "y" x}}{{#each list}}{{set "y" (concat y y)}}{{/each}}', big)).toThrow(
      refused('payload_too_large', /rendered/),
    );
    expect(() => render(`${many(200, '{{#if x}}')}${many(200, '{{/if}}')}`, big)).toThrow(refused('invalid_request', /within one another/));
    expect(() => render(`${many(20_000, '{{#if x}}')}${many(20_000, '{{/if}}')}`, big)).toThrow(
      refused('invalid_request', /within one another/),
    );
    expect(() => render(`{{add ${many(5_000, '(add 1 ')}1${many(5_000, ')')} 1}}`, big)).toThrow(
      refused('invalid_request', /within one another/),
    );
    expect(() => render('{{> a}}', { snippets: { a: '{{> a}}' } })).toThrow(
      refused('invalid_request', new RegExp(`${PARTIAL_DEPTH_MAX} partials`)),
    );
    expect(() => render('{{> a}}', { snippets: { a: '{{> b}}{{> b}}', b: '{{> a}}{{> a}}' } })).toThrow(
      refused('invalid_request', /partials|steps/),
    );
    expect(() => render('{{#each list}}{{#each ../list}}{{/each}}{{/each}}', big)).toThrow(
      refused('invalid_request', /^render_timeout: .*steps/),
    );
  });

  it.each(['{{t "x" big}}', '{{format many big}}'])('stops before a long argument is inserted many times: %s', (source) => {
    const many = '%1$s'.repeat(5_000);
    const scope = { data: { many, big: 'x'.repeat(200_000) }, catalogue: () => many };
    expect(() => render(source, scope)).toThrow(expect.objectContaining({ code: 'payload_too_large' }) as Error);
  });

  it('shares the budget of its scope with the other texts of the message', () => {
    const scope: RenderScope = { data: { list: [1, 2, 3] }, budget: new RenderBudget(40) };
    const text = compileText('{{#each list}}{{this}}{{/each}}', 'none');
    expect(text(scope)).toBe('123');
    expect(() => Array.from({ length: 10 }, () => text(scope))).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
  });

  it.each([
    ['{{#each l}}{{#if (condition ../big "==" ../big2)}}{{/if}}{{/each}}'],
    ['{{#each l}}{{#if (trim ../spaces)}}{{/if}}{{/each}}'],
    ['{{#each l}}{{#if (filter "data" "l" "CONTAINS" "x")}}{{/if}}{{/each}}'],
    ['{{#each l}}{{set "x" @root}}{{set "y" (concat ../o)}}{{/each}}'],
    ['{{#each l}}{{set "x" (path "l[*].a")}}{{/each}}'],
    ['{{#each l}}{{set "x" (json-parse ../json)}}{{/each}}'],
    ['{{#each l}}{{set "x" (datetime-format 0 "%A" "UTC" locale=(concat "en-u-nu-latn-x-a" @index))}}{{/each}}'],
    ['{{#each l}}{{#*inline "a"}}{{#*inline "b"}}{{/inline}}{{> b}}{{/inline}}{{> a}}{{/each}}'],
  ])('ends soon with any repetition: %s', (source) => {
    const big = 'x'.repeat(200_000);
    const data = {
      l: Array.from({ length: 50_000 }, (_, i) => i),
      big,
      big2: `${big}`,
      spaces: ' '.repeat(200_000),
      o: { big: [big] },
      json: `[${'1,'.repeat(50_000)}1]`,
    };
    const cpuMs = cpuMsOf(() => {
      try {
        render(source, { data });
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/invalid_request|payload_too_large/) as string });
      }
    });
    const allStepsMs = cpuMsOf(() => expect(() => render(ALL_STEPS, { data })).toThrow('steps'));
    expect(cpuMs).toBeLessThan(20 * allStepsMs);
  });

  it('gives a text or a `ServiceError` for any source', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom(
        '{{',
        '}}',
        '{',
        '}',
        '#if ',
        '/if',
        'else',
        '> s',
        'a',
        '(',
        ')',
        '"',
        '[',
        ']',
        '@',
        '../',
        '~',
        '!--',
        '--',
        '=',
        '|',
        'as ',
        '{{{',
        '}}}',
        '&',
        '\\',
        '{{{{',
        '}}}}',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          expect(typeof render(pieces.join(''), { data: { a: '<' }, snippets: { s: 'S' } }, 'html')).toBe('string');
        } catch (error) {
          expect(error).toMatchObject({ name: 'ServiceError', code: 'invalid_request' });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
