import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid } from '@tidings/contracts/core/refusals';
import { assertStorable } from '@tidings/contracts/core/text';
import { SECRET_VALUES_MAX } from '@tidings/contracts/content/routing';
import type { BulkMessage } from '@tidings/contracts/messaging/bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { changeSecrets, changeSecretsOf, changeSecretsOfBulk, type ChangeSecret } from '@tidings/contracts/messaging/override-secrets';
import { KeyRing, seal } from './secret-box';

/** A sealed value: id of its key, and the encrypted box in base64. */
const SEALED = /^tidings-sealed:([0-9a-f]{16}):([A-Za-z0-9+/]+=*)$/;

/** Limit per request; channels and providers have limits of their own. */
const VALUES_MAX = 2 * SECRET_VALUES_MAX;

/**
 * Seals values of overrides that may be secret before they are written anywhere; each value separately, so that overrides can be
 * merged while sealed. A value is bound to its workspace and to its path in the override, and is opened only for the call of a
 * provider. Without keys values stay unsealed.
 */
export class OverrideSecrets {
  private readonly ring: KeyRing;

  constructor(keys: readonly Buffer[] = []) {
    this.ring = new KeyRing(keys);
  }

  /**
   * Seals a client's send.
   * @throws ServiceError `invalid_request` for a value that is sealed already: a reader of a dump could otherwise have it opened
   * and sent to themselves.
   */
  accept(request: MessageRequested) {
    return changeSecretsOf(request, this.sealingForeign(request.workspaceId));
  }

  /** Like `accept`, for the message of a bulk job. */
  acceptBulk(workspaceId: string, message: BulkMessage) {
    return changeSecretsOfBulk(message, this.sealingForeign(workspaceId));
  }

  /** Seals the unsealed values of a stored request: a process without keys, or of an earlier version, may have accepted it. */
  seal(request: MessageRequested) {
    return this.ring.first ? changeSecretsOf(request, this.sealingRest(request.workspaceId)) : request;
  }

  /** Like `seal`, for the message of a bulk job. */
  sealBulk(workspaceId: string, message: BulkMessage) {
    return this.ring.first ? changeSecretsOfBulk(message, this.sealingRest(workspaceId)) : message;
  }

  /** Seals all values of a template's overrides, also those that look sealed: templates are stored unsealed. */
  sealTemplate<Settings extends Pick<MessageRequested, 'channels' | 'providers'>>(workspaceId: string, template: Settings): Settings {
    return this.ring.first ? changeSecretsOf(template, this.sealing(workspaceId)) : template;
  }

  /**
   * Opens an override for the call of its provider; unsealed values stay unchanged.
   * @throws ServiceError `invalid_request` naming the value whose key is missing.
   */
  open(workspaceId: string, override: Readonly<JsonObject>) {
    return changeSecrets(override, (value, path) => {
      const [, keyId, box] = (typeof value === 'string' && SEALED.exec(value)) || [];
      if (keyId === undefined || box === undefined) return value;
      const text = this.ring.open(Buffer.from(box, 'base64'), nameOf(workspaceId, path), keyId);
      if (!text) throw invalid(`override.${path} was sealed with a key that TIDINGS_SECRET_KEY does not hold`);
      return JSON.parse(text.toString()) as unknown;
    });
  }

  private sealing(workspaceId: string): ChangeSecret {
    const { first } = this.ring;
    if (!first) return (value) => value;
    return (value, path) => {
      const box = seal(Buffer.from(JSON.stringify(value)), nameOf(workspaceId, path), first.key);
      return `tidings-sealed:${first.id}:${box.toString('base64')}`;
    };
  }

  private sealingRest(workspaceId: string): ChangeSecret {
    const sealed = this.sealing(workspaceId);
    return (value, path) => (isSealed(value) ? value : sealed(value, path));
  }

  private sealingForeign(workspaceId: string): ChangeSecret {
    const sealed = this.sealing(workspaceId);
    let values = 0;
    return (value, path) => {
      values += 1;
      if (values > VALUES_MAX) throw invalid(`override.${path} is more than the ${VALUES_MAX} values that overrides may hold in all`);
      // Checked here, because later checks cannot see into sealed values.
      assertStorable(value, `override.${path}`);
      if (isSealed(value)) throw invalid(`override.${path} must be given as it is, not as it was stored`);
      return sealed(value, path);
    };
  }
}

function isSealed(value: unknown) {
  return typeof value === 'string' && SEALED.test(value);
}

/** Name a sealed value is bound to, so that it cannot be used for another path or workspace. */
function nameOf(workspaceId: string, path: string) {
  return `override ${workspaceId} ${path}`;
}
