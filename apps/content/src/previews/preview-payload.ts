import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { Rendered } from '@tidings/rendering/render';

/** What the channel would be sent, in its own form; undefined for an e-mail, which is its content. */
export function payloadOf({ output, raw }: Rendered): Record<string, unknown> | undefined {
  const filledIn = raw && { raw };
  switch (output.kind) {
    case 'email':
      return undefined;
    case 'sms':
      return { ...output.sms, ...filledIn };
    case 'push':
      return { ...output.push, ...filledIn };
    case 'direct_message':
      return { ...output.directMessage, ...filledIn };
    case 'inbox':
      return { ...output.inbox, ...filledIn };
    case 'webhook':
      return { ...output.webhook, ...filledIn };
  }
}

/** What an author should know of content that was written for the channel as it stands: that nobody would see anything of it. */
export function rawWarnings({ output, raw }: Rendered): string[] {
  const showsNothing = output.kind === 'email' ? output.email.html.trim() === '' && !output.email.text.trim() : raw && !saysSomething(raw);
  return showsNothing ? ['raw shows nothing: there is no text in it'] : [];
}

function saysSomething(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.some(saysSomething);
  return isJsonObject(value) && Object.values(value).some(saysSomething);
}
