/** Replaces a secret in answers. */
export const HIDDEN = '***';

/** Returns the replacement of a value that may be secret. `path` is its path in the object: `config.authorization`. */
export type ChangeSecret = (value: unknown, path: string) => unknown;

/** As `ChangeSecret`, of settings by channel and provider; `at` is its path in errors: `providers.http.override.config.authorization`. */
export type ChangeSettingsSecret = (value: unknown, path: string, at: string) => unknown;
