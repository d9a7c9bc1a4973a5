import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { render, type RenderInput } from '../render';
import type { BrandForRendering } from './brand';

function emailOf(elements: ElementalNode[], more: Partial<RenderInput> = {}) {
  const rendered = render({ content: { elements }, channel: 'email', scope: {}, ...more });
  if (rendered?.output.kind !== 'email') throw new Error('no e-mail');
  return { ...rendered.output.email, warnings: rendered.warnings };
}

const brandOf = (email: object, more: object = {}): BrandForRendering => ({
  id: 'b',
  settings: { email, ...more },
});
const text = (content: string): ElementalNode => ({ type: 'text', content });

describe('an e-mail', () => {
  it('has one line of subject, and declares its language and direction', () => {
    const { subject, html } = emailOf([{ type: 'meta', title: 'a\r\nBcc: b' }], { locale: 'he_IL' });
    expect(subject).toBe('a Bcc: b');
    expect(html).toContain('<html lang="he-IL" dir="rtl"');
    expect(emailOf([], { locale: 'he_IL.UTF-8@calendar' }).html).toContain('<html lang="he-IL" dir="rtl"');
    expect(emailOf([], { locale: '"><script>' }).html).toContain('<html lang="und" dir="ltr"');
  });

  it('in an MJML frame declares language and direction instead of MJML’s defaults', () => {
    const brand = brandOf({ templateOverride: { enabled: true, mjml: { enabled: true, header: '<mj-section></mj-section>' } } });
    const { html } = emailOf([text('שלום')], { brand, locale: 'he_IL' });
    expect(new Set(html.match(/\b(?:lang|dir)="[^"]*"/g))).toEqual(new Set(['lang="he-IL"', 'dir="rtl"']));
    const blocks = html.slice(html.indexOf('padding:24px 0 8px') - 60, html.indexOf('שלום'));
    expect(new Set(blocks.match(/direction:\w+/g))).toEqual(new Set(['direction:rtl']));
  });

  it('shows a quote in the sizes of its own, its style or its channel, and in its own colour', () => {
    const quote = (more: object): ElementalNode => ({ type: 'quote', content: 'q', ...more });
    const elements = [quote({}), quote({ font_size: '24px', line_height: '40px' }), quote({ text_style: 'h1' })];
    const channel: ElementalNode = { type: 'channel', channel: 'email', font_size: '20px', elements };
    const stylesOf = (html: string): (string | undefined)[][] =>
      [...html.matchAll(/class="c--quote" style="([^"]*)"/g)].map(([, css = '']) =>
        ['font-size', 'line-height', 'font-weight', 'color', 'padding'].map((name) => [...css.matchAll(new RegExp(`(?<![-\\w])${name}:([^;]*)`, 'g'))].at(-1)?.[1]),
      ); // prettier-ignore
    const [gray, inside] = ['#3f3f46', '4px 0 4px 16px'];
    expect(stylesOf(emailOf(elements).html)).toEqual([
      ['16px', '24px', undefined, gray, inside],
      ['24px', '40px', undefined, gray, inside],
      ['28px', '36px', 'bold', gray, inside],
    ]);
    expect(stylesOf(emailOf([channel]).html).map(([size]) => size)).toEqual(['20px', '24px', '20px']);
  });

  it('is legible on the brand’s background unless the brand styles the letters', () => {
    const nodes: ElementalNode[] = [
      { type: 'text', content: 'a [link](https://a.example)' },
      { type: 'text', content: 'small', text_style: 'subtext' },
      { type: 'quote', content: 'q' },
      { type: 'list', elements: [{ type: 'list-item', content: 'i' }] },
    ];
    const colorsOn = (blocksBackgroundColor: string, head?: string): Set<string | undefined> => {
      const brand = brandOf({ templateOverride: { enabled: true, blocksBackgroundColor, head } }, { colors: { primary: '#222222' } });
      const { html } = emailOf(nodes, { brand });
      return new Set(
        [...html.slice(html.indexOf('<tr><td class="c--block ')).matchAll(/style="([^"]*)"/g)].flatMap(
          ([, css = '']) => [...css.matchAll(/(?<![-\w])color:([^;]*)/g)].at(-1)?.[1] ?? [],
        ),
      );
    };
    expect(colorsOn('#1f2937')).toEqual(new Set(['#ffffff']));
    expect(colorsOn('#fafafa')).toEqual(new Set(['#18181b', '#222222', '#52525b', '#3f3f46']));
    expect(colorsOn('#1f2937', '<style>.c--block-text{color:#fde68a}</style>')).toContain('#fde68a');
  });

  it('is legible in a list item with its own background, and so is its mark', () => {
    const items = [
      { type: 'list-item', content: 'dark', background_color: '#333333' },
      { type: 'list-item', content: 'plain' },
    ];
    const { html } = emailOf([{ type: 'list', elements: items as ElementalNode[] }]);
    const colors = [...html.matchAll(/class="c--(?:list-mark|block c--block-text)[^>]*style="([^"]*)"/g)].map(
      ([, css = '']) => [...css.matchAll(/(?<![-\w])color:([^;]*)/g)].at(-1)?.[1],
    );
    expect(colors).toEqual(['#ffffff', '#ffffff', '#18181b', '#18181b']);
  });

  it('escapes every value in a style', () => {
    const data = { c: 'red;background:url(https://evil.example)', w: '1px"><script>' };
    const { html } = emailOf(
      [
        { type: 'text', content: 'x', color: '{c}', font_size: '{w}' },
        { type: 'action', content: 'x', href: 'https://a.example', background_color: '{c}', padding: '{w}' },
        { type: 'image', src: 'https://a.example/i.png', width: '{w}', border_color: '{c}' },
        { type: 'divider', color: '{c}' },
      ],
      { scope: { data } },
    );
    expect(html).not.toContain('evil');
    expect(html).not.toContain('<script');
  });

  it.each<[string, object, ElementalNode]>([
    ['without a frame', {}, text('x')],
    ['in a frame of HTML', { templateOverride: { enabled: true, footer: '<p>{long}</p>' } }, text('x')],
    [
      'in a frame of MJML',
      { templateOverride: { enabled: true, mjml: { enabled: true, footer: '<mj-raw><p>{long}</p></mj-raw>' } } },
      text('x'),
    ],
    [
      'that is MJML',
      {},
      {
        type: 'channel',
        channel: 'email',
        raw: { html: '<mjml><mj-body background-color="#eee"><mj-raw><p>{long}</p></mj-raw></mj-body></mjml>', transformers: ['mjml'] },
      },
    ],
  ])('is no wider than a phone with a long word: %s', (_, email, element) => {
    const { html } = emailOf([element], { brand: brandOf(email) });
    expect(html).toMatch(/<body[^>]*style="[^"]*word-break:break-word;/);
  });

  describe('with raw HTML', () => {
    const written = '<p>Caf&eacute; &mdash; &copy; <a title="save > 10%" href="https://a.example">go</a></p>';
    const read = 'Café — © go: https://a.example';

    it.each<[string, ElementalNode[], Record<string, unknown> | undefined]>([
      ['an element', [{ type: 'html', content: written }], undefined],
      ['Markdown', [text(written)], undefined],
      ['the footer of its brand', [], { footer: { markdown: written } }],
      ['all of it', [{ type: 'channel', channel: 'email', raw: { html: written } }], undefined],
    ])('in %s has the same content as text', (_, elements, email) => {
      expect(emailOf(elements, email && { brand: brandOf(email) }).text).toContain(read);
    });
  });

  it('adds the parameters to its links once, and not to its pictures', () => {
    const { html, text: plain } = emailOf(
      [text('[a](https://a.example/?utm_source=own#f) [b](https://b.example) ![c](https://c.example/i.png)')],
      {
        utm: { source: 's & t', medium: 'email' },
      },
    );
    expect(html).toContain('href="https://a.example/?utm_source=own&amp;utm_medium=email#f"');
    expect(html).toContain('href="https://b.example?utm_source=s%20%26%20t&amp;utm_medium=email"');
    expect(html).toContain('src="https://c.example/i.png"');
    expect(plain).toContain('b: https://b.example?utm_source=s%20%26%20t&utm_medium=email');
  });

  it('renders Handlebars across Markdown lines as lists and paragraphs', () => {
    const { html, text: plain } = emailOf([text('{{#each items}}\n- {{this}}\n{{/each}}\n{{#if no}}\nnever\n{{/if}}\nend')], {
      scope: { data: { items: ['a', 'b'] } },
    });
    expect(html.match(/<ul/g)).toHaveLength(1);
    expect(html.match(/<li/g)).toHaveLength(2);
    expect(plain).toBe('- a\n- b\n\nend\n');
  });
});

describe('Markdown in an e-mail', () => {
  const [box, letters] = ['margin:0 0 16px;padding:12px;background-color:#f4f4f5', 'font-family:ui-monospace'];

  it('styles the box of a code block, not its lines', () => {
    const { html } = emailOf([text('a `b`\n\n```js\nc\n```\n\n    d')]);
    expect(html).toMatch(new RegExp(`<pre style="${box}[^"]*"><code style="${letters}[^"]*" class="language-js">c`));
    expect(html).toMatch(new RegExp(`<pre style="${box}[^"]*"><code style="${letters}[^"]*">d`));
    expect(html).toMatch(new RegExp(`a <code style="${letters}[^"]*">b</code>`));
    expect(html.match(new RegExp(box, 'g'))).toHaveLength(2);
  });

  it('applies the brand’s rules for code blocks to blocks only', () => {
    const brand = brandOf({ head: { content: '<style>pre code { color: #abcdef }</style>' } });
    const { html } = emailOf([text('a `b`\n\n```\nc\n```')], { brand });
    expect(html).toMatch(/color:#abcdef;">c/);
    expect(html.match(/#abcdef;">/g)).toHaveLength(1);
  });

  it('has bullets, bars and spaces at the right in right-to-left languages', () => {
    const elements = [
      text('- one\n\n> quoted'),
      { type: 'quote', content: 'said' },
      { type: 'list', elements: [{ type: 'list-item', content: 'item' }] },
    ] as ElementalNode[];
    const rightToLeft = emailOf(elements, { locale: 'ar_EG' }).html;
    expect(rightToLeft).toContain('<ul style="margin:0 0 16px;padding:0 24px 0 0;">');
    expect(rightToLeft).toContain('<blockquote style="margin:0 0 16px;padding:0 16px 0 0;border-right:4px solid #d4d4d8;');
    expect(rightToLeft).toMatch(/class="c--list-mark"[^>]*style="padding:0 0 6px 8px;/);
    expect(rightToLeft).toMatch(/class="c--quote" style="[^"]*padding:4px 16px 4px 0;/);
    const leftToRight = emailOf(elements, { locale: 'fr_FR' }).html;
    expect(leftToRight).toContain('<ul style="margin:0 0 16px;padding:0 0 0 24px;">');
    expect(leftToRight).toContain('border-left:4px solid');
    expect(leftToRight).not.toContain('border-right:4px');
  });
});

describe('a brand', () => {
  it('has its snippets in texts', () => {
    const brand: BrandForRendering = { ...brandOf({ footer: { markdown: 'own' } }), snippets: [{ name: 'a', value: 'a of {{brand.id}}' }] };
    expect(emailOf([text('{{> a}}')], { brand }).text).toBe('a of b\n\n-- \nown\n');
  });

  it('of one workspace is never mixed with another’s of the same id', () => {
    const [one, other] = [brandOf({ footer: { markdown: 'one' } }), brandOf({ footer: { markdown: 'other' } })];
    for (const [brand, footer] of [
      [one, 'one'],
      [other, 'other'],
      [{ ...one, key: 'w1/b/1' }, 'one'],
      [{ ...other, key: 'w2/b/1' }, 'other'],
    ] as const) {
      expect(emailOf([text('x')], { brand }).text).toBe(`x\n\n-- \n${footer}\n`);
    }
    expect(emailOf([text('x')], { brand: { ...other, key: 'w1/b/1' } }).text).toContain('one');
  });

  it('inlines its own rules into each block', () => {
    const brand = brandOf({ head: { inheritDefault: false, content: '<style>.c--text-h2 { color: #abcdef }</style>' } });
    expect(emailOf([{ type: 'text', content: 'x', text_style: 'h2' }], { brand }).html).toMatch(/c--text-h2" [^>]*color:#abcdef/);
  });

  it('with invalid values loses only these values', () => {
    for (const settings of [
      null,
      1,
      [],
      { email: 5 },
      { email: { header: [], footer: { social: 3 }, templateOverride: 'x' } },
      { colors: 'red' },
    ]) {
      const brand = { id: 'odd', settings, snippets: [null, 1, { name: 2 }] };
      expect(emailOf([text('x')], { brand }).text).toBe('x\n');
    }
  });

  it('in MJML reads no local file', () => {
    const include = '<mj-section><mj-column><mj-include path="/etc/hostname" /><mj-text>there</mj-text></mj-column></mj-section>';
    const brand = brandOf({ templateOverride: { enabled: true, mjml: { enabled: true, header: include } } });
    const { html } = emailOf([{ type: 'meta', title: 'S' }, text('body')], { brand });
    expect(html).toContain('there');
    expect(html).toContain('body');
    expect(html).toContain('<title>S</title>');
    expect(html).not.toMatch(/<mj-|mj-include/);
  });

  it('whose MJML hides the message is refused with one sentence', () => {
    const brand = brandOf({ templateOverride: { enabled: true, mjml: { enabled: true, header: '<mj-section><mj-column><mj-image>' } } });
    expect(() => emailOf([text('x')], { brand })).toThrow(
      expect.objectContaining({ name: 'ServiceError', code: 'invalid_request' }) as Error,
    );
  });

  it('cannot inject a value into the slot of the blocks', () => {
    const brand = brandOf({ templateOverride: { enabled: true, header: '<p>{x}</p>' } });
    const { html } = emailOf([text('body')], { brand, scope: { data: { x: '<!--tidings:blocks--><script>' } } });
    expect(html).toContain('&lt;!--tidings:blocks--&gt;');
    expect(html.indexOf('body</p>')).toBeGreaterThan(html.indexOf('c--blocks'));
  });
});

describe('a raw e-mail', () => {
  it('is filled in, with the given text and subject', () => {
    const raw = { subject: 'S {x}\n', html: '<a href="{u}">{x}</a>', text: 'T {x}' };
    const elements: ElementalNode[] = [{ type: 'channel', channel: 'email', raw }];
    const mail = emailOf(elements, { scope: { data: { x: '<b>', u: 'javascript:alert(1)' } } });
    expect(mail).toMatchObject({ subject: 'S <b>', html: '<a href="#">&lt;b&gt;</a>', text: 'T <b>' });
  });
});
