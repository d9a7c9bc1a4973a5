import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { assertContentRenders, contentCheckCost } from './content-check';

const check = (...elements: unknown[]): void => assertContentRenders({ elements: elements as ElementalNode[] }, 'content');

describe('content', () => {
  it.each<[string, unknown, RegExp]>([
    ['Markdown', { type: 'text', content: 'a\n\n{{#if x}}' }, /^content\.elements\[0\]\.content: Template line 3: /],
    ['Markdown with an unclosed tag', { type: 'text', content: 'a\nHi {{nme"' }, /^content\.elements\[0\]\.content: Template line 2: /],
    ['Markdown with a missing brace', { type: 'quote', content: '{{x}' }, /^content\.elements\[0\]\.content: Template line 1: /],
    [
      'a cell of Markdown that is left out',
      { type: 'text', content: '|a|\n|-|\n|{{#if x}}|{{/if}}|' },
      /^content\.elements\[0\]\.content: /,
    ],
    ['HTML', { type: 'html', content: '<b>{{/b}}' }, /^content\.elements\[0\]\.content: Template line 1: /],
    ['a title', { type: 'meta', title: '{{missing 1}}' }, /^content\.elements\[0\]\.title: .*no helper named "missing"/],
    ['an address', { type: 'action', content: 'Go', href: '{{#each}}' }, /^content\.elements\[0\]\.href: /],
    ['a flag', { type: 'text', content: 'x', bold: '{{' }, /^content\.elements\[0\]\.bold: /],
    [
      'an element within',
      { type: 'group', elements: [{ type: 'quote', content: '{{else}}' }] },
      /^content\.elements\[0\]\.elements\[0\]\.content: /,
    ],
    [
      'a language',
      { type: 'text', content: 'x', locales: { fr_FR: { content: '{{/x}}' } } },
      /^content\.elements\[0\]\.locales\.fr_FR\.content: /,
    ],
    [
      'elements of a language',
      { type: 'group', elements: [], locales: { fr: { elements: [{ type: 'text', content: '{{/x}}' }] } } },
      /^content\.elements\[0\]\.locales\.fr\.elements\[0\]\.content: /,
    ],
    [
      'a partial that always calls itself',
      { type: 'text', content: '{{#*inline "a"}}x{{> a}}{{/inline}}\n{{> a}}' },
      /^content\.elements\[0\]\.content: Template line 2: the partial "a" always calls itself/,
    ],
    [
      'partials that always call each other',
      {
        type: 'text',
        content:
          '{{#*inline "a"}}{{> b}}{{/inline}}{{#*inline "b"}}{{#*inline "c"}}{{#> a}}{{/a}}{{/inline}}{{> c}}{{/inline}}{{#each l}}{{> a}}{{/each}}',
      },
      /^content\.elements\[0\]\.content: Template line 1: the partial "\w" always calls itself/,
    ],
    ['a condition', { type: 'text', content: 'x', if: 'data.(' }, /^content\.elements\[0\]\.if: The condition "data\.\(" cannot be read: /],
    ['a loop', { type: 'text', content: 'x', loop: 'data items' }, /^content\.elements\[0\]\.loop: "data items" is no path/],
    [
      'raw JSON',
      { type: 'channel', channel: 'webhook', raw: { body: [{ to: '{{/x}}' }] } },
      /^content\.elements\[0\]\.raw\.body\[0\]\.to: /,
    ],
    ['a raw mail', { type: 'channel', channel: 'email', raw: { html: '{{#if x}}' } }, /^content\.elements\[0\]\.raw\.html: /],
    [
      'a raw mail of MJML',
      { type: 'channel', channel: 'email', raw: { html: '<mj-nothing', transformers: ['mjml'] } },
      /^content\.elements\[0\]\.raw\.html: The MJML cannot be read/,
    ],
    [
      'a raw mail with an element that MJML does not know',
      { type: 'channel', channel: 'email', raw: { html: '<mjml><mj-body>\n<mj-foo></mj-foo></mj-body></mjml>', transformers: ['mjml'] } },
      /^content\.elements\[0\]\.raw\.html: line 2: MJML has no element <mj-foo>/,
    ],
  ])('is refused for %s that does not parse, with its path', (_, element, message) => {
    expect(() => check(element)).toThrow(expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(message) as string }) as Error); // prettier-ignore
  });

  it.each<[string, unknown, string]>([
    ['channel', { type: 'channel', channel: 'emial' }, 'elements[0].channel'],
    [
      'channels',
      { type: 'group', elements: [{ type: 'text', content: 'x', channels: ['sms', 'emial'] }] },
      'elements[0].elements[0].channels[1]',
    ],
    [
      'channels of a language',
      { type: 'group', elements: [], locales: { fr: { elements: [{ type: 'text', content: 'x', channels: ['emial'] }] } } },
      'elements[0].locales.fr.elements[0].channels[0]',
    ],
  ])('is refused for an unknown %s', (_, element, path) => {
    const message = `content.${path} must be one of direct_message, email, push, sms, webhook, inbox, banner, or the key of a provider (got "emial")`;
    expect(() => check(element)).toThrow(expect.objectContaining({ code: 'invalid_request', message }) as Error);
  });

  it.each<[string, unknown]>([
    ['variables and blocks', { type: 'text', content: '{name} {{name}} {{#each items}}\n- {{this}}\n{{/each}} \\{{no}}' }],
    ['channels and providers', { type: 'text', content: 'x', channels: ['email', 'smtp', 'twilio', 'default'] }],
    ['literal braces', { type: 'text', content: 'a { b } `{{` {"json": 1}' }],
    ['snippets that do not exist yet', { type: 'text', content: '{{> later}}' }],
    [
      'a partial that calls itself where there is more to show',
      { type: 'text', content: '{{#*inline "tree"}}{{name}}{{#each below}}{{> tree}}{{/each}}{{/inline}}{{> tree}}' },
    ],
    [
      'a partial that is another one where it calls its own name',
      { type: 'text', content: '{{#*inline "a"}}{{#*inline "a"}}x{{/inline}}{{> a}}{{/inline}}{{> a}}' },
    ],
    [
      'many calls of many partials',
      {
        type: 'text',
        content: `${Array.from({ length: 18 }, (_, n) => `{{#*inline "p${n}"}}{{> p${n + 1}}}{{> p${n + 1}}}{{/inline}}`).join('')}{{#*inline "p18"}}x{{/inline}}{{> p0}}`,
      },
    ],
    ['nodes that are never rendered', { type: 'comment', content: '{{#if' }],
    ['unknown fields', { type: 'text', content: 'x', mine: '{{#if' }],
    ['conditions and loops as authors write them', { type: 'text', content: 'x', if: '{{data.a == 1}}', loop: '{{data.items}}' }],
    [
      'MJML that MJML only wonders at',
      {
        type: 'channel',
        channel: 'email',
        raw: {
          html: '<mjml><mj-body><mj-text color="{{c}}" mine="x">a</mj-text>{{#each l}}<mj-section><mj-column><mj-image src="{u}" width="9em" /></mj-column></mj-section>{{/each}}<mj-include path="./x.mjml" /></mj-body></mjml>',
          transformers: ['mjml'],
        },
      },
    ],
    ['MJML', { type: 'channel', channel: 'email', raw: { html: '<mjml><mj-body></mj-body></mjml>', transformers: ['mjml'] } }],
  ])('may have %s', (_, element) => {
    expect(() => check(element)).not.toThrow();
  });

  it.each<[string, string]>([
    ['Hi {{name', 'Template line 1: “{{name” is not closed: “}}” is missing'],
    ['a\n{{name} and {{other}}', 'Template line 2: “{{name” is not closed: “}}” is missing'],
    ['{{{name}}', 'Template line 1: “{{{name” is not closed: “}}}” is missing'],
    ['{{#each items}}\n{{#if x}}a{{/if}}', 'Template line 1: “{{#each items}}” is not closed: “{{/each}}” is missing'],
    ['{{#each items}}\n{{#if x}}a', 'Template line 2: “{{#if x}}” is not closed: “{{/if}}” is missing'],
    ['{{~^if x}}', 'Template line 1: “{{~^if x}}” is not closed: “{{/if}}” is missing'],
    ['{{#*inline "a"}}', 'Template line 1: “{{#*inline "a"}}” is not closed: “{{/inline}}” is missing'],
    ['{{!-- {{a}}', 'Template line 1: “{{!-- {{a}}” is not closed: “--}}” is missing'],
    ['{{/if}}', 'Template line 1: {{…}} is not valid Handlebars, near “{{/if}}”'],
  ])('names what closes %j', (title, message) => {
    expect(() => check({ type: 'meta', title })).toThrow(
      expect.objectContaining({ message: `content.elements[0].title: ${message}` }) as Error,
    );
  });

  it('costs much with MJML', () => {
    const mail = { type: 'channel', channel: 'email', raw: { html: '', transformers: ['mjml'] } };

    expect(contentCheckCost({ elements: [mail] as ElementalNode[] })).toBeGreaterThan(1_000_000);
    expect(contentCheckCost({ elements: [{ type: 'text', content: 'x' }] })).toBeLessThan(1_000);
  });

  it('costs as much as its compiled Markdown, in any node', () => {
    const long = '*a* '.repeat(10_000);
    const [compiled, plain] = [`${long}{x}`, long].map((content) =>
      contentCheckCost({ elements: [{ type: 'group', elements: [{ type: 'text', content: '', locales: { fr: { content } } }] }] }),
    );

    expect(compiled).toBeGreaterThan(40_000);
    expect(plain).toBeLessThan(4_000);
  });
});
