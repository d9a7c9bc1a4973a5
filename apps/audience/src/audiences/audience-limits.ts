/** Audiences of one workspace: each change of a person asks all of them that look at what changed. */
export const AUDIENCES_PER_WORKSPACE_MAX = 1_000;

/** Memberships that one transaction of changed people may write and tell of; an outbox takes as many events. */
export const MEMBERSHIPS_PER_TRANSACTION_MAX = 5_000;

/** Why somebody left who is no user of the workspace any more. */
export const NO_PROFILE_REASON = 'The user has no profile';
