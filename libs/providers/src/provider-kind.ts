import type { AddressGuard } from './http/guard/address-guard';
import type { Attempt, Outcome } from './provider';
import type { Addressee, Recipient } from './recipient';
import type { Rendered, RenderedChannel } from './rendered';

/** One setting of a kind, as the catalog shows it and as it is checked. */
export interface SettingField {
  readonly type: 'string' | 'number' | 'boolean' | 'enum';
  readonly required: boolean;
  /** Of an `enum`. */
  readonly values?: readonly string[];
  /** Sealed in the database, never given back, never logged. */
  readonly secret?: boolean;
  /** Says where the secrets are sent: when it changes, they have to be given again. */
  readonly destination?: boolean;
  /** Least and most characters of a text. Default 1 and `SETTING_LENGTH_MAX`. */
  readonly lengthMin?: number;
  readonly lengthMax?: number;
  /** Least and greatest number; whole numbers only. */
  readonly min?: number;
  readonly max?: number;
}

/** What a process gives to every provider that it opens. */
export interface ProviderSurroundings {
  /** Where providers may connect to. */
  readonly guard: AddressGuard;
}

/** A provider that was opened with one configuration's settings. */
export interface OpenProvider {
  /** Never rejects for anything the network or the receiver can do: every such end is an `Outcome`. Ends in bounded time. */
  send(rendered: Rendered, recipient: Recipient, attempt: Attempt): Promise<Outcome>;
  /** Takes no further calls, waits for those that are open, and leaves no connection behind. */
  close(): Promise<void>;
}

/** A way of delivering, to be configured any number of times: one folder, and a line in `kinds.ts`. */
export interface ProviderKind<Settings = unknown> {
  /** As configurations and routings name it. */
  readonly key: string;
  readonly channels: readonly RenderedChannel[];
  readonly title: string;
  readonly description: string;
  /** Every setting there is, in snake_case. */
  readonly fields: Readonly<Record<string, SettingField>>;
  /** Checks settings, secrets among them. Throws `invalid_request` naming the setting; its messages never quote a secret. */
  parseSettings(value: unknown): Settings;
  /** The one channel that a configuration with these settings serves. */
  channelOf(settings: Settings): RenderedChannel;
  /** The host that it connects to, and which setting says so. */
  hostOf(settings: Settings): { readonly setting: string; readonly host: string };
  /** What of an addressee it needs on the channel; undefined where they cannot be reached. */
  needs(channel: string, addressee: Addressee): Recipient | undefined;
  open(settings: Settings, surroundings: ProviderSurroundings): OpenProvider;
}
