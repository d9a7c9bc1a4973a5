import type { RenderScope } from '../scope';
import { compileText } from './template-text';

const SCOPE: RenderScope = {
  data: {
    a: 'x',
    n: 5,
    price: '19.90',
    yes: true,
    no: false,
    empty: [],
    list: [1, 2, 3],
    order: {
      id: 7,
      lines: [
        { sku: 'p', qty: 2 },
        { sku: 'q', qty: 1 },
      ],
    },
    json: '{"a":{"b":[1,2]}}',
    at: '2026-03-01T23:30:05+02:00',
    ms: 1424197820000,
  },
  profile: { email: 'jane@example.org', city: 'Bonn', hungry: true },
  builtIns: { urls: { unsubscribe: 'https://e.com/u' } },
};

const render = (source: string, scope = SCOPE) => compileText(source, 'none')(scope);
const condition = (source: string) => render(`{{#if (${source})}}yes{{else}}no{{/if}}`);

describe('helpers of logic', () => {
  it.each([
    ['and yes a n', 'yes'],
    ['and yes no', 'no'],
    ['and', 'yes'],
    ['and empty', 'no'],
    ['or no missing a', 'yes'],
    ['or no missing', 'no'],
    ['or', 'no'],
    ['not no', 'yes'],
    ['not empty', 'yes'],
    ['not a', 'no'],
    ['condition a "==" "x"', 'yes'],
    ['condition a "!=" "x"', 'no'],
    ['condition n ">" 4', 'yes'],
    ['condition price ">" 9', 'yes'],
    ['condition n "<=" 5', 'yes'],
    ['condition n "<" 5', 'no'],
    ['condition n ">=" "5"', 'yes'],
    ['condition "b" ">" "a"', 'yes'],
    ['condition profile.hungry "==" "true"', 'yes'],
    ['condition missing "==" null', 'yes'],
    ['condition missing "==" ""', 'no'],
    ['condition missing "<" 1', 'no'],
    ['condition order "==" order', 'yes'],
    ['condition order "==" list', 'no'],
    ['filter "profile" "email" "CONTAINS" "@example"', 'yes'],
    ['filter "data" "order.id" "EQUALS" "7"', 'yes'],
    ['filter "data" "order.id" "NOT_EQUALS" 7', 'no'],
    ['filter "data" "list" "CONTAINS" 2', 'yes'],
    ['filter "data" "empty" "IS_EMPTY"', 'yes'],
    ['filter "data" "missing" "IS_EMPTY"', 'yes'],
    ['filter "data" "order" "NOT_EMPTY"', 'yes'],
    ['filter "data" "n" "GREATER_THAN" 4', 'yes'],
    ['filter "data" "n" "LESS_THAN_EQUALS" 4', 'no'],
    ['conditional (filter "data" "n" "EQUALS" 5) (filter "data" "a" "EQUALS" "y")', 'no'],
    ['conditional (filter "data" "n" "EQUALS" 5) (filter "data" "a" "EQUALS" "y") "or"', 'yes'],
  ])('%s is %s', (source, expected) => {
    expect(condition(source)).toBe(expected);
  });

  it('decide on a block by their value', () => {
    expect(render('{{#conditional yes no "or"}}a{{else}}b{{/conditional}}{{#and yes no}}a{{else}}b{{/and}}')).toBe('ab');
  });
});

describe('helpers', () => {
  it.each([
    // data
    ['{{default missing "friend"}} {{default a "y"}} {{default no "y"}}', 'friend x false'],
    ['{{var "order.id"}} {{var "profile.city"}} {{var "missing.x"}}', '7 Bonn {missing.x}'],
    ['{{path "order.lines[1].sku"}} {{path "$.data.order.lines[-1].sku"}} [{{path "missing"}}]', 'q q []'],
    ['{{path "order.lines[*].qty"}} {{path "list[0:2]"}}', '[2,1] [1,2]'],
    ['{{#each order.lines}}{{var "sku"}}{{var "order.id"}}{{/each}}', 'p7q7'],
    ['{{#if (var "missing")}}a{{else}}b{{/if}}', 'b'],
    ['{{set "total" (add n 1)}}{{total}} {total} {{#each list}}{{total}}{{/each}}', '6 6 666'],
    ['{{#with (json-parse json)}}{{a.b.[1]}}{{/with}}', '2'],
    ['{{#with (params x=1 y=a)}}{{x}}{{y}}{{/with}}', '1x'],
    ['{{lookup list 1}}{{lookup order "id"}}{{lookup order "constructor"}}{{log "x"}}', '27'],
    [
      '{{urls.unsubscribe}} {{#each list}}{{urls.unsubscribe}}{{profile.city}}{{/each}}',
      `https://e.com/u ${'https://e.com/uBonn'.repeat(3)}`,
    ],
    // strings
    ['{{capitalize "try it"}} {{capitalize ""}}', 'Try it '],
    ['{{concat "a" n missing yes}} {{concat "a" "b" separator=", "}} [{{concat}}]', 'a5true a, b []'],
    ['{{format "%s is %d, %.2f%% %05d|%-4s|%4s|%x %2$s" a n price 42 "l" "r" 255}}', 'x is 5, 19.90% 00042|l   |   r|ff 5'],
    ['{{format "%s-%s" list}}', '1-2'],
    ['[{{trim "  a "}}][{{trim-left "  a "}}][{{trim-right "  a "}}][{{trim-one-char-right "ab "}}]', '[a][a ][  a][ab]'],
    ['[{{#trim}}  {{a}} {{/trim}}]', '[x]'],
    ['{{truncate "abcdef" 3}} {{truncate "abc" 3}} {{truncate 2 "abc"}} {{truncate "abc" 1 ""}} {{truncate "a😀" 2}}', 'abc… abc ab… a a…'],
    // math
    ['{{abs -3}} {{add 1 2}} {{add 1 2 3}} {{ceil 1.2}} {{floor 1.8}} {{inc n}} {{inc n 2}}', '3 3 6 2 1 6 7'],
    ['{{multiply 2 "3"}} {{subtract 5 2}} {{sub 5 2}} {{divide 7 2}} {{mod 7 2}}', '6 3 3 3.5 1'],
    ['{{round 2.5}} {{round 1.005 2}} {{round price}} {{add price 0.1}}', '3 1.01 20 20'],
    ['{{multiply (add 1 2) (subtract 5 n)}}', '0'],
    // dates
    ['{{datetime-format at "%B %d" "UTC"}}|{{datetime-format at "%Y-%m-%d %H:%M:%S %z"}}', 'March 01|2026-03-01 23:30:05 +0200'],
    ['{{datetime-format at "%A, %b %-d %-I:%M %p %Z" "America/New_York"}}', 'Sunday, Mar 1 4:30 PM EST'],
    ['{{datetime-format at "%H:%M %j %y %e %F %T %q %%" "UTC+4"}}', '01:30 061 26  2 2026-03-02 01:30:05 %q %'],
    ['{{datetime-format at "%A %d %B" "Europe/Paris" locale="fr-FR"}}', 'dimanche 01 mars'],
    ['{{swu_datetimeformat ms "%a, %B %d"}} {{datetime-format "2026-02-28" "%d.%m.%Y"}}', 'Tue, February 17 28.02.2026'],
    ["{{swu_datetimeformat (swu_iso8601_to_time '2015-02-17T18:30:20.000Z') '%b %d, %Y'}}", 'Feb 17, 2015'],
    ['{{swu_iso8601_to_time "2015-02-17T18:30:20Z"}} {{swu_timestamp_to_time 1424197820}}', '1424197820000 1424197820000'],
    // translation without a catalogue
    ['{{t "%s: a file" a "1" plural="%s: %s files"}}, {{t "a file" a "22" plural="%s: %s files"}}', 'x: a file, x: 22 files'],
    ['{{t "one of %s %d" "7" 1 plural="some"}}', 'one of 7 1'],
    ['{{t "Hello %s, %s" a n}} {{t "100%%"}} {{t "one" 2 plural="%d files"}}', 'Hello x, 5 100% 2 files'],
  ])('%s', (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  it.each([
    ['{{add "a" 1}}', 'add needs numbers (got "a")'],
    ['{{add missing 1}}', 'add needs numbers (got nothing)'],
    ['{{inc ""}}', 'inc needs numbers (got "")'],
    ['{{add 1}}', 'add needs at least two numbers (got 1)'],
    ['{{divide 1 0}}', 'divide cannot divide by 0'],
    ['{{mod 1 0}}', 'mod cannot divide by 0'],
    ['{{round 1 99}}', 'round rounds to 0…15 digits (got 99)'],
    ['{{condition 1 "~" 2}}', 'condition accepts the operators == === != !== > < >= <= (got "~")'],
    ['{{condition 1}}', 'condition needs two values with an operator between them (got 1 arguments)'],
    ['{{filter "data" "x" "LIKE" 1}}', 'filter accepts the operators'],
    ['{{filter "data" "a b" "EQUALS" 1}}', 'filter needs a source'],
    ['{{set "data" 1}}', 'set may not change data'],
    ['{{set "profile" 1}}', 'set may not change profile'],
    ['{{set "a.b" 1}}', 'set needs a name without dots (got "a.b")'],
    ['{{json-parse a}}', 'json-parse needs a text that holds JSON (got "x")'],
    ['{{path n}}', 'path needs a path such as'],
    ['{{truncate a "x"}}', 'truncate needs a number of characters (got "x")'],
    ['{{format "%d" a}}', 'format needs a number for %d'],
    ['{{datetime-format "soon" "%d"}}', 'datetime-format needs a time in ms since 1970 or as ISO 8601 (got "soon")'],
    ['{{datetime-format "2026-13-45T00:00:00Z" "%d"}}', 'datetime-format needs a time'],
    ['{{datetime-format "2026-02-30" "%d"}}', 'datetime-format needs a time'],
    ['{{datetime-format "2026-04-31 10:00" "%d"}}', 'datetime-format needs a time'],
    ['{{datetime-format at "%d" "Mars/Base"}}', 'datetime-format knows no zone "Mars/Base"'],
    ['{{swu_timestamp_to_time "x"}}', 'swu_timestamp_to_time needs whole seconds since 1970 (got "x")'],
    ['{{swu_iso8601_to_time 5}}', 'swu_iso8601_to_time needs a time as ISO 8601 (got 5)'],
    ['{{t 5}}', 't needs the text to translate'],
    ['{{nope a}}', 'there is no helper named "nope"'],
    ['{{#nope a}}{{/nope}}', 'there is no helper named "nope"'],
    ['{{eval "1"}}', 'there is no helper named "eval"'],
    ['{{helperMissing a}}', 'there is no helper named "helperMissing"'],
    ['{{blockHelperMissing a}}', 'there is no helper named "blockHelperMissing"'],
    ['{{constructor a}}', 'there is no helper named "constructor"'],
    ['{{__proto__ a}}', 'there is no helper named "__proto__"'],
    ['{{> missing}}', 'there is no snippet named "missing"'],
    ['{{> __proto__}}', 'there is no snippet named "__proto__"'],
    ['{{* decorate}}', 'decorators are not supported'],
  ])('%s fails with reason and line', (source, expected) => {
    expect(() => render(`line\n${source}`, { ...SCOPE, snippets: {} })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringContaining(`Template line 2: ${expected}`) as string,
      }) as Error,
    );
  });

  it('do not hide data with their names', () => {
    expect(render('{{format}} {format} {{path}}', { data: { format: 'A4', path: '/x' } })).toBe('A4 A4 /x');
  });
});
