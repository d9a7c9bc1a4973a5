import * as fc from 'fast-check';
import { expectLinear } from '@tidings/testing/cpu-time';
import type { EmailOutput } from '@tidings/contracts/messaging/channel-outputs';
import { render } from './render';
import { RENDERED_CHARS_MAX } from './render-budget';
import type { RenderScope } from './scope';

const CONTEXT: RenderScope = {
  data: {
    name: 'Jane',
    größe: 'L',
    order: { id: 7, 'the key': 'k', items: ['a', { sku: 'b' }] },
    yes: true,
    none: null,
    profile: 'mine',
    html: `<b a='"'>&`,
  },
  profile: { email: 'jane@example.org' },
  tenant: { name: 'ACME', properties: { plan: 'gold' } },
  brand: { colors: { primary: '#fff' } },
  builtIns: { messageId: '1-abc', datetime: { year: 2026 } },
};

/** The e-mail of simple content without a brand. */
function renderEmail(content: { readonly title?: string; readonly body?: string }, scope: RenderScope): EmailOutput {
  const rendered = render({ content: { title: '', body: '', ...content }, channel: 'email', scope });
  if (rendered?.output.kind !== 'email') throw new Error('Simple content is for every channel');
  return rendered.output.email;
}

function bodyOf(html: string): string {
  return /<td class="c--block c--block-text[^>]*>([\s\S]*?)<\/td><\/tr>\n<\/table>/.exec(html)?.[1] ?? '';
}

/** The body's HTML without our inline styles. */
function htmlOf(body: string, context = CONTEXT): string {
  return bodyOf(renderEmail({ body }, context).html)
    .replace(/ style="[^"]*"/g, '')
    .trim();
}

function textOf(body: string, context = CONTEXT): string {
  return renderEmail({ body }, context).text;
}

/** Undefined for invalid Handlebars, which is refused with one sentence. */
function renderedOrRefused(content: { title: string; body: string }, context: RenderScope) {
  try {
    return renderEmail(content, context);
  } catch (error) {
    expect(error).toMatchObject({
      name: 'ServiceError',
      code: 'invalid_request',
      message: expect.stringMatching(/^elements\[[01]\]: /) as string,
    });
    return undefined;
  }
}

describe('a variable', () => {
  it.each([
    ['{name}', 'Jane'],
    ['{{name}}', 'Jane'],
    ['{{ name }}', 'Jane'],
    ['{{{name}}}', 'Jane'],
    ['{data.name}', 'Jane'],
    ['{order.id}', '7'],
    ['{order.items[1].sku}', 'b'],
    ['{order.items.0}', 'a'],
    ["{order['the key']}", 'k'],
    ['{order["the key"]}', 'k'],
    ['{größe}', 'L'],
    ['{profile.email}', 'jane@example.org'],
    ['{profile}', 'mine'],
    ['{tenant.properties.plan}', 'gold'],
    ['{brand.colors.primary}', '#fff'],
    ['{$.tenant.name}', 'ACME'],
    ['{$.data.name}', 'Jane'],
    ['{messageId}', '1-abc'],
    ['{datetime.year}', '2026'],
    ['{yes}', 'true'],
    ['[{none}]', '[]'],
    ['{order}', '{"id":7,"the key":"k","items":["a",{"sku":"b"}]}'],
    ['{name}{name} and {name}', 'JaneJane and Jane'],
    // Missing: one brace stays, two print nothing.
    ['Hi {missing}!', 'Hi {missing}!'],
    ['Hi {{missing}}!', 'Hi !'],
    ['{profile.missing} {$.x} {$}', '{profile.missing} {$.x} {$}'],
    ['{order.id.toFixed} {name.length}', '{order.id.toFixed} {name.length}'],
    // No variables at all.
    ['{ name } {} {a b} { "json": [1] } {', '{ name } {} {a b} { "json": [1] } {'],
  ])('%s becomes %s in subject and text', (template, expected) => {
    expect(renderEmail({ title: template }, CONTEXT).subject).toBe(expected);
    if (!template.includes('[{')) expect(textOf(template)).toBe(`${expected}\n`);
  });

  it('reaches own properties only, for any path', () => {
    const hostile = JSON.parse(
      '{"__proto__": {"polluted": "leak"}, "o": {"__proto__": "leak", "constructor": {"name": "leak"}}}',
    ) as object;
    for (const path of [
      '__proto__',
      '__proto__.polluted',
      'constructor',
      'o.constructor.name',
      'o.__proto__',
      'toString',
      'o.hasOwnProperty',
      'constructor.constructor',
      '$.constructor',
      '$.data.__proto__',
    ]) {
      expect(renderEmail({ title: `{${path}}|{{${path}}}` }, { data: hostile }).subject).toBe(`{${path}}|`);
    }
  });

  it('is escaped in HTML and nowhere else', () => {
    expect(htmlOf('{html}')).toBe('<p>&lt;b a=&#39;&quot;&#39;&gt;&amp;</p>');
    expect(textOf('{html}')).toBe(`<b a='"'>&\n`);
    expect(renderEmail({ title: '{html}' }, CONTEXT).subject).toBe(`<b a='"'>&`);
    expect(renderEmail({ title: '{html}' }, CONTEXT).html).toContain('<title>&lt;b a=&#39;&quot;&#39;&gt;&amp;</title>');
  });

  it('is not parsed as Markdown, unlike the text around it', () => {
    const context = { data: { x: '**bold** [a](http://b) `c` <http://d>\n# e\n- f', t: '*' } };
    expect(htmlOf('**{x}**', context)).toBe('<p><strong>**bold** [a](http://b) `c` &lt;http://d&gt;\n# e\n- f</strong></p>');
    expect(htmlOf('{t}a{t}', context)).toBe('<p>*a*</p>');
    expect(htmlOf('`{t}`', context)).toBe('<p><code>*</code></p>');
  });

  it('in raw HTML cannot leave its attribute, quoted or not', () => {
    const context = { data: { x: `" onclick="a` } };
    expect(htmlOf('<i title={x}>a</i> <i title="{x}">b</i>', context)).toBe(
      '<p><i title=&quot;&#32;onclick&#61;&quot;a>a</i> <i title="&quot;&#32;onclick&#61;&quot;a">b</i></p>',
    );
  });
});

describe('an address', () => {
  const link = (href: string) => htmlOf('[go]({u})', { data: { u: href } });

  it('may be a variable, or contain some', () => {
    expect(link('https://example.com/a?b=c&d=e')).toBe('<p><a href="https://example.com/a?b=c&amp;d=e">go</a></p>');
    expect(htmlOf('[go](https://example.com/{order.id}?n={name}#x "T {name}")')).toBe(
      '<p><a href="https://example.com/7?n=Jane#x" title="T Jane">go</a></p>',
    );
    expect(htmlOf('![{name}]({profile.email})')).toBe('<p><img src="jane@example.org" alt="Jane"></p>');
    expect(htmlOf('<https://example.com/{order.id}>')).toBe('<p><a href="https://example.com/7">https://example.com/7</a></p>');
    expect(htmlOf('[go][r]\n\n[r]: https://example.com/{name}')).toBe('<p><a href="https://example.com/Jane">go</a></p>');
  });

  it('is encoded as an address', () => {
    expect(link('https://münchen.example/ö ö"<')).toBe('<p><a href="https://xn--mnchen-3ya.example/%C3%B6%20%C3%B6%22%3C">go</a></p>');
    expect(link('')).toBe('<p><a href="">go</a></p>');
  });

  it.each(['javascript:alert(1)', ' JavaScript:alert(1)', 'vbscript:x', 'data:text/html,x', 'file:///etc/passwd'])(
    'that would run code or open a file leads nowhere: %s',
    (href) => {
      expect(link(href)).toBe('<p><a href="#">go</a></p>');
      expect(htmlOf('[go]({a}{b})', { data: { a: href.slice(0, 5), b: href.slice(5) } })).toBe('<p><a href="#">go</a></p>');
      expect(textOf('[go]({u})', { data: { u: href } })).toBe('go\n');
    },
  );

  it.each(['java\tscript:alert(1)', 'java\nscript:alert(1)', '\u0001javascript:alert(1)'])(
    'cannot hide what it would run behind control characters: %j',
    (href) => {
      expect(link(href)).toMatch(/href="(#|[^"]*%(09|0A|01)[^"]*)"/);
    },
  );
});

describe('the body', () => {
  it('is Markdown', () => {
    expect(htmlOf('# Hi\nline\nline\n\n- a\n- ~~b~~\n\n> q')).toBe(
      '<h1>Hi</h1>\n<p>line<br>\nline</p>\n<ul>\n<li>a</li>\n<li><s>b</s></li>\n</ul>\n<blockquote>\n<p>q</p>\n</blockquote>',
    );
  });

  it('passes HTML tags', () => {
    expect(htmlOf('<b>x</b>')).toBe('<p><b>x</b></p>');
  });

  it('is in a whole document that declares its encoding', () => {
    const { html } = renderEmail({ title: 'T', body: 'x' }, {});
    expect(html).toMatch(/^<!doctype html>\n<html [^>]*>\n<head>\n<meta charset="utf-8">/);
    expect(html.trimEnd()).toMatch(/<\/body>\n<\/html>$/);
    expect(html).not.toMatch(/<(script|link)\b/);
  });

  it.each([
    ['a\nb\n\nc', 'a\nb\n\nc\n'],
    ['# Title\n\n**bold** _it_ `code`', 'Title\n\nbold it code\n'],
    [
      '[Order](https://e.com/1) and <https://e.com> and <a@b.c> and [https://e.com](https://e.com)',
      'Order: https://e.com/1 and https://e.com and a@b.c and https://e.com\n',
    ],
    ['[{u}]({u})', 'https://e.com/%7Bx%7D\n'],
    [
      '[こちら](https://e.com/1)をご覧<b>[b](https://e.com)</b>c, [d](https://e.com/2). [e](https://e.com)[f](https://e.com)',
      'こちら: https://e.com/1 をご覧b: https://e.com c, d: https://e.com/2. e: https://e.com f: https://e.com\n',
    ],
    ['x\n- a\n- b\n  - c\n  - d\n- e\n\ny', 'x\n\n- a\n- b\n  - c\n  - d\n- e\n\ny\n'],
    ['3. a\n4. b\n\n   more', '3. a\n\n4. b\n\n   more\n'],
    ['> a\n> b\n>\n> > c', '> a\n> b\n\n> > c\n'],
    ['```\ncode {u}\n  x\n```\n---', 'code https://e.com/{x}\n  x\n\n---\n'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a | b\n1 | 2\n'],
    ['![logo](https://e.com/l.png)', 'logo\n'],
    ['<div class="x"><p>Hello <b>you</b> &amp; me</p><style>p{}</style></div>', 'Hello you & me\n'],
    ['a<br>b <i>c</i> <!-- no -->', 'a\nb c\n'],
    ['<!-- never closed {x}\n\nb', ''],
    ['', ''],
  ])('%j reads %j as plain text', (body, text) => {
    expect(textOf(body, { data: { u: 'https://e.com/{x}' } })).toBe(text);
  });
});

describe('the subject', () => {
  it('is one line for any input', () => {
    expect(renderEmail({ title: 'a\r\nBcc: {x}\u2028' }, { data: { x: 'b\nc\u0000' } }).subject).toBe('a Bcc: b c');
  });
  it('is cut when it is longer than a mail can hold', () => {
    expect(renderEmail({ title: '{x}' }, { data: { x: '😀'.repeat(5000) } }).subject).toHaveLength(998);
  });
});

describe('rendering', () => {
  it('refuses a result above the limit', () => {
    const big = 'x'.repeat(100_000);
    expect(() => renderEmail({ body: '{x}'.repeat(1 + RENDERED_CHARS_MAX / big.length) }, { data: { x: big } })).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }) as Error,
    );
  });

  it('accepts any text and exposes no JavaScript internals', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '{',
        '}',
        '{{',
        '}}',
        '[',
        ']',
        '](',
        ')',
        '<',
        '>',
        '`',
        '```\n',
        '*',
        '\n- ',
        '\n> ',
        '|',
        '\ufdd0',
        '\ufdd1',
        'v0',
        '&#64976;v9&#64977;',
        '{x}',
        '[{x}]({x})',
        '<a href={x}>',
        '<br>',
        '<!--',
      ),
      fc.constantFrom(
        '{__proto__}',
        '{x.constructor}',
        '{{constructor.name}}',
        '{toString}',
        '{$.data.__proto__.x}',
        '{x.__proto__.__proto__}',
      ),
    );
    const template = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(template, template, fc.anything({ withNullPrototype: true }), (title, body, x) => {
        const mail = renderedOrRefused({ title, body }, { data: { x } });
        if (!mail) return;
        expect(mail.subject).not.toMatch(/[\r\n\0]/);
        const output = mail.subject + mail.html + mail.text;
        expect(output).not.toContain('[native code]');
        expect(output).not.toContain('[object Object]');
      }),
      { numRuns: 500 },
    );
  });

  it('never adds an element through a value', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(
          '{x}',
          '**{x}**',
          '# {x}',
          '`{x}`',
          '[a]({x})',
          '![{x}](b "{x}")',
          '> {x}',
          '<i title={x}>a</i>',
          '```{x}\n{x}\n```',
        ),
        (x, body) => {
          const tags = (value: string) =>
            [...htmlOf(body, { data: { x: value } }).matchAll(/<[^>]*>/g)].map(([tag]) => tag.match(/^<\/?\w+/)?.[0]);
          expect(tags(x)).toEqual(tags('plain'));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    '{',
    '{{',
    '{a',
    '{a.',
    '{a[',
    '{{ ',
    '[',
    '![',
    '[a](',
    '<',
    '<a ',
    '<!--',
    '`',
    '*',
    '_a ',
    '> ',
    '- ',
    '\n- ',
    '&#1;',
    '|',
    '\\{',
    '{x}',
    '[{x}]({x})',
    '<b>',
    'a <b>x</b>',
    'a<br>',
    '<td>a',
    '<li>a',
    '<blockquote>a',
  ])('is not slowed down by many %j', (piece) => {
    expectLinear(20_000, (size) => {
      renderedOrRefused({ title: piece.repeat(size / 10), body: piece.repeat(Math.floor(size / piece.length)) }, { data: { x: 'y' } });
    });
  });
});
