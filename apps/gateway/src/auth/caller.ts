import type { CallContext } from '@tidings/contracts/core/context';
import type { AccessLimits } from '@tidings/contracts/identity/keys';
import type { SessionPerson } from '@tidings/contracts/identity/sessions';

/** The caller, with the properties of the credential that only the gateway needs. */
export interface Caller extends CallContext {
  /** The API key, or the one that issued the token; without a key the session. */
  readonly keyId: string;
  /** Who signed in to the console by OpenID Connect, without a key. */
  readonly person?: SessionPerson;
  /** The credential is an issued token, not an API key: it sees only its users. */
  readonly isToken: boolean;
  /** Of the key and of its workspace; one object for as long as the key is cached. */
  readonly limits?: AccessLimits;
  /** Paths of unknown fields in the body, for the gateway's own operations that report them (`knownFields`). */
  readonly unknownFields?: readonly string[];
}
