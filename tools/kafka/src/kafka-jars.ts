import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { withFolderLock } from './folder-lock';

/** Names jars and release; Maven's settings name the repository. */
const POM = resolve(__dirname, '../pom.xml');
const FETCH_TIMEOUT_MS = 600_000;
const MAVEN_OUTPUT_CHARACTERS = 2_000;

/** The release of Apache Kafka in use. */
export const KAFKA_VERSION = /<kafka\.version>([^<]+)</.exec(readFileSync(POM, 'utf8'))![1]!;

/** Folder of the user's jars, one per version of the pom, so that running brokers are not affected by a new one. */
export function jarsDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const cache = environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  const digest = createHash('sha256').update(readFileSync(POM)).digest('hex');
  return join(cache, 'tidings/kafka', KAFKA_VERSION, digest.slice(0, 12));
}

const libraryOf = (directory: string): string => join(directory, 'lib');

export const haveJars = (environment: NodeJS.ProcessEnv = process.env): boolean => existsSync(libraryOf(jarsDirectory(environment)));

export interface FetchOptions {
  environment?: NodeJS.ProcessEnv;
  /** Receives a message before each slow step. */
  log?: (message: string) => void;
}

/**
 * Fetches Kafka's jars (about 40 MB) unless they are cached, once for concurrent processes. Resolves with their folder.
 * @throws Error with Maven's output
 */
export async function fetchJars(
  maven: string | undefined,
  { environment = process.env, log = () => {} }: FetchOptions = {},
): Promise<string> {
  const directory = jarsDirectory(environment);
  const library = libraryOf(directory);
  if (existsSync(library)) return library;
  if (!maven)
    throw new Error(`The jars of Kafka ${KAFKA_VERSION} are not in ${directory}, and Maven, which fetches them, is not on the PATH`);

  await withFolderLock(directory, FETCH_TIMEOUT_MS, async () => {
    if (existsSync(library)) return;
    log(`Fetching Apache Kafka ${KAFKA_VERSION} with Maven, once, into ${directory} …`);
    const draft = mkdtempSync(join(directory, 'fetching-'));
    try {
      mkdirSync(libraryOf(draft));
      await runMaven(maven, libraryOf(draft), environment);
      if (!readdirSync(libraryOf(draft)).includes(`kafka_2.13-${KAFKA_VERSION}.jar`)) throw new Error('Maven fetched no jar of the broker');
      renameSync(libraryOf(draft), library); // the final name exists only for a complete folder
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  });
  return library;
}

async function runMaven(maven: string, outputDirectory: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const parameters = ['-B', '-q', '-f', POM, 'dependency:copy-dependencies', `-DoutputDirectory=${outputDirectory}`];
  const child = spawn(maven, parameters, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], timeout: FETCH_TIMEOUT_MS });
  let log = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk) => (log = (log + String(chunk)).slice(-MAVEN_OUTPUT_CHARACTERS)));
  const end = await new Promise<number | string>((ended, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => ended(code ?? signal!));
  });
  if (end !== 0) throw new Error(`Maven could not fetch Kafka ${KAFKA_VERSION} (${end}): ${log.trim()}`);
}
