import { httpKind } from './http/http-kind';
import type { ProviderKind } from './provider-kind';
import { smtpKind } from './smtp/smtp-kind';

/** All kinds of providers, in the order of the catalog. */
export const PROVIDER_KINDS: readonly ProviderKind[] = [smtpKind, httpKind];

/** The kind of a key, or undefined. */
export function kindOf(key: string): ProviderKind | undefined {
  return PROVIDER_KINDS.find((kind) => kind.key === key);
}
