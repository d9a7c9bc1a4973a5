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
  it('has one line of subject, and says its language and which way it is read', () => {
    const { subject, html } = emailOf([{ type: 'meta', title: 'a\r\nBcc: b' }], { locale: 'he_IL' });
    expect(subject).toBe('a Bcc: b');
    expect(html).toContain('<html lang="he-IL" dir="rtl"');
    expect(emailOf([], { locale: '"><script>' }).html).toContain('<html lang="und" dir="ltr"');
  });

  it('lets no value out of a style', () => {
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

  it('leaves raw HTML out where a setting forbids it', () => {
    const elements: ElementalNode[] = [{ type: 'html', content: '<i>raw</i>' }, text('<b>bold</b>')];
    expect(emailOf(elements).html).toContain('<i>raw</i>');
    const { html, warnings } = emailOf(elements, { rawHtml: false });
    expect(html).not.toMatch(/<i>|<b>/);
    expect(warnings).toEqual(['elements[0]: raw HTML is turned off and was left out']);
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

  it('says Handlebars over lines of Markdown as lists and paragraphs, not as lines of their own', () => {
    const { html, text: plain } = emailOf([text('{{#each items}}\n- {{this}}\n{{/each}}\n{{#if no}}\nnever\n{{/if}}\nend')], {
      scope: { data: { items: ['a', 'b'] } },
    });
    expect(html.match(/<ul/g)).toHaveLength(1);
    expect(html.match(/<li/g)).toHaveLength(2);
    expect(plain).toBe('- a\n- b\n\nend\n');
  });
});

describe('a brand', () => {
  it('takes the parts it inherits from the default brand, and its snippets where it has none of that name', () => {
    const own: BrandForRendering = {
      ...brandOf({ header: { inheritDefault: true }, footer: { markdown: 'own' } }),
      snippets: { items: [{ name: 'a', value: 'mine' }] },
      default: {
        settings: { email: { header: { barColor: '#123456' }, footer: { markdown: 'default' } } },
        snippets: {
          items: [
            { name: 'a', value: 'theirs' },
            { name: 'b', value: 'b of {{brand.id}}' },
          ],
        },
      },
    };
    const { html, text: plain } = emailOf([text('{{> a}} {{> b}}')], { brand: own });
    expect(html).toContain('border-top:6px solid #123456');
    expect(plain).toBe('mine b of b\n\n-- \nown\n');
  });

  it('of one workspace is never taken for another’s of the same id', () => {
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

  it('writes its own rules into each block', () => {
    const brand = brandOf({ head: { inheritDefault: false, content: '<style>.c--text-h2 { color: #abcdef }</style>' } });
    expect(emailOf([{ type: 'text', content: 'x', text_style: 'h2' }], { brand }).html).toMatch(/c--text-h2" [^>]*color:#abcdef/);
  });

  it('whatever it holds, only breaks what it says', () => {
    for (const settings of [
      null,
      1,
      [],
      { email: 5 },
      { email: { header: [], footer: { social: 3 }, templateOverride: 'x' } },
      { colors: 'red' },
    ]) {
      const brand = { id: 'odd', settings, snippets: { items: [null, 1, { name: 2 }] } };
      expect(emailOf([text('x')], { brand }).text).toBe('x\n');
    }
  });

  it('in MJML reads no file of ours', () => {
    const include = '<mj-section><mj-column><mj-include path="/etc/hostname" /><mj-text>there</mj-text></mj-column></mj-section>';
    const brand = brandOf({ templateOverride: { enabled: true, mjml: { enabled: true, header: include } } });
    const { html } = emailOf([{ type: 'meta', title: 'S' }, text('body')], { brand });
    expect(html).toContain('there');
    expect(html).toContain('body');
    expect(html).toContain('<title>S</title>');
    expect(html).not.toMatch(/<mj-|mj-include/);
  });

  it('whose MJML leaves no place for the message is refused in a sentence', () => {
    const brand = brandOf({ templateOverride: { enabled: true, mjml: { enabled: true, header: '<mj-section><mj-column><mj-image>' } } });
    expect(() => emailOf([text('x')], { brand })).toThrow(
      expect.objectContaining({ name: 'ServiceError', code: 'invalid_request' }) as Error,
    );
  });

  it('cannot put a value into the place of the blocks', () => {
    const brand = brandOf({ templateOverride: { enabled: true, header: '<p>{x}</p>' } });
    const { html } = emailOf([text('body')], { brand, scope: { data: { x: '<!--tidings:blocks--><script>' } } });
    expect(html).toContain('&lt;!--tidings:blocks--&gt;');
    expect(html.indexOf('body</p>')).toBeGreaterThan(html.indexOf('c--blocks'));
  });
});

describe('an e-mail as its author wrote it', () => {
  it('is filled in; text and subject are what is given', () => {
    const raw = { subject: 'S {x}\n', html: '<a href="{u}">{x}</a>', text: 'T {x}' };
    const elements: ElementalNode[] = [{ type: 'channel', channel: 'email', raw }];
    const mail = emailOf(elements, { scope: { data: { x: '<b>', u: 'javascript:alert(1)' } } });
    expect(mail).toMatchObject({ subject: 'S <b>', html: '<a href="#">&lt;b&gt;</a>', text: 'T <b>' });
  });
});
