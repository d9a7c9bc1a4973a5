import 'reflect-metadata';
import type { Dto, OperationGroup } from './core/operation';
import type { EventDefinition } from './core/event';
import type { AnyOperation } from './core/request-parts';
import { brands } from './content/brands';
import { eventMappings } from './content/event-mappings';
import { listMembers } from './audience/list-members';
import { lists } from './audience/lists';
import { profileLists } from './audience/profile-lists';
import { subscriptions } from './audience/subscriptions';
import { audienceMembers } from './audience/audience-members';
import { audiences } from './audience/audiences';
import { audienceErasure } from './audience/erasure';
import { audienceHappened } from './audience/events';
import { contentChanged } from './content/events';
import { sendingBrands } from './content/sending-brands';
import { sendingEventMappings } from './content/sending-event-mappings';
import { sendingTranslations } from './content/sending-translations';
import { translations } from './content/translations';
import { notificationBlocks } from './content/notification-blocks';
import { notificationContent } from './content/notification-content';
import { notificationChecks } from './content/notification-checks';
import { notificationHappened } from './content/notification-events';
import { notifications } from './content/notifications';
import { previews } from './content/previews';
import { routingStrategies } from './content/routing-strategies';
import { sendingTemplates } from './content/sending-templates';
import { tenantTemplates } from './content/tenant-templates';
import { accounts } from './identity/accounts';
import { auditEvents } from './identity/audit-events';
import { identityErasure } from './identity/erasure';
import { auth, issuedTokens } from './identity/issued-tokens';
import { accessChanged, keys } from './identity/keys';
import { preferenceSections } from './identity/preference-sections';
import { preferenceTopics } from './identity/preference-topics';
import { membershipsChanged, profileChanged } from './identity/events';
import { profiles } from './identity/profiles';
import { recipientPreferences } from './identity/recipient-preferences';
import { recipients } from './identity/recipients';
import { memberships, tenantMembers } from './identity/tenant-members';
import { tenants } from './identity/tenants';
import { userPreferences } from './identity/user-preferences';
import { userTenants } from './identity/user-tenants';
import { userTokens } from './identity/user-tokens';
import { workspaces } from './identity/workspaces';
import { messagingErasure } from './messaging/erasure';
import { bulk } from './messaging/bulk';
import { messageHistory, messageRequested, messageStatus } from './messaging/events';
import { inbound } from './messaging/inbound';
import { messageActions } from './messaging/message-actions';
import { messages } from './messaging/messages';
import { providerConfigurationChanged, providers } from './messaging/providers';
import { requests } from './messaging/requests';
import { send } from './messaging/send';
import { sendKeys } from './messaging/send-keys';

/** An event of any payload type; topics and documentation are generated from it. */
interface AnyEvent extends Omit<EventDefinition<{ workspaceId: string }>, 'key' | 'payload' | 'keyOf'> {
  readonly key: readonly string[];
  readonly payload: Dto;
}

/** Every group of operations. A group listed here is served, documented and tested. */
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
  tenantMembers,
  memberships,
  accounts,
  identityErasure,
  brands,
  sendingBrands,
  translations,
  sendingTranslations,
  eventMappings,
  sendingEventMappings,
  notifications,
  notificationContent,
  notificationBlocks,
  notificationChecks,
  previews,
  tenantTemplates,
  routingStrategies,
  sendingTemplates,
  lists,
  subscriptions,
  profileLists,
  listMembers,
  audiences,
  audienceMembers,
  audienceErasure,
  send,
  inbound,
  sendKeys,
  messages,
  messageActions,
  providers,
  requests,
  messagingErasure,
  bulk,
];

/** Every operation of every service. */
export const operations: readonly AnyOperation[] = operationGroups.flatMap((group) => Object.values(group));

/** Every event on a topic. */
export const events: readonly AnyEvent[] = [
  accessChanged,
  profileChanged,
  membershipsChanged,
  audienceHappened,
  contentChanged,
  notificationHappened,
  messageRequested,
  messageHistory,
  messageStatus,
  providerConfigurationChanged,
];
