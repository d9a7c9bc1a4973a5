import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { queryBrokers } from './broker-query';
import { draftPlan, homeOf } from './cluster-plan';
import type { Java } from './engine';
import { startGuard } from './guard';
import { JavaBroker } from './java-broker';
import { OWNER_ONLY, writeServerProperties } from './server-properties';
import { withFolderLock } from './folder-lock';

const TRAINING_TIMEOUT_MS = 120_000;
/** Concurrent callers that find no archive wait for the first one. */
const LOCK_TIMEOUT_MS = 180_000;
const POLL_MS = 50;
const HEAP_MB = 256;

/**
 * Path of a class-data archive of Kafka, which halves the start time of a JVM. A broker that is started and stopped for this
 * creates it once per Java. Resolves with `undefined` when this fails; brokers then start without it.
 */
export async function classArchive(
  java: Java,
  library: string,
  { log = () => {} }: { log?: (message: string) => void } = {},
): Promise<string | undefined> {
  const digest = createHash('sha256').update(java.program).update(java.description).digest('hex').slice(0, 12);
  const archive = join(dirname(library), `classes-${digest}.jsa`);
  const failureMarker = `${archive}.failed`;
  if (existsSync(archive)) return archive;
  if (existsSync(failureMarker)) return undefined;

  return withFolderLock(dirname(library), LOCK_TIMEOUT_MS, async () => {
    if (existsSync(archive)) return archive;
    if (existsSync(failureMarker)) return undefined;
    log('Preparing faster starts (only once) …');
    const directory = mkdtempSync(join(dirname(library), 'training-'));
    try {
      const draft = join(homeOf(directory, 1), 'classes.jsa');
      await train(java, library, directory, draft);
      renameSync(draft, archive);
      return archive;
    } catch (error) {
      writeFileSync(failureMarker, String(error)); // prevents another attempt at every start
      return undefined;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

async function train(java: Java, library: string, directory: string, archive: string): Promise<void> {
  const plan = await draftPlan('java', 1, HEAP_MB);
  const home = homeOf(directory, 1);
  const layout = { listenHost: '127.0.0.1', hostOf: () => '127.0.0.1', data: join(home, 'data'), home, modes: OWNER_ONLY };
  writeServerProperties(home, 1, plan, layout, {}, {});
  const kafka = { java, library, heapMb: HEAP_MB, options: [] };
  await new JavaBroker(1, async () => kafka, home).format(plan.clusterId, layout.data, []);
  const broker = new JavaBroker(1, async () => ({ ...kafka, options: [`-XX:ArchiveClassesAtExit=${archive}`] }), home);
  const guard = startGuard(directory, { remove: true });
  try {
    await broker.launch();
    for (const until = Date.now() + TRAINING_TIMEOUT_MS; !(await queryBrokers(plan.ports[0]!.internal))?.includes(1); await delay(POLL_MS))
      if (Date.now() > until || !broker.isRunning()) throw new Error(`The broker did not start: ${broker.lastLogLines()}`);
    await broker.stop(); // the JVM writes the archive at its exit
  } finally {
    await broker.kill();
    guard.dismiss();
  }
}
