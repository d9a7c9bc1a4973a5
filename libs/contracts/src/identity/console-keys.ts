import { defineOperations } from '../core/operation';
import { CreatedKey, KeyPage, MakeKey, NamedKey, PageKeys, RotatedKey, RotateKey } from './keys';

/** The API keys of the caller's workspace, for its own keys: what operators do at `/admin`, within what the caller may do. */
export const consoleKeys = defineOperations(
  'gateway.console-keys',
  'api-keys',
  {
    /** The newest first, revoked ones included, without the keys themselves. */
    list: {
      route: 'GET /console/api/keys',
      summary: 'List the API keys of the workspace',
      request: PageKeys,
      response: KeyPage,
    },
    /**
     * The new key may do no more than the caller: its scopes, recipients and expiry are those of the caller by default, and wider ones are
     * refused with 403; a test key makes test keys. The answer has the key, which is not shown again: under an `Idempotency-Key` a repetition
     * is answered 409.
     * @example { "mode": "production", "name": "Shop backend", "scopes": ["write:send", "read:messages"] }
     */
    create: {
      audit: 'own',
      route: 'POST /console/api/keys',
      status: 201,
      summary: 'Create an API key',
      request: MakeKey,
      response: CreatedKey,
      secretAnswer: true,
      mayConflict: true,
    },
    /**
     * The new key has the name, mode, scopes, recipients and expiry of the old one, which stays valid for the overlap. A key that may do more
     * than the caller is refused with 403. The answer has the new key, which is not shown again.
     * @example { "overlap": "24 hours" }
     */
    rotate: {
      audit: 'own',
      route: 'POST /console/api/keys/:key_id/rotate',
      status: 201,
      summary: 'Replace an API key',
      request: RotateKey,
      response: RotatedKey,
      secretAnswer: true,
      mayConflict: true,
    },
    /** Any key of the workspace ends, everywhere within a second, with its sessions and the tokens it issued. Idempotent. */
    revoke: {
      audit: 'own',
      route: 'DELETE /console/api/keys/:key_id',
      summary: 'Revoke an API key',
      request: NamedKey,
    },
  },
  { generation: 'own' },
);
