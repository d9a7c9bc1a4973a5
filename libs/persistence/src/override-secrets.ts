import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid } from '@tidings/contracts/core/refusals';
import { assertStorable } from '@tidings/contracts/core/text';
import { SECRET_VALUES_MAX } from '@tidings/contracts/content/routing';
import type { BulkMessage } from '@tidings/contracts/messaging/bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { changeSecrets, changeSecretsOf, changeSecretsOfBulk, type ChangeSecret } from '@tidings/contracts/messaging/override-secrets';
import { KeyRing, seal } from './secret-box';

/** A sealed value: the id of its key, and the box. */
const SEALED = /^tidings-sealed:([0-9a-f]{16}):([A-Za-z0-9+/]+=*)$/;

/** Of one request, whose channels and providers are bounded each. */
const VALUES_MAX = 2 * SECRET_VALUES_MAX;

/**
 * What overrides hold that may be secret is sealed before it is written anywhere, each value in its place, so that overrides can be
 * merged as they are. A value is bound to its workspace and to its name within the override; it is opened for the call of a provider
 * alone. Without keys it stays as it is.
 */
export class OverrideSecrets {
  private readonly ring: KeyRing;

  constructor(keys: readonly Buffer[] = []) {
    this.ring = new KeyRing(keys);
  }

  /**
   * A send as its client wrote it, sealed.
   * @throws ServiceError `invalid_request` where it holds what only we can have sealed: whoever reads a dump could otherwise have it
   * opened and sent to themselves.
   */
  accept(request: MessageRequested): MessageRequested {
    return changeSecretsOf(request, this.sealingForeign(request.workspaceId));
  }

  /** As `accept`, of the message of a bulk job. */
  acceptBulk(workspaceId: string, message: BulkMessage): BulkMessage {
    return changeSecretsOfBulk(message, this.sealingForeign(workspaceId));
  }

  /** A request of our own, with that sealed which is not: whoever accepted it had no key, or an earlier version. */
  seal(request: MessageRequested): MessageRequested {
    return this.ring.first ? changeSecretsOf(request, this.sealingRest(request.workspaceId)) : request;
  }

  /** As `seal`, of the message of a bulk job. */
  sealBulk(workspaceId: string, message: BulkMessage): BulkMessage {
    return this.ring.first ? changeSecretsOfBulk(message, this.sealingRest(workspaceId)) : message;
  }

  /** What a template says of its overrides, all of it sealed: nothing of it was before, whatever it looks like. */
  sealTemplate<Said extends Pick<MessageRequested, 'channels' | 'providers'>>(workspaceId: string, template: Said): Said {
    return this.ring.first ? changeSecretsOf(template, this.sealing(workspaceId)) : template;
  }

  /**
   * The override for the call of its provider. What was never sealed is as it was.
   * @throws ServiceError `invalid_request` naming what cannot be opened: its key is not there any more.
   */
  open(workspaceId: string, override: Readonly<JsonObject>): JsonObject {
    return changeSecrets(override, (value, place) => {
      const [, keyId, box] = (typeof value === 'string' && SEALED.exec(value)) || [];
      if (keyId === undefined || box === undefined) return value;
      const text = this.ring.open(Buffer.from(box, 'base64'), nameOf(workspaceId, place), keyId);
      if (!text) throw invalid(`override.${place} was sealed with a key that TIDINGS_SECRET_KEY does not hold`);
      return JSON.parse(text.toString()) as unknown;
    });
  }

  private sealing(workspaceId: string): ChangeSecret {
    const { first } = this.ring;
    if (!first) return (value) => value;
    return (value, place) => {
      const box = seal(Buffer.from(JSON.stringify(value)), nameOf(workspaceId, place), first.key);
      return `tidings-sealed:${first.id}:${box.toString('base64')}`;
    };
  }

  private sealingRest(workspaceId: string): ChangeSecret {
    const sealed = this.sealing(workspaceId);
    return (value, place) => (isSealed(value) ? value : sealed(value, place));
  }

  private sealingForeign(workspaceId: string): ChangeSecret {
    const sealed = this.sealing(workspaceId);
    let values = 0;
    return (value, place) => {
      values += 1;
      if (values > VALUES_MAX) throw invalid(`override.${place} is more than the ${VALUES_MAX} values that overrides may hold in all`);
      // Once it is sealed nobody sees any more what cannot be kept.
      assertStorable(value, `override.${place}`);
      if (isSealed(value)) throw invalid(`override.${place} must be given as it is, not as it was stored`);
      return sealed(value, place);
    };
  }
}

function isSealed(value: unknown): boolean {
  return typeof value === 'string' && SEALED.test(value);
}

/** What a value is bound to, so that it cannot be put in another's place. */
function nameOf(workspaceId: string, place: string): string {
  return `override ${workspaceId} ${place}`;
}
