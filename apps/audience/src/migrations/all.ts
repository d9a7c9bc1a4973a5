/** What makes the schema `audience`, beside the outbox. */
export const AUDIENCE_MIGRATIONS = [] as const;
