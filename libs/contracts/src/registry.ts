import 'reflect-metadata';
import type { Dto, OperationGroup } from './core/operation';
import type { EventDefinition } from './core/event';
import type { AnyOperation } from './core/request-parts';
import { contentChanged } from './content/events';
import { accounts } from './identity/accounts';
import { auditEvents } from './identity/audit-events';
import { auth, issuedTokens } from './identity/issued-tokens';
import { accessChanged, keys } from './identity/keys';
import { preferenceSections } from './identity/preference-sections';
import { preferenceTopics } from './identity/preference-topics';
import { membershipsChanged, profileChanged } from './identity/events';
import { profiles } from './identity/profiles';
import { recipientPreferences } from './identity/recipient-preferences';
import { recipients } from './identity/recipients';
import { tenants } from './identity/tenants';
import { userPreferences } from './identity/user-preferences';
import { userTenants } from './identity/user-tenants';
import { userTokens } from './identity/user-tokens';
import { workspaces } from './identity/workspaces';
import { messageHistory, messageRequested, messageStatus } from './messaging/events';
import { messages } from './messaging/messages';
import { send } from './messaging/send';

/** An event whose payload is of no interest: what topics and documentation are made from. */
export interface AnyEvent extends Omit<EventDefinition<{ workspaceId: string }>, 'key' | 'payload' | 'keyOf'> {
  readonly key: readonly string[];
  readonly payload: Dto;
}

/** Every group of operations. A new group is served, documented and tested once it stands here. */
export const operationGroups: readonly OperationGroup[] = [
  keys,
  auth,
  issuedTokens,
  auditEvents,
  workspaces,
  profiles,
  recipients,
  preferenceSections,
  preferenceTopics,
  userPreferences,
  recipientPreferences,
  userTokens,
  tenants,
  userTenants,
  accounts,
  send,
  messages,
];

/** Every operation of every service. */
export const operations: readonly AnyOperation[] = operationGroups.flatMap((group) => Object.values(group));

/** Every event on a topic. */
export const events: readonly AnyEvent[] = [
  accessChanged,
  profileChanged,
  membershipsChanged,
  contentChanged,
  messageRequested,
  messageHistory,
  messageStatus,
];
