/**
 * Types of audit events, `<resource>:<what happened>`. A `PUT` is `replaced`, also when it created the resource. What is stored of a
 * user has types that begin with `user:`; their target is the user.
 */
export const AUDIT_EVENT_TYPES = [
  'workspace:created',
  'workspace:email-changed',
  'workspace:senders-changed',
  'workspace:limits-changed',
  'api-key:created',
  'api-key:rotated',
  'api-key:revoked',
  'api-key:limit-changed',
  'session:started',
  'session:ended',
  'signing-key:rotated',
  'issued-tokens:revoked',
  'events:unverified-skipped',
  'events:republished',
  'dead-letter:redriven',
  'dead-letter:discarded',
  'secrets:resealed',
  'provider:created',
  'provider:replaced',
  'provider:changed',
  'provider:deleted',
  'provider:retried',
  'provider:tested',
  'provider:callback-rotated',
  'provider:paused',
  'provider:resumed',
  'webhook:created',
  'webhook:changed',
  'webhook:deleted',
  'webhook:secret-rotated',
  'webhook:paused',
  'webhook:resumed',
  'webhook:disabled',
  'webhook:tested',
  'webhook:replayed',
  'notification:created',
  'notification:replaced',
  'notification:content-changed',
  'notification:checks-changed',
  'notification:published',
  'notification:archived',
  'tenant-template:replaced',
  'tenant-template:published',
  'tenant-template:deleted',
  'routing-strategy:created',
  'routing-strategy:replaced',
  'routing-strategy:archived',
  'brand:created',
  'brand:replaced',
  'brand:deleted',
  'translation:replaced',
  'event-mapping:replaced',
  'preference-section:created',
  'preference-section:replaced',
  'preference-section:deleted',
  'preference-topic:created',
  'preference-topic:replaced',
  'preference-topic:deleted',
  'preferences:published',
  'tenant:replaced',
  'tenant:deleted',
  'tenant:defaults-changed',
  'list:replaced',
  'list:deleted',
  'list:restored',
  'list:subscribers-changed',
  'audience:replaced',
  'audience:deleted',
  'bulk-job:created',
  'bulk-job:run',
  'request:archived',
  'suppression:replaced',
  'suppression:deleted',
  'suppressions:imported',
  'user:profile-changed',
  'user:profile-deleted',
  'user:tokens-changed',
  'user:preferences-changed',
  'user:tenants-changed',
  'user:lists-changed',
  'user:erased',
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];

/** What events are about: the part of their types before the colon. */
export const AUDITED_RESOURCES: readonly string[] = [...new Set(AUDIT_EVENT_TYPES.map((type) => type.split(':')[0]!))];

export const ACTOR_TYPES = ['operator', 'api-key', 'token', 'person', 'system'] as const;
/** `token`: an issued token. `person`: signed in to the console by OpenID Connect. `system`: the start of a process. */
export type ActorType = (typeof ACTOR_TYPES)[number];

/** Who makes a change, as the gateway knows the credential. Identity adds the name and the last characters of the API key. */
export interface Actor {
  readonly type: ActorType;
  /** The operator's name; the id of the API key, or of the one that issued the token; the issuer's subject of a person. */
  readonly id: string;
  /** Of a person. */
  readonly name?: string;
  /** The users whom a token names, the first ones. */
  readonly users?: string[];
}

/** Names of the fields that a change concerned: those with a value before it, and those with a value after it. */
export interface ChangedFields {
  readonly before: string[];
  readonly after: string[];
}

/** A call whose change leaves an audit event, once it is committed. */
export interface AuditedCall {
  readonly type: AuditEventType;
  /** The operation's pattern. */
  readonly operation: string;
  /** The id of what the call changed. @param answer of the call. */
  targetIdOf(answer: unknown): string;
  /** Whether a call that changed no field leaves no event. */
  readonly changesOnly: boolean;
}
