import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { Content } from '../elemental/compile';

/** The elements of an ordinary mail, in English and French. */
const order: ElementalContent = {
  version: '2022-01-01',
  elements: [
    {
      type: 'meta',
      title: 'Your order {order.id} is on its way',
      preheader: 'It should be with you on {order.day}.',
      locales: { fr_FR: { title: 'Votre commande {order.id} est en route' } },
    },
    {
      type: 'image',
      src: 'https://assets.example/parcel.png',
      alt_text: 'A parcel',
      width: '240px',
      href: 'https://acme.example/orders/{order.id}',
    },
    { type: 'text', text_style: 'h1', content: 'Hello {profile.name},', locales: { fr: { content: 'Bonjour {profile.name},' } } },
    {
      type: 'text',
      content:
        'your order **{order.id}** left our warehouse. You can [follow it](https://acme.example/track?order={order.id}&by={profile.name}) at any time.',
      locales: {
        'fr-FR': { content: 'votre commande **{order.id}** a quitté notre [entrepôt](https://acme.example/track?order={order.id}).' },
      },
    },
    {
      type: 'list',
      list_type: 'unordered',
      elements: [
        {
          type: 'list-item',
          loop: 'data.order.items',
          if: '$.item.count > 0',
          content: '{$.item.count} × **{$.item.name}**, {$.item.price}',
        },
      ],
    },
    {
      type: 'columns',
      elements: [
        {
          type: 'column',
          width: '60%',
          elements: [
            { type: 'text', text_style: 'h3', content: 'Ship to' },
            { type: 'text', content: '{profile.name}\n{order.street}' },
          ],
        },
        {
          type: 'column',
          elements: [
            { type: 'text', text_style: 'h3', content: 'Total' },
            { type: 'text', content: '{order.total}', bold: true, color: '#0f766e', align: 'right' },
          ],
        },
      ],
    },
    { type: 'quote', ref: 'gift', if: 'data.order.gift', content: '{order.gift}', border_color: '#f59e0b' },
    { type: 'text', if: 'refs.gift.visible', text_style: 'subtext', content: 'Your note goes with the parcel.' },
    { type: 'divider', color: '#a1a1aa' },
    {
      type: 'action',
      content: 'Track the parcel',
      href: 'https://acme.example/track?order={order.id}',
      locales: { fr_FR: { content: 'Suivre le colis' } },
    },
    { type: 'action', style: 'secondary', content: 'Help', href: 'mailto:help@acme.example', align: 'center' },
    { type: 'action', style: 'link', content: 'Only by mail', href: 'https://acme.example/mail', channels: ['email'] },
    { type: 'text', text_style: 'subtext', content: '{{> signature}}' },
    { type: 'comment', content: 'for the authors alone' },
  ],
};

const simple: Content = {
  title: 'Reset of {profile.name}’s password',
  body: 'Somebody asked for it. *Was it you?*\n\n1. [Choose a new one]({urls.reset})\n2. Or leave it\n\n> {{default note "No note."}}',
};

/** Rare cases: nested lists, inline parts, Handlebars across Markdown lines, raw HTML, styles, hostile values. */
const corners: ElementalContent = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: '{{hostile}}\r\nBcc: {hostile}' },
    {
      type: 'text',
      content: '{{#each order.items}}\n- {{name}}\n{{/each}}\n\n{{#if order.gift}}\nA gift: `{order.gift}`\n{{else}}\nNo gift.\n{{/if}}',
    },
    { type: 'text', content: '{hostile} and **{hostile}** and [{hostile}]({hostile}) \\{order.id} {nobody}' },
    {
      type: 'text',
      align: 'center',
      elements: [
        { type: 'string', content: 'Read ' },
        { type: 'link', content: 'the terms', href: 'https://acme.example/terms', bold: true },
        { type: 'string', content: ' before ', italic: true },
        { type: 'string', content: 'Monday', color: '#b91c1c', underline: true },
        { type: 'img', src: 'https://assets.example/i.png', alt_text: '!', width: '16px' },
      ],
    },
    {
      type: 'list',
      list_type: 'ordered',
      elements: [
        { type: 'list-item', content: 'one' },
        {
          type: 'list-item',
          background_color: '#fef3c7',
          elements: [
            { type: 'text', content: 'two, with' },
            {
              type: 'list',
              elements: [
                { type: 'list-item', content: 'two *a*' },
                {
                  type: 'list-item',
                  elements: [{ type: 'list', list_type: 'ordered', elements: [{ type: 'list-item', content: 'deep' }] }],
                },
              ],
            },
          ],
        },
      ],
    },
    {
      type: 'html',
      content: '<table style="width:100%"><tr><td title={hostile}>raw {hostile}</td><td><a href="{hostile}">x</a></td></tr></table>',
    },
    {
      type: 'action',
      content: '{hostile}',
      href: '{hostile}',
      style: 'tertiary',
      align: 'full',
      border_radius: '0',
      padding: '8px 16px',
      background_color: 'url(x)',
    },
    {
      type: 'action',
      content: 'Open',
      href: 'acme://orders/{order.id}',
      background_color: '#facc15',
      border_size: '2px',
      font_size: '18px',
    },
    { type: 'image', src: '{hostile}', alt_text: '{hostile}', align: 'full' },
    {
      type: 'image',
      src: 'https://assets.example/wide.png',
      alt_text: 'Wide',
      border_color: '#18181b',
      border_size: '1px',
      padding: '8px',
    },
    { type: 'group', loop: '{{order.items}}', elements: [{ type: 'text', content: '{$.index}: {$.item.name}', text_style: 'h2' }] },
    { type: 'jsonnet', template: '{}' },
  ],
};

/** Content with an element per channel. */
const channels: ElementalContent = {
  version: '2022-01-01',
  elements: [
    {
      type: 'channel',
      channel: 'email',
      raw: {
        subject: 'Raw for {profile.name}',
        html: '<mjml><mj-body>{{#each order.items}}<mj-section><mj-column><mj-text>{{name}} <a href="https://acme.example/?i={{price}}">see</a></mj-text></mj-column></mj-section>{{/each}}</mj-body></mjml>',
        transformers: ['handlebars', 'mjml'],
      },
    },
    {
      type: 'channel',
      channel: 'slack',
      raw: { slackBlocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Hello *{profile.name}*' } }] },
    },
    {
      type: 'channel',
      channel: 'push',
      elements: [
        { type: 'meta', title: 'Sent' },
        { type: 'text', content: 'Order {order.id}' },
      ],
    },
    { type: 'channel', channel: 'default', elements: [{ type: 'text', content: 'For all others: {order.id}' }] },
  ],
};

export const CONTENTS = { order, simple, corners, channels } as const;
export type ContentName = keyof typeof CONTENTS;

/** The scope of all golden renderings. */
export const SCOPE = {
  data: {
    order: {
      id: 'A-1007',
      day: 'Tuesday',
      street: '12 Elm Street',
      total: '€ 47.50',
      gift: 'Happy *birthday*, Ann!',
      items: [
        { name: 'Shoes', count: 1, price: '€ 40.00' },
        { name: 'Socks', count: 3, price: '€ 2.50' },
        { name: 'Laces', count: 0, price: '€ 1.00' },
      ],
    },
    hostile: '<b onmouseover="alert(1)">*x*</b> [a](javascript:alert(1)) {{order}} javascript:alert(2)',
  },
  profile: { name: 'Jane Doe' },
  tenant: { name: 'Acme Shops', address: '1 Main Street' },
  builtIns: {
    urls: {
      reset: 'https://acme.example/reset?token=abc&user=jane',
      preferences: 'https://acme.example/preferences',
      unsubscribe: 'https://acme.example/unsubscribe?m=1',
    },
  },
} as const;
