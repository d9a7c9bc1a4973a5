import './global-setup';

/** After all projects of a jest run. */
export default async function tearDown(): Promise<void> {
  await Promise.all([globalThis.kafkaOfRun?.stop(), globalThis.postgresOfRun?.stop()]);
  globalThis.kafkaOfRun = undefined;
  globalThis.postgresOfRun = undefined;
}
