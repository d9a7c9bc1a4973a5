import type { AddressGuard } from './http/guard/address-guard';
import type { Provider } from './provider';
import type { Recipient } from './recipient';
import type { Rendered, RenderedChannel } from './rendered';

/** One setting of a kind, as the catalog shows it and as it is checked. */
export interface SettingField {
  readonly type: 'string' | 'number' | 'boolean' | 'enum';
  readonly required: boolean;
  /** Values of an `enum`. */
  readonly values?: readonly string[];
  /** Sealed in the database, never returned, never logged. */
  readonly secret?: boolean;
  /** Determines the host that receives the secrets: a change requires them again. */
  readonly destination?: boolean;
  /** Minimum and maximum length of a text. Default 1 and `SETTING_LENGTH_MAX`. */
  readonly lengthMin?: number;
  readonly lengthMax?: number;
  /** Minimum and maximum of a number; whole numbers only. */
  readonly min?: number;
  readonly max?: number;
}

/** Dependencies of every opened provider. */
export interface ProviderSurroundings {
  /** Restricts the hosts that providers connect to. */
  readonly guard: AddressGuard;
}

/** A provider opened with the settings of one configuration. */
export type OpenProvider = Pick<Provider<Rendered, Recipient>, 'send' | 'close'>;

/** A kind of provider, configurable any number of times: one folder, and a line in `kinds.ts`. */
export interface ProviderKind<Settings = unknown> {
  /** Its name in configurations and routings. */
  readonly key: string;
  readonly channels: readonly RenderedChannel[];
  readonly title: string;
  readonly description: string;
  /** All settings, in snake_case. */
  readonly fields: Readonly<Record<string, SettingField>>;
  /** Validates settings, secrets included. @throws ServiceError `invalid_request` naming the setting, never quoting a secret. */
  parseSettings(value: unknown): Settings;
  /** The one channel that a configuration with these settings serves. */
  channelOf(settings: Settings): RenderedChannel;
  /** The host that it connects to, and the setting that names it. */
  hostOf(settings: Settings): { readonly setting: string; readonly host: string };
  open(settings: Settings, surroundings: ProviderSurroundings): OpenProvider;
}
