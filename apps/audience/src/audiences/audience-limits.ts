/** Audiences of one workspace: each change of a person is evaluated against all that use a changed attribute. */
export const AUDIENCES_PER_WORKSPACE_MAX = 1_000;

/** Memberships that one transaction of changed people may write and publish; an outbox accepts as many events. */
export const MEMBERSHIPS_PER_TRANSACTION_MAX = 5_000;

/** Reason of `audiences:user:unmatched` for a user whose profile was deleted. */
export const NO_PROFILE_REASON = 'The user has no profile';
