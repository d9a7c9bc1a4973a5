/**
 * The resources whose requests or answers may hold credentials: in profiles, in settings of providers, in overrides, or an issued token.
 * Between processes they travel sealed.
 */
export const SECRET_RESOURCES: ReadonlySet<string> = new Set([
  'identity.profiles',
  'identity.tenants',
  'identity.user-tenants',
  'identity.accounts',
  'identity.issued-tokens',
  'messaging.providers',
  'messaging.provider-callbacks',
  'messaging.bulk',
  'messaging.webhooks',
  'content.routing-strategies',
  'content.tenant-templates',
  'content.templates',
  'content.previews',
]);
