import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assertElemental } from '@tidings/contracts/content/assert-elemental';
import { render, type Rendered } from '../render';
import { type BrandName, BRANDS } from './brands.fixture';
import { type ContentName, CONTENTS, SCOPE } from './contents.fixture';

/** `UPDATE_GOLDEN=1` writes the current renderings; review the difference before committing it. */
const UPDATES = process.env.UPDATE_GOLDEN === '1';
const FOLDER = path.join(__dirname, 'expected');

interface Case {
  readonly content: ContentName;
  readonly brand: BrandName;
  readonly locale: string;
  readonly channel: string;
  readonly provider?: string;
}

const emails = (content: ContentName, brands: readonly BrandName[], locales: readonly string[]): Case[] =>
  brands.flatMap((brand) => locales.map((locale) => ({ content, brand, locale, channel: 'email' })));

const OTHERS: readonly (readonly [channel: string, provider?: string])[] = [
  ['sms'],
  ['push'],
  ['inbox'],
  ['webhook'],
  ['direct_message', 'slack'],
  ['direct_message', 'msteams'],
  ['direct_message', 'discord'],
  ['direct_message', 'whatsapp'],
];
const others = (content: ContentName, locale: string): Case[] =>
  OTHERS.map(([channel, provider]) => ({ content, brand: 'acme', locale, channel, provider }));

const CASES: readonly Case[] = [
  ...emails('order', ['acme', 'styled', 'framed', 'mjml'], ['en_US', 'fr_FR']),
  ...emails('order', ['acme'], ['ar_EG']),
  ...emails('simple', ['none', 'acme'], ['en_US']),
  ...emails('corners', ['none', 'acme'], ['en_US']),
  ...emails('channels', ['acme'], ['en_US']),
  ...others('order', 'fr_FR'),
  ...others('simple', 'en_US'),
  ...others('corners', 'en_US'),
  ...others('channels', 'en_US'),
];

const nameOf = ({ content, brand, locale, channel, provider }: Case) =>
  [content, ...(channel === 'email' ? [brand] : []), locale, provider ?? channel].join('.') + '.golden';

function written(rendered: Rendered | undefined): string {
  if (!rendered) return 'nothing\n';
  const { output, ...rest } = rendered;
  if (output.kind !== 'email') return `${JSON.stringify(rendered, null, 2)}\n`;
  const { html, text, subject } = output.email;
  return `${JSON.stringify({ subject, ...rest }, null, 2)}\n===== text\n${text}===== html\n${html}`;
}

describe('content, brand, language and channel', () => {
  it.each(CASES.map((one) => [nameOf(one), one] as const))('give %s', (name, { content, brand, locale, channel, provider }) => {
    const now = written(
      render({
        content: CONTENTS[content],
        channel,
        provider,
        locale,
        brand: BRANDS[brand],
        scope: SCOPE,
        utm: { source: 'tidings', campaign: 'golden' },
      }),
    );
    const file = path.join(FOLDER, name);
    if (UPDATES) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, now);
    }
    expect(existsSync(file)).toBe(true);
    expect(now).toBe(readFileSync(file, 'utf8'));
  });

  it('all have a case: no golden file is left without one', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(CASES.map(nameOf).sort());
  });

  it('use content that the interface accepts', () => {
    for (const name of ['order', 'corners', 'channels'] as const) expect(() => assertElemental(CONTENTS[name], name)).not.toThrow();
  });

  it('prevent values from running, adding an element or leaving a header', () => {
    for (const one of CASES) {
      const { content, brand, locale, channel, provider } = one;
      const rendered = render({ content: CONTENTS[content], channel, provider, locale, brand: BRANDS[brand], scope: SCOPE });
      if (rendered?.output.kind !== 'email') continue;
      const { html, subject } = rendered.output.email;
      const tags = html.replace(/"[^"]*"/g, '""').match(/<[a-z][^>]*>/gi) ?? [];
      expect(tags.filter((tag) => /\son\w+\s*=/i.test(tag))).toEqual([]);
      expect(html).not.toMatch(/(?:href|src)\s*=\s*["']?\s*javascript:/i);
      expect(subject).not.toMatch(/[\r\n]/);
    }
  });
});
