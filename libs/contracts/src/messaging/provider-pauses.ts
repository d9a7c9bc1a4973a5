import { IsIn } from 'class-validator';
import { IsListOf, OptionalText, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { NoFields } from './senders';

const NAME_LENGTH_MAX = 256;
/** Maximum pauses of an installation, those of its workspaces included. */
export const PROVIDER_PAUSES_MAX = 1_000;

export class NamedProviderPause {
  /**
   * In a workspace: the id or the alias of a configuration, the key of a kind for all its configurations, or `default` for the operator's
   * provider. Without a workspace: a kind or `default`, in all workspaces.
   * @example "smtp"
   */
  @TextOf(1, NAME_LENGTH_MAX) name: string;
}

export const PROVIDER_STATES = ['active', 'disabled', 'paused'] as const;

/** A provider as operators see it. */
export class ProviderState {
  /** Id of a configuration, `default`, or the key of a kind. @example "smtp" */
  @Text name: string;

  /** Key of the kind; absent where no provider has the name any more. @example "smtp" */
  @OptionalText provider?: string;

  /** The channel of a configuration or a default provider. @example "email" */
  @OptionalText channel?: string;

  /** The alias of a configuration; absent if it has none. @example "office" */
  @OptionalText alias?: string;

  /** The workspace that the state is about; absent: all workspaces. @example "7c1f6f0e-3c55-4d8e-9a0e-0d6b6a3f2e11" */
  @OptionalText workspace_id?: string;

  /** `paused`: not called, messages wait. `disabled`: switched off by its workspace, messages do not wait. @example "paused" */
  @IsIn(PROVIDER_STATES) state: (typeof PROVIDER_STATES)[number];

  /** Since when it is paused, ISO 8601. @example "2026-03-01T10:00:00.000Z" */
  @OptionalText paused_at?: string;

  /** The operator who paused it, or `bounce-guard`. @example "anna" */
  @OptionalText paused_by?: string;
}

export class ProviderStates {
  /** The providers, and the pauses. */
  @IsListOf(ProviderState) results: ProviderState[];
}

/** Pauses of providers: operators stop the calls of a provider, and messages wait. In the system's workspace they concern all workspaces. */
export const providerPauses = defineOperations('messaging.provider-pauses', 'internal', {
  /** Of a workspace: its configurations and the default providers. Else: the kinds in use, the default providers, and all pauses. */
  list: {
    summary: 'List providers with their pauses',
    request: NoFields,
    response: ProviderStates,
    repeatable: true,
  },
  /**
   * No process calls it any more after a second. What waits for it stays until its own time limits end, new messages use their next route.
   * A provider that is paused stays as it is.
   */
  pause: {
    audit: 'provider:paused',
    auditTarget: ['name'],
    command: true,
    summary: 'Pause a provider',
    request: NamedProviderPause,
    response: ProviderState,
    mayConflict: true,
  },
  /** What waits for it becomes due a second later. Its breakers are closed. */
  resume: {
    audit: 'provider:resumed',
    auditTarget: ['name'],
    command: true,
    summary: 'Resume a paused provider',
    request: NamedProviderPause,
    response: ProviderState,
  },
});
