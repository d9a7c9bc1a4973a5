import * as fc from 'fast-check';
import Handlebars from 'handlebars';
import { compileText } from './template-text';

/** Data whose values print the same in both: no objects, no lists. */
const DATA = {
  name: 'Jane <b>',
  zero: 0,
  yes: true,
  which: 'hello',
  no: false,
  nothing: null,
  empty: [],
  list: ['a', 'b', 'c'],
  people: [{ name: 'Ann', tags: ['x', 'y'] }, { name: 'Bob', tags: [], no: 1 }, { tags: ['z'] }],
  person: { name: 'Eve', address: { city: 'Bonn' } },
  map: { k1: 'v1', k2: 'v2' },
};

const SNIPPETS = {
  hello: 'Hello {{name}}!',
  'with-names': '[{{a}}{{name}}]',
  lines: 'one\n{{name}}\n',
  layout: '<{{> @partial-block}}>',
};

/** Handlebars' own output; its `=` and backtick entities are normalized, since ours keeps these characters. */
function bare(source: string): string {
  const handlebars = Handlebars.create();
  for (const [name, snippet] of Object.entries(SNIPPETS)) handlebars.registerPartial(name, snippet);
  return handlebars.compile(source)(DATA).replaceAll('&#x27;', '&#39;').replaceAll('&#x3D;', '=').replaceAll('&#x60;', '`');
}

function ours(source: string): string {
  return compileText(source, 'html')({ data: DATA, snippets: SNIPPETS });
}

// Handlebars logs denied property accesses.
beforeEach(() => void jest.spyOn(console, 'error').mockImplementation());
afterEach(() => jest.restoreAllMocks());

describe('a text with Handlebars renders as with Handlebars itself:', () => {
  it.each([
    '{{name}} {{person.name}} {{person.address.city}} {{this.name}} {{./name}} {{list.[1]}} {{list.length}}',
    '{{zero}} {{yes}} {{no}} [{{nothing}}] [{{missing}}] [{{missing.deep}}]',
    '{{#if yes}}a{{else}}b{{/if}}{{#if no}}a{{else}}b{{/if}}{{#if empty}}a{{else}}b{{/if}}{{#if zero}}a{{/if}}{{#if zero includeZero=true}}z{{/if}}',
    '{{#if no}}1{{else if zero}}2{{else if list}}3{{else}}4{{/if}}',
    '{{#unless no}}a{{else}}b{{/unless}}{{^no}}c{{/no}}{{^list}}d{{else}}e{{/list}}',
    '{{#each people}}{{@index}}{{name}}{{#each tags}}{{this}}{{@../index}}{{../name}}{{../../name}}{{else}}none{{/each}}{{#if @first}}f{{/if}}{{#if @last}}l{{/if}};{{/each}}',
    '{{#each map}}{{@key}}={{this}}{{@first}}{{@last}} {{/each}}',
    '{{#each list as |item i|}}{{i}}{{item}}{{name}}{{/each}}',
    '{{#each people as |p|}}{{#each p.tags as |t n|}}{{p.name}}{{t}}{{n}}{{/each}}{{/each}}',
    '{{#each nothing}}a{{else}}b{{/each}}{{#each missing}}a{{else}}b{{/each}}{{#each empty}}a{{else}}b{{/each}}',
    '{{#with person}}{{name}}{{address.city}}{{../zero}}{{#with address}}{{city}}{{../name}}{{../../name}}{{/with}}{{/with}}{{#with missing}}a{{else}}b{{/with}}',
    '{{#with person as |p|}}{{p.name}}{{name}}{{/with}}',
    '{{#person}}{{name}}{{/person}}{{#list}}{{this}}{{/list}}{{#yes}}{{name}}{{/yes}}{{#no}}a{{else}}b{{/no}}{{#missing}}a{{/missing}}',
    '{{@root.name}}{{#each list}}{{@root.person.name}}{{/each}}',
    '{{> hello}} {{> hello person}} {{> with-names a="x" name="y"}} {{#each people}}{{> hello}}{{/each}}',
    '  {{> lines}}\n|',
    '{{#> layout}}in {{name}}{{/layout}} {{#> missing-one}}fallback {{name}}{{/missing-one}}',
    '{{> (lookup . "which")}}{{#with person}}{{> (lookup .. "which")}}{{/with}}',
    '{{#*inline "own"}}own {{name}}{{/inline}}{{> own}}{{#each people}}{{> own}}{{/each}}',
    'a\n{{#if yes}}\n  b\n{{/if}}\nc\n{{! a comment }}\nd {{~name~}} e\n{{#each list~}}\n {{this}} \n{{~/each}}',
    '{{!-- a }} comment --}}x\\{{name}} \\\\{{name}}',
    '{{lookup list 1}} {{lookup person "name"}} {{#each list}}{{lookup ../list @index}}{{/each}}',
    '{{#each people}}{{name}}{{/each}}{{#each "x"}}{{else}}none{{/each}}',
    '{{constructor}} {{person.constructor}} {{__proto__}} {{toString}} {{list.push}} {{lookup person "constructor"}} {{person.__proto__.x}}',
  ])('%s', (source) => {
    expect(ours(source)).toBe(bare(source));
  });

  it('generated templates', () => {
    const path = fc.constantFrom(
      'name',
      'list',
      'people',
      'person',
      'person.name',
      'map',
      'zero',
      'no',
      'yes',
      'nothing',
      'missing',
      'this.name',
      '../name',
    );
    const printed = fc.constantFrom(
      '{{name}}',
      '{{zero}}',
      '{{../name}}',
      '{{@index}}',
      '{{@key}}',
      '{{person.name}}',
      '{{missing}}',
      '{{@root.name}}',
      '{{> hello}}',
    );
    const { text } = fc.letrec<{ text: string; block: string }>((tie) => ({
      text: fc
        .array(fc.oneof({ maxDepth: 4 }, fc.constantFrom('a', ' ', '\n', '<b>'), printed, tie('block')), { maxLength: 5 })
        .map((parts) => parts.join('')),
      block: fc
        .tuple(fc.constantFrom('if', 'unless', 'each', 'with', ''), path, tie('text'), fc.option(tie('text')))
        .map(([helper, name, body, otherwise]) => {
          const open = helper ? `${helper} ${name}` : name;
          return `{{#${open}}}${body}${otherwise === null ? '' : `{{else}}${otherwise}`}{{/${helper || name}}}`;
        }),
    }));
    fc.assert(
      fc.property(text, (source) => {
        expect(ours(source)).toBe(bare(source));
      }),
      { numRuns: 1_000 },
    );
  });
});
