import type { ChangeSecret } from '@tidings/contracts/core/secret-values';
import { invalid } from '@tidings/contracts/core/refusals';
import { changeCredentials } from '@tidings/contracts/identity/profile-credentials';
import { isSealed, type ResealFindings, SealedValues } from './sealed-values';

/** Most credentials of one profile: sealing each costs some microseconds. */
const CREDENTIALS_MAX = 1_000;

/** How credentials that a client gave are checked. */
interface GivenOptions {
  /** Name of the profile in errors. Default `profile`. */
  path?: string;
  /** The profile as it was opened: what could not be opened may come back. */
  stored?: object;
  /** How many credentials may follow, shared by the profiles of a request. Default: those of one profile. */
  budget?: { left: number };
}

/** Where a reader sees a profile, and whose it is. */
interface ShownProfile {
  path: string;
  of: string;
}

/** A profile whose credentials were sealed again. */
export interface Resealed<Profile> extends ResealFindings {
  profile: Profile;
}

/**
 * Seals the credentials in profiles before they are written anywhere, each separately, so that profiles are merged while sealed. A
 * credential is bound to its workspace and its path in the profile. Without keys nothing is sealed. A profile without credentials is
 * returned as it is.
 */
export class ProfileSecrets {
  private readonly values: SealedValues;

  /** @param keys 32 bytes each: the first seals, all open. */
  constructor(keys: readonly Buffer[] = []) {
    this.values = new SealedValues(keys);
  }

  /**
   * Checks the credentials that a client gave.
   * @throws ServiceError `invalid_request` for one that is sealed already, since a reader of a dump could otherwise have it opened, and
   * for more than the budget allows.
   */
  assertGiven(profile: object, { path = 'profile', stored = {}, budget = { left: CREDENTIALS_MAX } }: GivenOptions = {}): void {
    const unopened = new Set<unknown>();
    changeCredentials(stored, (value) => (isSealed(value) ? void unopened.add(value) : undefined));
    changeCredentials(profile, (value, at) => {
      if (budget.left === 0) throw invalid(`${path}.${at} is one credential too many`);
      budget.left -= 1;
      if (isSealed(value) && !unopened.has(value)) throw invalid(`${path}.${at} must be given as it is, not as it was stored`);
      return undefined;
    });
  }

  /** Seals the credentials that are not sealed. @param stored the profile that it replaces, sealed: credentials that stay keep their text. */
  seal<Profile extends object>(workspaceId: string, profile: Profile, stored: object = {}): Profile {
    if (!this.values.seals) return profile;
    const texts = new Map<string, unknown>();
    changeCredentials(stored, (value, at) => void texts.set(at, value));
    return changeCredentials(profile, (value, at) =>
      isSealed(value) ? value : this.values.seal(value, nameOf(workspaceId, at), texts.get(at)),
    );
  }

  /** Opens the credentials for a change of the profile; those whose key is missing stay sealed. */
  open<Profile extends object>(workspaceId: string, profile: Profile): Profile {
    return this.opened(workspaceId, profile, (value) => value);
  }

  /**
   * Opens the credentials for a reader of the profile.
   * @param shown where the reader sees the profile, and whose it is: `user_profile`, `tenant acme`.
   * @throws ServiceError `unavailable` naming the one that cannot be opened, and its key.
   */
  openForReader<Profile extends object>(workspaceId: string, profile: Profile, shown: ShownProfile): Profile {
    return this.opened(workspaceId, profile, (value, at) => {
      throw this.values.unreadable(`${shown.path}.${at} of ${shown.of}`, value);
    });
  }

  /** Opens the credentials for a check of their form; those whose key is missing are left out: the call reports them. */
  openForCheck<Profile extends object>(workspaceId: string, profile: Profile): Profile {
    return this.opened(workspaceId, profile, () => undefined);
  }

  /** Opens the credentials for the call of a provider. @throws ServiceError `invalid_request` naming the one whose key is missing. */
  openForCall<Profile extends object>(workspaceId: string, profile: Profile): Profile {
    return this.opened(workspaceId, profile, (_value, at) => {
      throw invalid(`profile.${at} was sealed with a key that TIDINGS_SECRET_KEY does not hold`);
    });
  }

  /** Whether there is a key to seal with; its id then. */
  get keyId(): string | undefined {
    return this.values.keyId;
  }

  /** Seals every credential with the first key. Those whose key is missing stay as they are. */
  reseal<Profile extends object>(workspaceId: string, profile: Profile): Resealed<Profile> {
    const found = { isChanged: false, wasInClear: false, isUnreadable: false };
    const resealed = changeCredentials(profile, (value, at) => this.values.reseal(value, nameOf(workspaceId, at), found));
    return { ...found, profile: resealed };
  }

  private opened<Profile extends object>(workspaceId: string, profile: Profile, missing: ChangeSecret): Profile {
    return changeCredentials(profile, (value, at) => {
      const opened = this.values.open(value, nameOf(workspaceId, at));
      return opened ? opened.value : missing(value, at);
    });
  }
}

/** Name a credential is bound to. */
function nameOf(workspaceId: string, path: string) {
  return `profile ${workspaceId} ${path}`;
}
