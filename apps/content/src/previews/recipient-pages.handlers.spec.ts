import { brands } from '@tidings/contracts/content/brands';
import { type LoadPageAppearance, recipientPages } from '@tidings/contracts/content/recipient-pages';
import { translations } from '@tidings/contracts/content/translations';
import type { CallContext } from '@tidings/contracts/core/context';
import type { TestService } from '@tidings/testing/service';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
beforeAll(async () => {
  content = await sharedContent();
});

const appearance = (context: CallContext, request: Partial<LoadPageAppearance> = {}) =>
  call(recipientPages.appearance, context, { texts: ['Save', 'News'], unsubscribe_url: '../u/t', preferences_url: '../p/t', ...request });

const settings = {
  colors: { primary: '#0f766e' },
  email: {
    header: { logo: { image: 'https://acme.example/logo.png', href: 'https://acme.example' } },
    footer: {
      markdown: '**Acme** [stop]({urls.unsubscribe}) <script>alert(1)</script><b onclick="x()">{brand.name}</b>',
      social: { medium: { url: 'https://medium.example/acme' }, twitter: { url: 'javascript:alert(1)' } },
    },
  },
};

describe('the appearance of a page', () => {
  it('has the parts of the brand, its HTML sanitised, and the links of the recipient in the footer', async () => {
    const context = newWorkspace();
    await call(brands.create, context, { id: 'acme', name: 'Acme', settings });

    const { brand } = await appearance(context, { brand_id: 'acme' });

    expect(brand).toMatchObject({
      name: 'Acme',
      primary: '#0f766e',
      logo: { image: 'https://acme.example/logo.png', href: 'https://acme.example' },
      social: [{ name: 'Medium', url: 'https://medium.example/acme' }],
    });
    expect(brand!.footer).toContain('<strong>Acme</strong> <a href="../u/t" rel="noopener noreferrer">stop</a>');
    expect(brand!.footer).toContain('<b>Acme</b>');
    expect(brand!.footer).not.toMatch(/script|alert|onclick/);
  });

  it('is that of the default brand, none for a brand that does not exist, and none on request', async () => {
    const context = newWorkspace();
    expect((await appearance(context)).brand).toMatchObject({ name: '', footer: '', social: [] });
    expect((await appearance(context, { brand_id: 'missing' })).brand).toBeNull();
    expect((await appearance(context, { without_brand: true })).brand).toBeNull();
  });

  it('has the texts by each language of the fallback chain', async () => {
    const context = newWorkspace();
    for (const [locale, save] of [
      ['fr_CA', 'Sauver'],
      ['en_US', 'Keep'],
    ] as const)
      await call(translations.replace, context, { domain: 'default', locale, translation: `msgid "Save"\nmsgstr "${save}"\n` });

    expect((await appearance(context, { locale: 'fr-ca' })).translations).toEqual([
      { locale: 'fr_CA', texts: ['Sauver', null] },
      { locale: 'en_US', texts: ['Keep', null] },
    ]);
    expect((await appearance(context, { locale: 'de', without_brand: true })).translations).toMatchObject([{ locale: 'en_US' }]);
  });
});

describeWorkspaceIsolation('the appearance of a page', {
  arrange: async (owner) => {
    await call(brands.create, owner, { id: 'acme', name: 'Acme', settings });
  },
  read: (owner) => appearance(owner, { brand_id: 'acme' }),
  attempts: { appearance: { attempt: (stranger) => appearance(stranger, { brand_id: 'acme' }) } },
});
