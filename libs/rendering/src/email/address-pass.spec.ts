import fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { expectLinear } from '@tidings/testing/cpu-time';
import { render } from '../render';
import { secureAddresses } from './address-pass';

const JS = 'javascript:alert(1)';
const ADDRESSES = new Set(['href', 'src', 'srcset', 'poster', 'background', 'action', 'formaction', 'xlink:href', 'cite']);
const FORBIDDEN = /(?:java|vb)script:|data:text/i;
const UNSAFE = /^(?:javascript|vbscript|data):/i;
const UNSAFE_CSS = /(?:(?:u|\\75)rl\(|@import)\s*["']?\s*javascript:/i;

function bodyOf(elements: ElementalNode[], data: object): string {
  const rendered = render({ content: { elements }, channel: 'email', scope: { data } });
  if (rendered?.output.kind !== 'email') throw new Error('no e-mail');
  return rendered.output.email.html;
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own, not that of its children. */
  readonly text: string;
}

/** Every element as browsers parse it, with or without scripts. */
function elementsOf(html: string, scriptingEnabled = true): Element[] {
  const found: Element[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('attrs' in node) {
      const attributes = node.attrs.map(({ prefix, name, value }) => [prefix ? `${prefix}:${name}` : name, value]);
      const text = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
      found.push({ name: node.tagName, attributes: Object.fromEntries(attributes) as Record<string, string>, text });
    }
    if ('childNodes' in node) node.childNodes.forEach(visit);
    if ('content' in node) visit(node.content);
  };
  visit(parse(html, { scriptingEnabled }));
  return found;
}

/** The unsafe addresses that browsers find, also if they begin at a later tag: what is before it may be a comment or text. */
function unsafeIn(html: string): string[] {
  const starts = [0, ...[...html.matchAll(/<(?=\/?[a-z])/gi)].map(({ index }) => index)];
  const elements = starts.flatMap((start) => [true, false].flatMap((scripting) => elementsOf(html.slice(start), scripting)));
  // Browsers skip spaces and control characters, but between two pictures.
  const read = (name: string, address: string): string => (name === 'srcset' ? address.trim() : address.replace(/[\p{Cc} ]/gu, ''));
  const isUnsafe = ([name, value]: [string, string]): boolean =>
    name === 'style' ? UNSAFE_CSS.test(value) : ADDRESSES.has(name) && UNSAFE.test(read(name, value));
  return elements.flatMap(({ name, attributes, text }) => {
    const values = Object.entries(attributes).concat(name === 'style' ? [[name, text]] : []);
    return values.filter(isUnsafe).map((pair) => pair.join('='));
  });
}

const shapeOf = (html: string) => elementsOf(html).map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' '));

describe('addresses in an e-mail', () => {
  const breakers = [
    '<img src=x onerror=alert(1) ',
    'a" href=x onclick=alert(1) b="',
    "' src=x onerror=alert(1) '",
    'set src=bar href=baz',
    '--><img src=x onerror=alert(1)>',
  ];
  it.each<[string, ElementalNode]>([
    ['the description of a picture', { type: 'image', src: 'https://a.example/i.png', alt_text: '{n}' }],
    ['the title of a link in Markdown', { type: 'text', content: '[x](https://a.example "{n}") ![{n}](https://a.example/i.png "{n}")' }],
    ['text', { type: 'text', content: 'It says {n}' }],
    ['an attribute of raw HTML', { type: 'html', content: '<a title="{n}" href="https://a.example">x</a><b title=\'{n}\'>{n}</b>' }],
    ['an attribute without quotes', { type: 'html', content: '<a title={n} href=https://a.example/{n}>x</a>' }],
    ['an address', { type: 'action', content: '{n}', href: 'https://a.example/?q={n}' }],
  ])('escapes every value in %s', (_, element) => {
    const harmless = shapeOf(bodyOf([element], { n: 'x' }));
    for (const n of breakers) expect(shapeOf(bodyOf([element], { n }))).toEqual(harmless);
  });

  it('leaves text unchanged', () => {
    expect(bodyOf([{ type: 'text', content: 'set src=bar' }], {})).toContain('>set src=bar<');
    expect(secureAddresses('<p>a < b href="javascript:x"</p><b title=\' href="javascript:x"\'>')).toBe(
      '<p>a < b href="javascript:x"</p><b title=\' href="javascript:x"\'>',
    );
  });

  it.each([
    '<a title="x"href="{js}">x</a>',
    '<a/href="{js}">x</a>',
    '<a title=\' href="\' href="{js}">x</a>',
    '<a\nhref="{js}">x</a>',
    '<a href={js}>x</a>',
    "<A HREF = '{js}'>x</A>",
    '<svg><a xlink:href="{js}">x</a></svg>',
    '<svg><a><set attributeName="href" to="{js}"/>x</a></svg>',
    '<img srcset="https://a.example/a.png 1x, {js} 2x">',
    '<img srcset="{js}">',
    '<video poster="{js}"></video>',
    '<object data="{js}"></object>',
    '<form action="{js}"><button formaction="{js}">x</button></form>',
    '<table background="{js}"><tr><td background="{js}">x</td></tr></table>',
    '<meta http-equiv="refresh" content="0;url={js}">',
    '<meta content="0; {js}" http-equiv=refresh>',
    '<p style="background:url({js})">x</p>',
    '<p style="background:url(&quot;{js}&quot;)">x</p>',
    '<p style=\'background:URL( "{js}" )\'>x</p>',
    '<p style="background:u\\72l({js})">x</p>',
    '<p style="background:url&lpar;{js}&rpar;">x</p>',
    '<p style="background:url(\\6a avascript:alert(1))">x</p>',
    '<style>@import "javascript:alert(1)"; p { background: url(javascript:alert(1)) }</style>',
    "<p style=\"content:'@import '; background:url('{js}')\">x</p>",
    '<a href="java&#115;cript&colon;alert(1)">x</a>',
    '<a href="&#0000000000106avascript:alert(1)">x</a>',
    '<a href="java&Tab;script:alert(1)">x</a>',
    '<!--[if mso]><a href="{js}">x</a><![endif]-->',
    '<![CDATA[><a href="{js}">x</a>]]>',
    '<!-- --!><a href="{js}">x</a>',
    '<!--><a title="-->" href="{js}">x</a>',
    '<!---><a title="-->" href="{js}">x</a>',
    '<![CDATA[><a title="]]>" href="{js}">x</a>',
    '</p class="><b title=\'"><a href="{js}">x</a>\'>',
    '<style/><a href="{js}">x</a>',
    '<title/><a href="{js}">x</a>',
    '<textarea/><a href="{js}">x</a>',
    '<svg><title><a href="{js}">x</a></title></svg>',
    '<math><annotation-xml encoding="text/html"><textarea><b title="</textarea><a href=\'{js}\'>x</a>">',
    ...['noframes', 'iframe', 'noembed', 'noscript', 'xmp'].map((name) => `<${name}><b title="</${name}><a href='{js}'>x</a>">`),
    '<p style="http://a;background:url({js})">x</p>',
    '<svg><a><animate attributeName="href" values="http://a;{js}"/>x</a></svg>',
    '<svg><rect fill="url({js})"/></svg>',
    '<img srcset="\u00a0 /b,{js}">',
    '<p style="background:u\\72\r\nl({js})">x</p>',
    '<p style=\'background:url("\\6a\r\navascript:alert(1)")\'>x</p>',
    '<p style=\'background:u\\72l("java\\a script:alert(1)")\'>x</p>',
    '<p style="background:u\\72l(java\\9 script:alert(1))">x</p>',
    '<meta http-equiv="refresh" content="+0;url={js}">',
    '<style>@import/***/"javascript:alert(1)";</style>',
    '<style>@import/* * */"data:text/css,x";</style>',
    // A no-break space is part of the name, so the first tag ends at the first `>`.
    '<b\u00a0t="x><a c=\'">x<p class="\' href={js} x">',
  ])('become # when they are unsafe: %s', (content) => {
    const html = bodyOf([{ type: 'html', content }], { js: JS });
    expect(html).toContain('#');
    const elements = [...elementsOf(html), ...elementsOf(html, false)];
    const seen = elements.flatMap(({ attributes }) => Object.values(attributes)).join('\n');
    expect(seen.replace(/[\t\n\r]/g, '')).not.toMatch(FORBIDDEN);
    expect(html).not.toMatch(/(?:href|url\(|import)[ ="'(]*j/i);
  });

  it.each([
    '<svg><title><a title="</title>" href="javascript:x">x</a></title></svg>',
    '<svg><textarea><a title="</textarea>" href="javascript:x">x</a></textarea></svg>',
    '<svg><style><a title="</style>" href="javascript:x">x</a></style></svg>',
    '<svg><style><a href="javascript:x">x</a></style></svg>',
    '<noscript><a title="</noscript>" href="javascript:x">x</a></noscript>',
    '<script><!--<script></script><b title="</script><a href=\'javascript:x\'>x</a>"></script>',
    '<svg><![CDATA[<b title="]]><a href=\'javascript:x\'>x</a>">',
    '<select><xmp><a title="</xmp>" href="javascript:x">x</a></xmp></select>',
    '<svg><style>p { background: url&lpar;javascript:x) }</style></svg>',
    '<svg><style>p { background: url(java<!-- x -->script:x) }</style></svg>',
    '<svg><style><![CDATA[p { background: url(java]]>script:x) }</style></svg>',
    '<svg><style><!--</style>-->*{background:url(javascript:x)}</style></svg>',
    '<svg><style><![CDATA[</style>]]>*{background:url(javascript:x)}</style></svg>',
    '<svg><style>*{background:u<?>rl(javascript:x)}</style></svg>',
    '<svg><style><![CDATA[<!--]]>*{background:u&#114;l(javascript:x)}/*-->*/</style></svg>',
    '<p style=\\75rl(javascript:x) title=\'><a href="javascript:x">x</a>\'>',
  ])('are none where programs disagree on what is text: %s', (html) => {
    expect(unsafeIn(html)).not.toEqual([]);
    expect(unsafeIn(secureAddresses(html))).toEqual([]);
  });

  it('do not hide the end of a comment or text, or a tag', () => {
    expect(secureAddresses('<!-- a <b c="--><style>p{}</style><p title="a <b">x</p><title>a <b</title><p title="">')).toBe(
      '<!-- a &lt;b c="--><style>p{}</style><p title="a &lt;b">x</p><title>a &lt;b</title><p title="">',
    );
  });

  it('begin after each comma of a picture list, also within parentheses', () => {
    // `),data:…` is an address without scheme.
    expect(secureAddresses('<img srcset="a (,),data:text/html,x">')).toBe('<img srcset="a  ,),data:text/html,x">');
  });

  it('keep inline pictures with markup in CSS, and wrapped ones', () => {
    expect(
      secureAddresses(`<style>p { background: url("data:image/svg+xml,<svg/>") }</style><img src="data:image/jpg;base64,AA\nAA">`),
    ).toBe('<style>p { background: url("data:image/svg+xml,\\3c svg/>") }</style><img src="data:image/jpg;base64,AA%0AAA">');
  });

  it.each([
    '<td background="https://a.example/a.png" style="background:url(https://a.example/a.png) #fff">x</td>',
    '<img srcset="https://a.example/w_1,h_2/a.png 1x, /b:c.png 2x, data:image/png;base64,AAAA 3x" src="cid:a">',
    '<style>@font-face { src: url(data:font/woff2;base64,AA) } @import url("https://a.example/a.css"); p::before { content: "\\201C javascript:" }</style>',
    '<meta name="description" content="5; javascript: the good parts">',
    '<v:roundrect href="https://a.example" style="behavior:url(#default#VML)"></v:roundrect>',
    '<a href=\'https://a.example/?a=1&b=2\' data-href="x:y">x</a>',
    '<a href=mailto:a@b.example>x</a>',
  ])('stay unchanged when they are safe: %s', (html) => {
    expect(secureAddresses(html)).toBe(html);
  });

  it('get their parameters and are otherwise unchanged in any spelling', () => {
    expect(secureAddresses('<a href="https://a.example/caf&eacute;?a=1&copy=2">x</a>', { source: 's' })).toBe(
      '<a href="https://a.example/caf%C3%A9?a=1&amp;copy=2&amp;utm_source=s">x</a>',
    );
  });

  it('get their parameters without added quotes', () => {
    expect(secureAddresses("<a href=https://a.example/?a=1 title='x'>x</a><link href='https://a.example'>", { source: "it's" })).toBe(
      "<a href=https:&#47;&#47;a.example&#47;?a&#61;1&amp;utm_source&#61;it&#39;s title='x'>x</a><link href='https://a.example'>",
    );
  });
});

/** Beginnings and ends of what some programs read as text, and others do not. */
const TEXTS = ['title', 'style', 'script', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'];
const OTHERS = ['svg', 'math', 'mi', 'annotation-xml encoding="text/html"', 'foreignObject', 'desc', 'select', 'template', 'table', 'p'];
const OPENINGS = [
  ...TEXTS.flatMap((name) => [`<${name}>`, `<${name}/>`, `<${name.toUpperCase()} a='b/>`]),
  ...OTHERS.map((name) => `<${name}>`),
  ...['<!--', '<![CDATA[', '<!x', '<?', '</ ', '<', '<plaintext>', '<frameset>'],
  ...['@import "', 'url(', 'java', 'script:x', '\\75rl(', '\\72\r\n', '\\a ', '/*', '*/"', '&lpar;', '\0', '\r\n', '\ud83d'],
];
const CLOSINGS = [
  ...[...TEXTS, ...OTHERS].map((name) => `</${name}>`),
  ...['-->', '--!>', '->', '>', ']]>', '/>', '"', "'", '">', "'>", '=', ' ', '</style ', '</title/'],
];
const TAGS = [
  ...['<a href=', '<a href="', "<A HREF = '", '<a/href=', '<b a href="', '</p href="', '<b title="', "<b title='", '</p title="'],
  ...['<p style=', '<p style="', '<a\0 href="', '<a\r\nhref="'],
].flatMap((start) => [start, `${start}javascript:x`, `${start}java&Tab;script:x`, `${start}\\75rl(javascript:x)`]);

describe('any HTML', () => {
  const value = fc.constantFrom(
    JS, ' JaVaScRiPt:alert(1)', 'java\tscript:x', 'vbscript:x', 'data:text/html,x', 'https://a.example/?a=1&b=2', '/b', '',
    '"><img src=x onerror=alert(1)>', "' onclick='x", '<img src=x onerror=alert(1) ', ' href=x ', '0;url=javascript:x', '-->', '`', 'a=b',
  ); // prettier-ignore
  const attribute = fc.constantFrom('href', 'src', 'srcset', 'alt', 'title', 'style', 'poster', 'background', 'action', 'formaction', 'xlink:href', 'cite'); // prettier-ignore
  const quoted = fc.constantFrom('"', "'", '');
  const attributes = fc.array(fc.tuple(fc.constantFrom(' ', '/', '\n', ' /'), attribute, fc.constantFrom('=', ' = '), quoted, value), {
    maxLength: 4,
  });
  const tag = fc.tuple(fc.constantFrom('a', 'A', 'img', 'p', 'div', 'object', 'video', 'form', 'area', 'b'), attributes);
  const piece = fc.oneof(
    { weight: 4, arbitrary: tag },
    { weight: 1, arbitrary: fc.constantFrom('text ', 'a < b ', '</p>', '</a>', '<!-- x -->', '<!--[if mso]><b><![endif]-->', '<style>p{}</style>', ' href="javascript:x" ') }, // prettier-ignore
  );
  type Piece = typeof piece extends fc.Arbitrary<infer Type> ? Type : never;
  const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  const escaped = (text: string, quote: string) =>
    text.replace(quote ? /[&<>"']/g : /[&<>"'\s`=/]/g, (character) => ESCAPES[character] ?? `&#${character.charCodeAt(0)};`);
  /** Filled-in source: values escaped for their context. */
  const written = (pieces: readonly Piece[]) =>
    pieces
      .map((part) => {
        if (typeof part === 'string') return part;
        const [name, all] = part;
        return `<${name}${all.map(([space, key, equals, quote, text]) => `${space}${key}${equals}${quote}${escaped(text, quote) || (quote ? '' : 'x')}${quote}`).join('')} >`;
      })
      .join('');

  it('has unchanged elements and attributes, and no unsafe address', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, isTracked) => {
        const html = written(pieces);
        const secured = secureAddresses(html, isTracked ? { source: 's' } : undefined);
        expect(shapeOf(secured)).toEqual(shapeOf(html));
        expect(unsafeIn(secured)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('has no unsafe address, whatever a program takes for text', () => {
    const part = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...OPENINGS, ...CLOSINGS) },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...TAGS), fc.constantFrom(...CLOSINGS)).map((two) => two.join('')) },
      { weight: 1, arbitrary: fc.array(piece, { maxLength: 1 }).map(written) },
      { weight: 1, arbitrary: value },
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), fc.boolean(), (parts, isTracked) => {
        const utm = isTracked ? { source: 's' } : undefined;
        const secured = secureAddresses(parts.join(''), utm);
        expect(unsafeIn(secured)).toEqual([]);
        expect(secureAddresses(secured, utm)).toBe(secured);
      }),
      { numRuns: 500 },
    );
  });

  it('is edited alike in upper case, which is never skipped as harmless', () => {
    const parts = fc.array(
      fc.tuple(
        fc.constantFrom('<a', '<td', '<img', '<v:fill', '<meta', '<style', '<!--[if mso]><a', 'x<a', '<title>x</title><b'),
        fc.array(fc.tuple(fc.oneof(attribute, fc.constant('http-equiv'), fc.constant('content')), value), { maxLength: 3 }),
        fc.constantFrom('>', '/>', '></td>', '>p { background: url(javascript:x) }</style>', '><![endif]-->', '><!-->', '>-->'),
      ),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(parts, (tags) => {
        const html = tags
          .map(([open, all, close]) => `${open}${all.map(([name, text]) => ` ${name}="${escaped(text, '"')}"`).join('')}${close}`)
          .join('');
        const inUpperCase = html.replace(/<[a-z]+/g, (start) => start.toUpperCase());
        const [one, other] = [html, inUpperCase].map((source) => secureAddresses(source, { source: 's' }).toLowerCase());
        expect(one).toBe(other);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    '<a ',
    '<!--',
    '<a href="',
    'url(',
    '<p style="url(',
    '<![CDATA[',
    '<img srcset=" , ,',
    '&#0',
    '<!--[if mso]>',
    '<b title="',
    ',',
    '<a<a',
    '<a/x=',
    '<a x=\'"',
    '<a b="c" ',
    '<a b="c"d="e"><a f="',
    '<svg><title><a x="" x="</title>',
    '<!--<a x="" x="-->',
    '<!--<style>-->',
    '<style/>',
    '<style><!--',
    '<STYLE>url(javascript:x)</STYLE >',
    '<title><style><a ',
    '<script><!--<script>',
    '</style ',
    '<?<!',
  ])('is edited in linear time when repeated: %j', (part) => {
    expectLinear(50_000, (size) => secureAddresses(part.repeat(size)));
    expectLinear(50_000, (size) => {
      const many = part.repeat(size);
      secureAddresses(`<img srcset="${many.replaceAll('"', '')}" style='${many.replaceAll("'", '')}'>`);
    });
  });
});
