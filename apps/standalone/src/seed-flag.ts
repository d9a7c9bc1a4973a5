/** Argument that adds a second workspace, for development. */
export const SEED_FLAG = '--seed';
