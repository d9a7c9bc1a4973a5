import { render } from '../render';
import { assertBrandRenders } from './brand-check';

const settingsOf = (mjml: object) => ({ email: { templateOverride: { enabled: true, mjml: { enabled: true, ...mjml } } } });

describe('a brand in MJML', () => {
  it.each<[string, object, RegExp]>([
    [
      'its header',
      { header: '<mj-nope></mj-nope>' },
      /^settings\.email\.templateOverride\.mjml\.header: line 1: MJML has no element <mj-nope>/,
    ],
    [
      'its footer',
      { head: '\n', header: '<mj-raw>mj-foo</mj-raw>', footer: '<mj-section>\n<mj-foo/></mj-section>' },
      /^settings\.email\.templateOverride\.mjml\.footer: line 2: MJML has no element <mj-foo>/,
    ],
  ])('is refused for an element that MJML does not know in %s', (_, mjml, message) => {
    expect(() => assertBrandRenders({ name: 'b', settings: settingsOf(mjml) })).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(message) as string }) as Error,
    );
  });

  it('that was stored with such an element renders, with a warning', () => {
    const brand = { id: 'b', settings: settingsOf({ header: '<mj-section><mj-column><mj-nope>x</mj-nope></mj-column></mj-section>' }) };
    const rendered = render({ content: { title: 'T', body: 'the body' }, channel: 'email', scope: {}, brand });
    expect(rendered?.output).toMatchObject({ kind: 'email', email: { html: expect.stringContaining('the body') as string } });
    expect(rendered?.warnings).toEqual([expect.stringContaining('no element <mj-nope>')]);
  });
});

it('refuses a footer with a {{ that would be shown as it stands', () => {
  const put = (content: string) => () => assertBrandRenders({ name: 'b', settings: { email: { footer: { content } } } });

  expect(put('a\nHi {{nme"')).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringMatching(/^settings\.email\.footer: Template line 2: /) as string,
    }) as Error,
  );
  expect(put('write `{{`')).not.toThrow();
});

describe('an e-mail in MJML', () => {
  it('that was stored with an element that MJML does not know renders, with a warning', () => {
    const html = '<mjml><mj-body><mj-foo></mj-foo><mj-section><mj-column><mj-text>kept</mj-text></mj-column></mj-section></mj-body></mjml>';
    const elements = [{ type: 'channel' as const, channel: 'email', raw: { html, transformers: ['mjml'] } }];
    const rendered = render({ content: { elements }, channel: 'email', scope: {} });
    expect(rendered?.output).toMatchObject({ kind: 'email', email: { html: expect.stringContaining('kept') as string } });
    expect(rendered?.warnings).toEqual([expect.stringContaining('raw.html: line 1: MJML has no element <mj-foo>')]);
  });
});

describe('snippets that call one another', () => {
  const snippetsOf = (values: Record<string, string>) => ({ items: Object.entries(values).map(([name, value]) => ({ name, value })) });
  const put = (values: Record<string, string>) => () => assertBrandRenders({ name: 'b', snippets: snippetsOf(values) });
  const shown = (values: Record<string, string>) => () =>
    render({
      content: { title: 'T', body: '{{> a}}' },
      channel: 'email',
      scope: {},
      brand: { id: 'b', settings: {}, snippets: snippetsOf(values).items },
    });
  const chain = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, at) => [at === 0 ? 'a' : `s${at}`, at + 1 < length ? `{{> s${at + 1}}}` : 'end']));

  it.each<[string, Record<string, string>, RegExp]>([
    ['itself', { a: 'x\n{{> a}}' }, /^snippets\.items\[0\]\.value: Template line 2: the partial "a" always calls itself: let it/],
    ['the other', { b: '{{~> a}}', a: '\n{{> b}}' }, /^snippets\.items\[0\]\.value: Template line 1: .* calls itself \("b" > "a" > "b"\)/],
    ['a third', { a: '{{> b}}', b: '{{> c}}', c: '{{#> a}}{{/a}}' }, /\("a" > "b" > "c" > "a"\)/],
    ['by a partial of its own', { a: '{{#*inline "own"}}{{> a}}{{/inline}}{{> own}}' }, /\("a" > "own" > "a"\)/],
    ['one that does', { a: '{{> b}}', b: '{{> b}}' }, /^snippets\.items\[0\]\.value: .*the partial "b" always calls itself: let it/],
    ['too many', chain(21), /^snippets\.items\[0\]\.value: Template line 1: more than 20 partials within one another/],
  ])('are refused when they never end: %s', (_, values, message) => {
    expect(shown(values)).toThrow();
    expect(put(values)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(message) as string }) as Error,
    );
  });

  it.each<[string, Record<string, string>]>([
    ['in a block', { a: '{{#each data.below}}{{> a}}{{/each}}' }],
    [
      'by a name that the content, or another brand, may have',
      { a: '{{> @partial-block}}{{> (lookup data "b")}}{{> elsewhere}}', b: '{{> b2}}' },
    ],
    ['twice', { a: '{{> b}}{{> b}}{{> c}}', b: '{{> c}}', c: 'end' }],
    ['as deep as may be', chain(20)],
  ])('are accepted when they may end: %s', (_, values) => expect(put(values)).not.toThrow());

  it('are followed once each for any number of calls', () => {
    const layers = Array.from({ length: 19 }, (_, at): [string, string] => [`s${at}`, `{{> s${at + 1}}}`.repeat(10)]);

    expect(put(Object.fromEntries(layers))).not.toThrow();
  });
});
