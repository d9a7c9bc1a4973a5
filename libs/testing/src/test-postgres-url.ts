/** Superuser URL of the PostgreSQL that a jest run starts; set by the run's global set-up. */
export const TEST_POSTGRES_URL = 'TEST_POSTGRES_URL';
/** The same of the oldest version that is supported; started when a suite of the run needs it. */
export const TEST_OLDEST_POSTGRES_URL = 'TEST_OLDEST_POSTGRES_URL';

/** The PostgreSQL of the running spec file: `TIDINGS_TEST_POSTGRES=oldest` in its project of jest chooses the other one. */
export function testPostgresUrl(): string {
  const name = process.env.TIDINGS_TEST_POSTGRES === 'oldest' ? TEST_OLDEST_POSTGRES_URL : TEST_POSTGRES_URL;
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: the jest configuration of this project must come from jest.preset.cjs`);
  return url;
}
