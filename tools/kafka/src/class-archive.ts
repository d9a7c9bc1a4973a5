import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { askForBrokers } from './broker-question';
import { draftPlan, homeOf } from './cluster-plan';
import type { Java } from './engine';
import { startGuard } from './guard';
import { JavaBroker } from './java-broker';
import { writeServerProperties } from './server-properties';
import { inTurn } from './turn';

const TRAINING_TIMEOUT_MS = 120_000;
/** Several may find the archive missing at once; each waits for the first. */
const TURN_TIMEOUT_MS = 180_000;
const LOOK_MS = 50;
const HEAP_MB = 256;

/**
 * A file that lets a JVM take Kafka's classes as it had them before, which halves the time of a start. It is made once for each
 * Java, by a broker that is started for that and ended again. `undefined` where that does not work: everything else does.
 */
export async function classArchive(
  java: Java,
  library: string,
  { say = () => {} }: { say?: (sentence: string) => void } = {},
): Promise<string | undefined> {
  const digest = createHash('sha256').update(java.program).update(java.description).digest('hex').slice(0, 12);
  const archive = join(dirname(library), `classes-${digest}.jsa`);
  const hopeless = `${archive}.failed`;
  if (existsSync(archive)) return archive;
  if (existsSync(hopeless)) return undefined;

  return inTurn(dirname(library), TURN_TIMEOUT_MS, async () => {
    if (existsSync(archive)) return archive;
    if (existsSync(hopeless)) return undefined;
    say('Preparing for faster starts, once …');
    const directory = mkdtempSync(join(dirname(library), 'training-'));
    try {
      const draft = join(homeOf(directory, 1), 'classes.jsa');
      await train(java, library, directory, draft);
      renameSync(draft, archive);
      return archive;
    } catch (error) {
      writeFileSync(hopeless, String(error)); // not at every start again
      return undefined;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

async function train(java: Java, library: string, directory: string, archive: string): Promise<void> {
  const plan = await draftPlan('java', 1, HEAP_MB);
  const home = homeOf(directory, 1);
  const place = { listenHost: '127.0.0.1', hostOf: () => '127.0.0.1', data: join(home, 'data'), home };
  writeServerProperties(home, 1, plan, place, {}, {});
  const kafka = { java, library, heapMb: HEAP_MB, options: [] };
  await new JavaBroker(1, async () => kafka, home).format(plan.clusterId, place.data, []);
  const broker = new JavaBroker(1, async () => ({ ...kafka, options: [`-XX:ArchiveClassesAtExit=${archive}`] }), home);
  const guard = startGuard(directory, { remove: true });
  try {
    await broker.launch();
    for (const until = Date.now() + TRAINING_TIMEOUT_MS; !(await askForBrokers(plan.ports[0]!.internal))?.includes(1); await delay(LOOK_MS))
      if (Date.now() > until || !broker.isRunning()) throw new Error(`The broker did not start: ${broker.lastWords()}`);
    await broker.stop(); // the archive is written at the end
  } finally {
    await broker.kill();
    guard.dismiss();
  }
}
