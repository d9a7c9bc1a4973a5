/** What makes the schema `content`, beside the outbox. */
export const CONTENT_MIGRATIONS = [] as const;
