import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { Rendered } from '@tidings/rendering/render';

/** The channel's payload as a provider would get it; undefined for an e-mail, whose content is complete. */
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

/** Warnings about `raw` content: that it has no visible text. */
export function rawWarnings({ output, raw }: Rendered): string[] {
  const showsNothing = output.kind === 'email' ? output.email.html.trim() === '' && !output.email.text.trim() : raw && !hasVisibleText(raw);
  return showsNothing ? ['raw shows nothing: there is no text in it'] : [];
}

function hasVisibleText(value: unknown) {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.some(hasVisibleText);
  return isJsonObject(value) && Object.values(value).some(hasVisibleText);
}
