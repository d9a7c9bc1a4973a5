import type { Mailbox } from '@tidings/contracts/messaging/mailbox';
import type { AddressGuard } from './http/guard/address-guard';
import type { Attempt, Failed, Outcome, PushReceipts, Retry } from './provider';
import type { Recipient } from './recipient';
import type { Rendered, RenderedChannel } from './rendered';

/** One setting of a kind, as the catalog shows it and as it is checked. */
export interface SettingField {
  readonly type: 'string' | 'number' | 'boolean' | 'enum' | 'object';
  /** The settings of an `object`, none of them an object. */
  readonly fields?: SettingFields;
  readonly required: boolean;
  /** Required in new settings where the operator names no sender of mails; stored settings may be without it. */
  readonly requiredWithoutSender?: boolean;
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

/** Settings by name, in snake_case. */
export type SettingFields = Readonly<Record<string, SettingField>>;

/** Whether a provider accepts its credentials; a message never quotes a secret. `status` is that of the receiver's answer, if it has one. */
export type TestResult = { readonly ok: true } | { readonly ok: false; readonly message: string; readonly status?: number };

/** A provider opened with the settings of one configuration. */
export interface OpenProvider {
  /** Never rejects for a fault of network or receiver: each is an `Outcome`. Ends in bounded time. */
  send(rendered: Rendered, recipient: Recipient, attempt: Attempt): Promise<Outcome>;
  /** Proves the credentials without a message. Never rejects for a fault of network or receiver; ends at once when `signal` aborts. */
  test(signal: AbortSignal): Promise<TestResult>;
  /** What became of accepted messages, at most `RECEIPTS_MAX`. Never rejects for a fault of network or receiver. Default: it has none. */
  receipts?(tickets: readonly string[], signal: AbortSignal): Promise<PushReceipts | Retry | Failed>;
  /** Refuses further calls, waits for the open ones, and closes every connection. */
  close(): Promise<void>;
}

/** Tickets of one call of `OpenProvider.receipts`. */
export const RECEIPTS_MAX = 300;

/** What a provider is opened with. */
export interface ProviderSurroundings {
  readonly guard: AddressGuard;
  readonly sender?: Mailbox;
  /** The address for reports about its messages; absent where the installation has no public address. */
  readonly callbackUrl?: string;
}

/** A kind of provider, configurable any number of times: one folder, and a line in `kinds.ts`. */
export interface ProviderKind<Settings = unknown> {
  /** Its name in configurations and routings. */
  readonly key: string;
  readonly channels: readonly RenderedChannel[];
  readonly title: string;
  readonly description: string;
  /** All settings. */
  readonly fields: SettingFields;
  /** Validates settings, secrets included. @throws ServiceError `invalid_request` naming the setting, never quoting a secret. */
  parseSettings(value: unknown): Settings;
  /** The one channel that a configuration with these settings serves. */
  channelOf(settings: Settings): RenderedChannel;
  /** The part of a recipient that it can reach; undefined: none of it. Default: all of it. */
  recipientOf?(recipient: Recipient): Recipient | undefined;
  /** What a recipient lacks whom it cannot reach, for an error message: `apn needs …`. Default: that of its channel. */
  readonly needs?: string;
  /** The host that it connects to, and the setting that names it; undefined where recipients name theirs. */
  hostOf(settings: Settings): { readonly setting: string; readonly host: string } | undefined;
  /** @param surroundings with the guard that restricts the hosts it connects to, and the operator's sender of mails. */
  open(settings: Settings, surroundings: ProviderSurroundings): OpenProvider;
}
