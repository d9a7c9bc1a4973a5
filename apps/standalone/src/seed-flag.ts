/** Argument that has a second workspace made, for development. */
export const SEED_FLAG = '--seed';
