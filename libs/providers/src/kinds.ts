import { httpKind } from './http/http-kind';
import type { ProviderKind } from './provider-kind';
import { smtpKind } from './smtp/smtp-kind';

/** All kinds of providers, in the order of the catalog. */
export const PROVIDER_KINDS: readonly ProviderKind[] = [smtpKind, httpKind];

const BY_KEY = new Map(PROVIDER_KINDS.map((kind) => [kind.key, kind]));

/** The kind of a key, or undefined. */
export function kindOf(key: string): ProviderKind | undefined {
  return BY_KEY.get(key);
}
