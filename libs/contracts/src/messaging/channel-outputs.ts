import type { JsonObject } from '../core/deep-merge';

/** A block of a message's output. */
export type OutputBlock =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'action'; readonly text: string; readonly url: string };

/** A rendered e-mail. */
export interface EmailOutput {
  /** Never holds a line end. */
  readonly subject: string;
  /** A whole HTML document. */
  readonly html: string;
  readonly text: string;
}

interface SmsOutput {
  readonly text: string;
}

/** A rendered push message. */
export interface PushOutput {
  readonly title: string;
  readonly body: string;
  /** The message's data, and `clickAction` where the content has an action. */
  readonly data: Readonly<JsonObject>;
}

/** A rendered message for Slack, Teams or Discord, each with its own field. */
export interface DirectMessageOutput {
  /** Text for notifications and for clients without blocks. */
  readonly text: string;
  /** Slack's blocks. */
  readonly blocks?: readonly Readonly<JsonObject>[];
  /** Teams' Adaptive Card. */
  readonly card?: Readonly<JsonObject>;
  /** Discord's messages, to be posted one after another. */
  readonly posts?: readonly string[];
}

interface InboxOutput {
  readonly title: string;
  /** One line. */
  readonly preview: string;
  readonly body: string;
  readonly actions: readonly { readonly content: string; readonly href: string; readonly style: string }[];
  readonly data: Readonly<JsonObject>;
}

interface WebhookOutput {
  readonly title: string;
  readonly body: string;
  readonly blocks: readonly OutputBlock[];
}

/** Rendered content in the form of its channel; an e-mail may have more parts than those of its content. */
export type Output<Email = EmailOutput> =
  | { readonly kind: 'email'; readonly email: Email }
  | { readonly kind: 'sms'; readonly sms: SmsOutput }
  | { readonly kind: 'push'; readonly push: PushOutput }
  | { readonly kind: 'direct_message'; readonly directMessage: DirectMessageOutput }
  | { readonly kind: 'inbox'; readonly inbox: InboxOutput }
  | { readonly kind: 'webhook'; readonly webhook: WebhookOutput };
