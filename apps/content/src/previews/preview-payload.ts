import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { Rendered } from '@tidings/rendering/render';

/** The channel's payload as a provider would get it; undefined for an e-mail, whose content is complete. */
export function payloadOf({ output, raw }: Rendered): Record<string, unknown> | undefined {
  if (output.kind === 'email') return undefined;
  const { kind: _, ...content } = output;
  const [payload] = Object.values<object>(content);
  return { ...payload, raw };
}

/** Warnings about `raw` content: that it has no visible text. */
export function rawWarnings({ output, raw }: Rendered) {
  const showsNothing = output.kind === 'email' ? output.email.html.trim() === '' && !output.email.text.trim() : raw && !hasVisibleText(raw);
  return showsNothing ? ['raw shows nothing: there is no text in it'] : [];
}

function hasVisibleText(value: unknown) {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.some(hasVisibleText);
  return isJsonObject(value) && Object.values(value).some(hasVisibleText);
}
