import './global-setup';

/** After all projects of a jest run. */
export default async function tearDown(): Promise<void> {
  await globalThis.postgresOfRun?.stop();
  globalThis.postgresOfRun = undefined;
}
