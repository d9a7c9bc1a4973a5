import type { BrandForRendering } from '../email/brand';

const SOCIAL = {
  facebook: { url: 'https://facebook.com/acme' },
  instagram: { url: 'https://instagram.com/acme' },
  linkedin: { url: 'javascript:alert(1)' },
};

const acme: BrandForRendering = {
  id: 'acme',
  name: 'Acme',
  settings: {
    colors: { primary: '#0f766e', secondary: '#ccfbf1', tertiary: '#f0fdfa' },
    email: {
      header: { logo: { image: 'https://assets.example/acme/logo.png', href: 'https://acme.example' }, barColor: '#0f766e' },
      footer: {
        markdown: '**Acme Ltd**, 1 Main Street, Springfield\n[Preferences]({urls.preferences}) · [Unsubscribe]({urls.unsubscribe})',
        social: SOCIAL,
      },
    },
  },
  snippets: [{ name: 'signature', value: 'The {{brand.name}} team, {{tenant.name}}' }],
};

const { header, footer } = (acme.settings as { email: Record<string, Record<string, unknown>> }).email;

/** Inherits header and footer from the default brand, with its own CSS rules for blocks. */
const styled: BrandForRendering = {
  id: 'styled',
  name: 'Styled',
  settings: {
    colors: { primary: '#fde047' },
    email: {
      head: {
        inheritDefault: false,
        content:
          '<style>.c--text-h1 { color: #b45309; letter-spacing: 1px } .c--block p { margin: 0 0 12px } .c--button { border-radius: 999px }</style>',
      },
      header: { ...header, inheritDefault: true },
      footer: { ...footer, inheritDefault: true },
    },
  },
  snippets: acme.snippets,
};

const framed: BrandForRendering = {
  id: 'framed',
  name: 'Framed',
  settings: {
    colors: { primary: '#7c3aed' },
    email: {
      templateOverride: {
        enabled: true,
        width: '580',
        backgroundColor: '#ede9fe',
        blocksBackgroundColor: '#ffffff',
        footerBackgroundColor: '#7c3aed',
        footerFullWidth: true,
        head: '<style>.c--text-text { font-family: Georgia, serif }</style>',
        header:
          '<div style="padding:24px;background-color:#7c3aed;color:#ffffff;font:bold 20px Arial">{{tenant.name}} for {{profile.name}}</div>',
        footer: '<p style="margin:16px 32px;color:#ffffff">{{#if tenant.address}}{{tenant.address}}{{else}}no address{{/if}} · <a href="{urls.unsubscribe}" style="color:#ffffff">Unsubscribe</a></p>', // prettier-ignore
      },
    },
  },
  snippets: acme.snippets,
};

const mjml: BrandForRendering = {
  id: 'mjml',
  name: 'Mjml',
  settings: {
    colors: { primary: '#be123c' },
    email: {
      templateOverride: {
        enabled: true,
        width: '600',
        backgroundColor: '#fff1f2',
        mjml: {
          enabled: true,
          head: '<mj-attributes><mj-all font-family="Arial" /></mj-attributes>',
          header:
            '<mj-section background-color="#be123c"><mj-column><mj-text color="#ffffff" font-size="22px">{{tenant.name}}</mj-text></mj-column></mj-section>',
          footer:
            '{{#if tenant.address}}<mj-section><mj-column><mj-text align="center" font-size="12px">{{tenant.address}} <a href="{urls.unsubscribe}">Unsubscribe</a></mj-text></mj-column></mj-section>{{/if}}',
        },
      },
    },
  },
  snippets: acme.snippets,
};

export const BRANDS = { none: null, acme, styled, framed, mjml } as const;
export type BrandName = keyof typeof BRANDS;
