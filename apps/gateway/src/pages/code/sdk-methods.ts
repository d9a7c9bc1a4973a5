import type { Example } from '../example-of';

/** Methods of Courier's SDK for Node (@trycourier/courier 7.10) by operation; those without one are called with `fetch`. */
export const NODE_METHODS: Readonly<Record<string, string>> = {
  'audience.audiences.list': 'audiences.list',
  'audience.audiences.members': 'audiences.listMembers',
  'audience.audiences.put': 'audiences.update',
  'audience.audiences.remove': 'audiences.delete',
  'audience.audiences.retrieve': 'audiences.retrieve',
  'audience.lists.list': 'lists.list',
  'audience.lists.remove': 'lists.delete',
  'audience.lists.replace': 'lists.update',
  'audience.lists.restore': 'lists.restore',
  'audience.lists.retrieve': 'lists.retrieve',
  'audience.profile-lists.list': 'profiles.lists.retrieve',
  'audience.profile-lists.removeAll': 'profiles.lists.delete',
  'audience.profile-lists.subscribe': 'profiles.lists.subscribe',
  'audience.subscriptions.add': 'lists.subscriptions.add',
  'audience.subscriptions.list': 'lists.subscriptions.list',
  'audience.subscriptions.put': 'lists.subscriptions.subscribeUser',
  'audience.subscriptions.remove': 'lists.subscriptions.unsubscribeUser',
  'audience.subscriptions.replace': 'lists.subscriptions.subscribe',
  'content.brands.create': 'brands.create',
  'content.brands.list': 'brands.list',
  'content.brands.remove': 'brands.delete',
  'content.brands.replace': 'brands.update',
  'content.brands.retrieve': 'brands.retrieve',
  'content.notification-checks.cancel': 'notifications.checks.delete',
  'content.notification-checks.list': 'notifications.checks.list',
  'content.notification-checks.replace': 'notifications.checks.update',
  'content.notification-content.replace': 'notifications.putContent',
  'content.notification-content.replaceElement': 'notifications.putElement',
  'content.notification-content.replaceLocale': 'notifications.putLocale',
  'content.notification-content.retrieve': 'notifications.retrieveContent',
  'content.notifications.archive': 'notifications.archive',
  'content.notifications.create': 'notifications.create',
  'content.notifications.list': 'notifications.list',
  'content.notifications.publish': 'notifications.publish',
  'content.notifications.replace': 'notifications.replace',
  'content.notifications.retrieve': 'notifications.retrieve',
  'content.notifications.versions': 'notifications.listVersions',
  'content.routing-strategies.archive': 'routingStrategies.archive',
  'content.routing-strategies.create': 'routingStrategies.create',
  'content.routing-strategies.list': 'routingStrategies.list',
  'content.routing-strategies.replace': 'routingStrategies.replace',
  'content.routing-strategies.retrieve': 'routingStrategies.retrieve',
  'content.routing-strategies.templates': 'routingStrategies.listNotifications',
  'content.tenant-templates.list': 'tenants.templates.list',
  'content.tenant-templates.publish': 'tenants.templates.publish',
  'content.tenant-templates.replace': 'tenants.templates.replace',
  'content.tenant-templates.retrieve': 'tenants.templates.retrieve',
  'content.tenant-templates.retrieveVersion': 'tenants.templates.versions.retrieve',
  'content.translations.replace': 'translations.update',
  'content.translations.retrieve': 'translations.retrieve',
  'gateway.auth.issue-token': 'auth.issueToken',
  'gateway.send.accept': 'send.message',
  'identity.audit-events.list': 'auditEvents.list',
  'identity.audit-events.retrieve': 'auditEvents.retrieve',
  'identity.profiles.merge': 'profiles.create',
  'identity.profiles.patch': 'profiles.update',
  'identity.profiles.remove': 'profiles.delete',
  'identity.profiles.replace': 'profiles.replace',
  'identity.profiles.retrieve': 'profiles.retrieve',
  'identity.tenants.list': 'tenants.list',
  'identity.tenants.remove': 'tenants.delete',
  'identity.tenants.removeDefault': 'tenants.preferences.items.delete',
  'identity.tenants.replace': 'tenants.update',
  'identity.tenants.replaceDefault': 'tenants.preferences.items.update',
  'identity.tenants.retrieve': 'tenants.retrieve',
  'identity.tenants.users': 'tenants.listUsers',
  'identity.user-preferences.list': 'users.preferences.retrieve',
  'identity.user-preferences.put': 'users.preferences.updateOrCreateTopic',
  'identity.user-preferences.retrieve': 'users.preferences.retrieveTopic',
  'identity.user-tenants.add': 'users.tenants.addSingle',
  'identity.user-tenants.addMany': 'users.tenants.addMultiple',
  'identity.user-tenants.list': 'users.tenants.list',
  'identity.user-tenants.remove': 'users.tenants.removeSingle',
  'identity.user-tenants.removeAll': 'users.tenants.removeAll',
  'identity.user-tokens.list': 'users.tokens.list',
  'identity.user-tokens.patch': 'users.tokens.update',
  'identity.user-tokens.put': 'users.tokens.addSingle',
  'identity.user-tokens.remove': 'users.tokens.delete',
  'identity.user-tokens.retrieve': 'users.tokens.retrieve',
  'messaging.bulk.add': 'bulk.addUsers',
  'messaging.bulk.create': 'bulk.createJob',
  'messaging.bulk.retrieve': 'bulk.retrieveJob',
  'messaging.bulk.run': 'bulk.runJob',
  'messaging.bulk.users': 'bulk.listUsers',
  'messaging.inbound.accept': 'inbound.trackEvent',
  'messaging.messages.cancel': 'messages.cancel',
  'messaging.messages.history': 'messages.history',
  'messaging.messages.list': 'messages.list',
  'messaging.messages.output': 'messages.content',
  'messaging.messages.retrieve': 'messages.retrieve',
  'messaging.providers.catalog': 'providers.catalog.list',
  'messaging.providers.create': 'providers.create',
  'messaging.providers.list': 'providers.list',
  'messaging.providers.remove': 'providers.delete',
  'messaging.providers.replace': 'providers.update',
  'messaging.providers.retrieve': 'providers.retrieve',
  'messaging.requests.archive': 'requests.archive',
};

/** Methods that the SDK for Python (trycourier 9.13) has in addition; all others have the names of Node's, in snake case. */
const PYTHON_METHODS: Readonly<Record<string, string>> = {
  'content.tenant-templates.remove': 'tenants.templates.delete',
  'identity.preference-logs.list': 'workspace_preferences.list_logs',
  'identity.preference-sections.create': 'workspace_preferences.create',
  'identity.preference-sections.list': 'workspace_preferences.list',
  'identity.preference-sections.publish': 'workspace_preferences.publish',
  'identity.preference-sections.remove': 'workspace_preferences.archive',
  'identity.preference-sections.replace': 'workspace_preferences.replace',
  'identity.preference-sections.retrieve': 'workspace_preferences.retrieve',
  'identity.preference-topics.create': 'workspace_preferences.topics.create',
  'identity.preference-topics.list': 'workspace_preferences.topics.list',
  'identity.preference-topics.remove': 'workspace_preferences.topics.archive',
  'identity.preference-topics.replace': 'workspace_preferences.topics.replace',
  'identity.preference-topics.retrieve': 'workspace_preferences.topics.retrieve',
  'identity.user-preferences.remove': 'users.preferences.delete_topic',
  'identity.user-preferences.replace': 'users.preferences.bulk_replace',
  'identity.user-preferences.upsert': 'users.preferences.bulk_update',
  'messaging.messages.resend': 'messages.resend',
  'messaging.providers.change': 'providers.patch',
};

/** Fields that a method of the SDK for Python does not name. */
const UNNAMED_IN_PYTHON: Readonly<Record<string, readonly string[]>> = {
  'content.notification-content.replaceElement': ['content'],
};
const PYTHON_KEYWORDS = new Set(['from', 'if', 'in', 'is', 'not', 'or', 'and', 'as', 'class', 'def', 'for', 'import', 'lambda', 'with']);

/** The named values, in the order of the names. */
export function fieldsOf(names: readonly string[], values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** The fields of a body; one that is a text is the field `body`. */
export function bodyFields(body: unknown) {
  return typeof body === 'object' ? body : body === undefined ? {} : { body };
}

/** The method of the SDK for Python, with its named arguments; undefined where the SDK has no method. */
export function pythonCallOf({ operationId, path, query, body }: Example) {
  const method = PYTHON_METHODS[operationId] ?? (NODE_METHODS[operationId] && snakeCase(NODE_METHODS[operationId]));
  if (method === undefined) return undefined;
  const given: Record<string, unknown> = { ...path, ...query, ...bodyFields(body) };
  const unnamed = UNNAMED_IN_PYTHON[operationId] ?? [];
  const named = Object.entries(given).filter(([name]) => !unnamed.includes(name));
  const fields = Object.fromEntries(named.map(([name, value]) => [argumentName(name), value]));
  return { method, fields: { ...fields, ...(unnamed.length > 0 && { extra_body: fieldsOf(unnamed, given) }) } };
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function argumentName(name: string) {
  const snake = snakeCase(name);
  return PYTHON_KEYWORDS.has(snake) ? `${snake}_` : snake;
}
