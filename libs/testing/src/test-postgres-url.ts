/** Variable with the superuser URL of the jest run's PostgreSQL; set by the run's global set-up. */
export const TEST_POSTGRES_URL = 'TEST_POSTGRES_URL';
/** The same for the oldest supported version; started when a suite of the run needs it. */
export const TEST_OLDEST_POSTGRES_URL = 'TEST_OLDEST_POSTGRES_URL';

/** URL for the running spec file; `TIDINGS_TEST_POSTGRES=oldest` in its jest project selects the oldest version. */
export function testPostgresUrl(): string {
  const name = process.env.TIDINGS_TEST_POSTGRES === 'oldest' ? TEST_OLDEST_POSTGRES_URL : TEST_POSTGRES_URL;
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: the jest configuration of this project must come from jest.preset.cjs`);
  return url;
}
