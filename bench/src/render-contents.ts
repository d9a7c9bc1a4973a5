import type { RenderInput } from '@tidings/rendering/render';

/** Lines of the order in the medium e-mail. */
const LINES = 6;

/** An e-mail of a shop: a brand with logo, footer and colours, some twenty elements, a loop, conditions, two languages. */
export function mediumEmail(value: (path: string) => string): RenderInput {
  return {
    channel: 'email',
    locale: 'fr_FR',
    contentKey: 'bench/medium/1',
    brand: {
      id: 'bench',
      key: 'bench/brand/1',
      name: 'Acme',
      settings: {
        colors: { primary: '#0f766e' },
        email: {
          header: { logo: { image: 'https://assets.example/logo.png', href: 'https://acme.example' }, barColor: '#0f766e' },
          footer: {
            markdown: '**Acme Ltd**, 1 Main Street, Springfield\n[Preferences]({urls.preferences}) · [Unsubscribe]({urls.unsubscribe})',
            social: { facebook: { url: 'https://facebook.com/acme' }, instagram: { url: 'https://instagram.com/acme' } },
          },
        },
      },
    },
    content: MEDIUM,
    scope: {
      data: {
        order: {
          id: value('order.id'),
          street: value('order.street'),
          total: value('order.total'),
          gift: value('order.gift'),
          items: Array.from({ length: LINES }, (_, i) => ({
            name: value(`order.items.[${i}].name`),
            price: value(`order.items.[${i}].price`),
            count: value(`order.items.[${i}].count`),
          })),
        },
      },
      profile: { name: value('profile.name') },
      builtIns: { urls: { preferences: 'https://acme.example/preferences', unsubscribe: 'https://acme.example/unsubscribe?m=1' } },
    },
  };
}

const MEDIUM: RenderInput['content'] = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: 'Order {order.id}', locales: { fr: { title: 'Commande {order.id}' } } },
    { type: 'image', src: 'https://assets.example/parcel.png', alt_text: 'A parcel', width: '240px' },
    { type: 'text', text_style: 'h1', content: 'Hello {profile.name},', locales: { fr: { content: 'Bonjour {profile.name},' } } },
    {
      type: 'text',
      content:
        'your order **{order.id}** left our warehouse today. It takes two days as a rule; you can [follow it](https://acme.example/track?order={order.id}) at any time.\n\n' +
        'If something is not as it should be, *write to us*: we answer on the same day, and {{profile.name}} gets a new parcel.',
    },
    { type: 'text', text_style: 'h2', content: 'What is in it' },
    {
      type: 'list',
      elements: [
        { type: 'list-item', loop: 'data.order.items', if: '$.item.count', content: '{$.item.count} × **{$.item.name}**, {$.item.price}' },
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
            { type: 'text', content: '{order.total}', bold: true },
          ],
        },
      ],
    },
    { type: 'quote', ref: 'gift', if: 'data.order.gift', content: '{order.gift}' },
    { type: 'text', if: 'refs.gift.visible', text_style: 'subtext', content: 'Your note goes with the parcel.' },
    { type: 'divider' },
    { type: 'action', content: 'Track the parcel', href: 'https://acme.example/track?order={order.id}' },
    { type: 'action', style: 'secondary', content: 'Help', href: 'https://acme.example/help' },
    { type: 'text', text_style: 'subtext', content: 'You get this mail because you ordered something from us as {profile.name}.' },
  ],
};

/** The content of a simple send: a title and a few lines. */
export const SIMPLE: RenderInput['content'] = {
  title: 'Order {order.id}',
  body: 'Hello {profile.name},\n\nyour order **{order.id}** left our warehouse. [Follow it](https://acme.example/track?order={order.id}).',
};
