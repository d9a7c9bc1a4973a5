import { type ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { isDeepStrictEqual } from 'node:util';
import { KeyRing, seal } from './secret-box';

/** A sealed value: id of its key, and the encrypted box in base64. */
const SEALED = /^tidings-sealed:([0-9a-f]{16}):([A-Za-z0-9+/]+=*)$/;

/** What was found in the values of one row that were sealed again. */
export interface ResealFindings {
  isChanged: boolean;
  /** Whether a value was not sealed before. */
  wasInClear: boolean;
  /** Whether no key opens one of the values. */
  isUnreadable: boolean;
}

/** Whether the value is a sealed one. */
export function isSealed(value: unknown): value is string {
  return typeof value === 'string' && SEALED.test(value);
}

/**
 * Seals single JSON values as texts, `tidings-sealed:<key id>:<box>`, each bound to a name, so that it is no other secret's. Without keys
 * values stay as they are.
 */
export class SealedValues {
  private readonly ring: KeyRing;

  /** @param keys 32 bytes each: the first seals, all open. */
  constructor(keys: readonly Buffer[] = []) {
    this.ring = new KeyRing(keys);
  }

  /** Whether there is a key to seal with. */
  get seals(): boolean {
    return this.ring.first !== undefined;
  }

  /** Id of the sealing key; undefined without keys. */
  get keyId(): string | undefined {
    return this.ring.first?.id;
  }

  /**
   * The sealed text; without keys the value. Where `stored` is the same value sealed with the first key, it is `stored`: every sealing makes
   * another text, and an audit event would name the field as changed.
   */
  seal(value: unknown, name: string, stored?: unknown): unknown {
    const { first } = this.ring;
    if (!first) return value;
    if (isSealed(stored) && this.isCurrent(stored) && isDeepStrictEqual(this.open(stored, name)?.value, value)) return stored;
    return `tidings-sealed:${first.id}:${seal(Buffer.from(JSON.stringify(value)), name, first.key).toString('base64')}`;
  }

  /** The value that was sealed under this name, an unsealed one unchanged; `undefined` where the key is missing or does not fit. */
  open(value: unknown, name: string): { readonly value: unknown } | undefined {
    const [, keyId, box] = (typeof value === 'string' && SEALED.exec(value)) || [];
    if (keyId === undefined || box === undefined) return { value };
    const text = this.ring.open(Buffer.from(box, 'base64'), name, keyId);
    return text && { value: JSON.parse(text.toString()) as unknown };
  }

  /** The answer to a read of a sealed value that `open` does not open. @param what names it: its path, and whose it is. */
  unreadable(what: string, value: unknown): ServiceError {
    const [, keyId = ''] = SEALED.exec(String(value)) ?? [];
    return unavailable(
      this.ring.has(keyId)
        ? `${what} cannot be read: the key ${keyId} of TIDINGS_SECRET_KEY, which sealed it, does not open it here. Write it again`
        : `${what} cannot be read: it was sealed with the key ${keyId}, which TIDINGS_SECRET_KEY does not hold. Add that key`,
    );
  }

  /** The value sealed with the first key, noted in `found`. One whose key is missing stays as it is. */
  reseal(value: unknown, name: string, found: ResealFindings): unknown {
    if (this.isCurrent(value)) return value;
    const opened = this.open(value, name);
    if (opened) found.isChanged = true;
    else found.isUnreadable = true;
    found.wasInClear ||= !isSealed(value);
    return opened ? this.seal(opened.value, name) : value;
  }

  /** Whether the value is sealed with the first key; true without keys. */
  private isCurrent(value: unknown): boolean {
    const { first } = this.ring;
    return !first || (isSealed(value) && value.startsWith(`tidings-sealed:${first.id}:`));
  }
}
