import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid } from '@tidings/contracts/core/refusals';
import { assertStorable } from '@tidings/contracts/core/text';
import type { ChangeSecret, ChangeSettingsSecret } from '@tidings/contracts/core/secret-values';
import { SECRET_VALUES_MAX } from '@tidings/contracts/content/routing';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { type FieldNames, namesBelow } from '@tidings/contracts/messaging/accept-message';
import type { BulkMessage } from '@tidings/contracts/messaging/bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { changeSecrets, changeSecretsOf, changeSecretsOfBulk, type DeliverySettings } from '@tidings/contracts/messaging/override-secrets';
import type { Target } from '@tidings/contracts/messaging/targets';
import { ProfileSecrets } from './profile-secrets';
import { isSealed, type ResealFindings, SealedValues } from './sealed-values';

/** Limit per request; channels and providers have limits of their own. */
const VALUES_MAX = 2 * SECRET_VALUES_MAX;
/** Credentials in all profiles of a request. */
const CREDENTIALS_MAX = 40_000;

/** Settings whose overrides were sealed again. */
interface ResealedSettings<Settings> extends ResealFindings {
  settings: Settings;
}

/**
 * Seals values of overrides that may be secret, and the credentials in profiles of sends, before they are written anywhere; each value
 * separately, so that overrides can be merged while sealed. A value is bound to its workspace and to its path in the override, and is
 * opened only for the call of a provider. Without keys values stay unsealed.
 */
export class OverrideSecrets {
  private readonly values: SealedValues;
  private readonly profiles: ProfileSecrets;

  constructor(keys: readonly Buffer[] = []) {
    this.values = new SealedValues(keys);
    this.profiles = new ProfileSecrets(keys);
  }

  /**
   * Seals a client's send.
   * @param names of its fields in errors.
   * @throws ServiceError `invalid_request` for a value that is sealed already: a reader of a dump could otherwise have it opened
   * and sent to themselves.
   */
  accept(request: MessageRequested, names: FieldNames = namesBelow('message')) {
    const { workspaceId } = request;
    const budget = { left: CREDENTIALS_MAX };
    const inProfile: ChangeProfile = (profile) => {
      this.profiles.assertGiven(profile, { budget });
      return this.profiles.seal(workspaceId, profile);
    };
    return changeProfilesOf(changeSecretsOf(request, this.sealingForeign(workspaceId), names), inProfile);
  }

  /** Like `accept`, for the message of a bulk job. */
  acceptBulk(workspaceId: string, message: BulkMessage) {
    return changeSecretsOfBulk(message, this.sealingForeign(workspaceId));
  }

  /** Seals the unsealed values of a stored request: a process without keys, or of an earlier version, may have accepted it. */
  seal(request: MessageRequested) {
    if (!this.values.seals) return request;
    const { workspaceId } = request;
    const sealed = changeSecretsOf(request, this.sealingRest(workspaceId));
    return changeProfilesOf(sealed, (profile) => this.profiles.seal(workspaceId, profile));
  }

  /** Like `seal`, for the message of a bulk job. */
  sealBulk(workspaceId: string, message: BulkMessage) {
    return this.values.seals ? changeSecretsOfBulk(message, this.sealingRest(workspaceId)) : message;
  }

  /** Like `seal`, for a template that content loaded: content may have no key, or have stored it before there was one. */
  sealTemplate<Settings extends DeliverySettings>(workspaceId: string, template: Settings): Settings {
    return this.values.seals ? changeSecretsOf(template, this.sealingRest(workspaceId)) : template;
  }

  /**
   * Seals the settings that a client stores for later sends.
   * @param prefix of their paths in errors: `template.`.
   * @param stored the settings that they replace, as stored: values that stay keep their sealed text.
   * @throws ServiceError `invalid_request` for a value that is sealed already, as `accept`.
   */
  acceptSettings<Settings extends DeliverySettings>(
    workspaceId: string,
    settings: Settings,
    { prefix = '', stored }: { prefix?: string; stored?: DeliverySettings | null } = {},
  ): Settings {
    const texts = new Map<string, unknown>();
    changeSecretsOf(stored ?? {}, (value, _path, at) => void texts.set(at, value));
    return changeSecretsOf(settings, (value, path, at) => {
      this.assertGiven(value, `${prefix}${at}`);
      return this.values.seal(value, nameOf(workspaceId, path), texts.get(at));
    });
  }

  /**
   * Opens stored settings for their reader.
   * @param of whose they are, for the error: `routing strategy rs_1`.
   * @throws ServiceError `unavailable` naming the value that cannot be opened, and its key.
   */
  openSettingsForReader<Settings extends DeliverySettings>(workspaceId: string, settings: Settings, of: string): Settings {
    return changeSecretsOf(settings, (value, path, at) => {
      const opened = this.values.open(value, nameOf(workspaceId, path));
      if (!opened) throw this.values.unreadable(`${at} of ${of}`, value);
      return opened.value;
    });
  }

  /** Opens stored settings for a caller that opens them itself; values whose key is missing stay sealed. */
  openSettings<Settings extends DeliverySettings>(workspaceId: string, settings: Settings): Settings {
    return changeSecretsOf(settings, (value, path) => {
      const opened = this.values.open(value, nameOf(workspaceId, path));
      return opened ? opened.value : value;
    });
  }

  /** Seals every value of stored settings with the first key. Those whose key is missing stay as they are. */
  resealSettings<Settings extends DeliverySettings>(workspaceId: string, settings: Settings): ResealedSettings<Settings> {
    const found = { isChanged: false, wasInClear: false, isUnreadable: false };
    const resealed = changeSecretsOf(settings, (value, path) => this.values.reseal(value, nameOf(workspaceId, path), found));
    return { ...found, settings: resealed };
  }

  /** Id of the sealing key; undefined without keys. */
  get keyId(): string | undefined {
    return this.values.keyId;
  }

  /**
   * Opens an override for the call of its provider; unsealed values stay unchanged.
   * @throws ServiceError `invalid_request` naming the value whose key is missing.
   */
  open(workspaceId: string, override: Readonly<JsonObject>) {
    return changeSecrets(override, (value, path) => {
      const opened = this.values.open(value, nameOf(workspaceId, path));
      if (!opened) throw invalid(`override.${path} was sealed with a key that TIDINGS_SECRET_KEY does not hold`);
      return opened.value;
    });
  }

  private sealing(workspaceId: string): ChangeSecret {
    return (value, path) => this.values.seal(value, nameOf(workspaceId, path));
  }

  private sealingRest(workspaceId: string): ChangeSecret {
    const sealed = this.sealing(workspaceId);
    return (value, path) => (isSealed(value) ? value : sealed(value, path));
  }

  private sealingForeign(workspaceId: string): ChangeSettingsSecret {
    const sealed = this.sealing(workspaceId);
    let values = 0;
    return (value, path, at) => {
      values += 1;
      if (values > VALUES_MAX) throw invalid(`${at} is more than the ${VALUES_MAX} values that overrides may hold in all`);
      // Checked here, because later checks cannot see into sealed values.
      assertStorable(value, at);
      this.assertGiven(value, at);
      return sealed(value, path);
    };
  }

  private assertGiven(value: unknown, path: string) {
    if (isSealed(value)) throw invalid(`${path} must be given as it is, not as it was stored`);
  }
}

type ChangeProfile = (profile: ProfileFields) => ProfileFields;

/** The request with `change` applied to the profiles of its recipients; the same object where none of them changes. */
function changeProfilesOf(request: MessageRequested, change: ChangeProfile): MessageRequested {
  const { profile, targets } = request;
  const changed = change(profile);
  if (!targets) return changed === profile ? request : { ...request, profile: changed };
  const inTarget = (target: Target) => (target.kind === 'user' ? { ...target, profile: change(target.profile) } : target);
  return { ...request, profile: changed, targets: targets.map(inTarget) };
}

/** Name a sealed value is bound to, so that it cannot be used for another path or workspace. */
function nameOf(workspaceId: string, path: string) {
  return `override ${workspaceId} ${path}`;
}
