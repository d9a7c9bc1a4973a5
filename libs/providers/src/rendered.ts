import type { RenderedEmail } from './email';

/** A block of a message's content. */
type RenderedBlock =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'action'; readonly text: string; readonly url: string };

/**
 * The complete output of a channel's renderer. This library declares the shape itself, so that providers do not depend on
 * rendering.
 */
export type Rendered =
  | { readonly kind: 'email'; readonly email: RenderedEmail }
  | { readonly kind: 'sms'; readonly sms: { readonly text: string } }
  | {
      readonly kind: 'push';
      readonly push: { readonly title: string; readonly body: string; readonly data: Readonly<Record<string, unknown>> };
    }
  | {
      readonly kind: 'direct_message';
      readonly directMessage: {
        readonly text: string;
        /** Slack's blocks. */
        readonly blocks?: readonly Readonly<Record<string, unknown>>[];
        /** Teams' Adaptive Card. */
        readonly card?: Readonly<Record<string, unknown>>;
        /** Discord's messages. */
        readonly posts?: readonly string[];
      };
    }
  | {
      readonly kind: 'inbox';
      readonly inbox: {
        readonly title: string;
        readonly preview: string;
        readonly body: string;
        readonly actions: readonly { readonly content: string; readonly href: string; readonly style: string }[];
        readonly data: Readonly<Record<string, unknown>>;
      };
    }
  | {
      readonly kind: 'webhook';
      readonly webhook: { readonly title: string; readonly body: string; readonly blocks: readonly RenderedBlock[] };
    };

/** The channels with a renderer. */
export type RenderedChannel = Rendered['kind'];
