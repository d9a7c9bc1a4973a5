import type { CallContext } from '@tidings/contracts/core/context';

/** Who calls, with what only the gateway needs to know of the credential. */
export interface Caller extends CallContext {
  /** The API key, or the one that issued the token. */
  readonly keyId: string;
  /** An issued token, not an API key: it sees the users it names. */
  readonly isToken: boolean;
  /** Paths in the body that have no meaning, of the gateway's own operations that tell of them (`knownFields`). */
  readonly unknownFields?: readonly string[];
}
