import fc from 'fast-check';
import { canonicalLocale, DEFAULT_LOCALE, isLocale, LOCALE_CHAIN_MAX, localeChain } from './locale';

it.each([
  ['en_US', 'en_US'],
  ['en-us', 'en_US'],
  ['EN_us.UTF-8', 'en_US'],
  ['fr', 'fr'],
  ['zh-hans-cn', 'zh_Hans_CN'],
  ['es-419', 'es_419'],
  ['ca_ES@VALENCIA', 'ca_ES@valencia'],
  ['ca_ES.UTF-8@valencia', 'ca_ES@valencia'],
  ['sl-rozaj', 'sl_rozaj'],
  ['', ''],
])('spells %j as %j', (locale, spelling) => {
  expect(canonicalLocale(locale)).toBe(spelling);
});

it('accepts names of languages, refuses other texts', () => {
  for (const locale of ['fr', 'fr_CA', 'zh-Hans-CN', 'es-419', 'en_US.UTF-8', 'ca_ES@valencia', 'ca_ES.UTF-8@valencia']) {
    expect([locale, isLocale(locale)]).toEqual([locale, true]);
  }
  for (const text of ['', '-', 'f', 'en US', 'a/b', 'en_', '419', 'en__US', 'languages', 'en@', `en${'_us'.repeat(30)}`, 'fr\n']) {
    expect([text, isLocale(text)]).toEqual([text, false]);
  }
});

it.each<[string | null | undefined, string[]]>([
  ['fr_CA', ['fr_CA', 'fr', 'en_US', 'en']],
  ['fr', ['fr', 'en_US', 'en']],
  ['en-GB', ['en_GB', 'en', 'en_US']],
  ['en_US', ['en_US', 'en']],
  ['zh-Hans-CN', ['zh_Hans_CN', 'zh_Hans', 'zh', 'en_US', 'en']],
  ['ca_ES@valencia', ['ca_ES@valencia', 'ca_ES', 'ca', 'en_US', 'en']],
  ['', ['en_US', 'en']],
  [undefined, ['en_US', 'en']],
  [null, ['en_US', 'en']],
  ['7', ['en_US', 'en']],
  ['../../x', ['en_US', 'en']],
  ['x'.repeat(1_000_000), ['en_US', 'en']],
])('falls back for translations into %.30s to %j', (locale, chain) => {
  expect(localeChain(locale, DEFAULT_LOCALE)).toEqual(chain);
});

it.each([
  ['zh-Hans-CN', ['zh_Hans_CN', 'zh_Hans', 'zh']],
  ['ca_ES.UTF-8', ['ca_ES', 'ca']],
  ['FR', ['fr']],
  ['7', []],
  [undefined, []],
])('falls back without a default locale for %s to %j', (locale, chain) => {
  expect(localeChain(locale)).toEqual(chain);
});

it('has one spelling and a bounded chain for any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 80 }), fc.stringMatching(/^[a-zA-Z]{2}([-_@.][a-zA-Z0-9]{1,8}){0,5}$/)), (text) => {
      expect(canonicalLocale(canonicalLocale(text))).toBe(canonicalLocale(text));
      const chain = localeChain(text, DEFAULT_LOCALE);
      expect(chain.length).toBeLessThanOrEqual(LOCALE_CHAIN_MAX);
      expect(new Set(chain).size).toBe(chain.length);
    }),
  );
});
