import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { haveJars } from './kafka-jars';

/** Required by the brokers of Kafka 4. */
const JAVA_VERSION_MIN = 17;
const COMMAND_TIMEOUT_MS = 10_000;

export interface Java {
  program: string;
  version: number;
  /** Its full version text; a class archive is valid for one Java only. */
  description: string;
}

/** The engine that runs brokers on this machine. */
export type Engine =
  { kind: 'java'; java: Java; /** Absent: the cached jars are used. */ maven?: string } | { kind: 'docker'; docker: string };

/** No Kafka can run on this machine. The message names what is missing, what to install and the alternatives. */
export class KafkaUnavailable extends Error {}

/**
 * Finds the engine for Kafka: Java with Maven, otherwise Docker. Maven is only needed until the jars are cached.
 * @throws KafkaUnavailable
 */
export function findEngine(environment: NodeJS.ProcessEnv = process.env): Engine {
  const java = findJava(environment);
  const maven = findProgram('mvn', environment);
  if (java.found && (maven || haveJars(environment))) return { kind: 'java', java: java.found, maven };

  const docker = findDocker(environment);
  if (docker) return { kind: 'docker', docker };

  const [missing, install] = java.found
    ? ['Maven (mvn) is not on the PATH and fetches its jars', 'install Maven (Debian: apt-get install maven)']
    : [java.missing, `install Java ${JAVA_VERSION_MIN} or newer and Maven (Debian: apt-get install openjdk-17-jre-headless maven)`];
  throw new KafkaUnavailable(
    `Kafka cannot be run on this machine, because ${missing}, and no Docker daemon answers: ` +
      `${install}, or start Docker, or set KAFKA_BROKERS to a Kafka that is running`,
  );
}

function findJava(environment: NodeJS.ProcessEnv): { found?: Java; missing: string } {
  if (process.platform === 'win32') return { missing: 'brokers are not run directly on Windows' };
  const home = environment.JAVA_HOME && join(environment.JAVA_HOME, 'bin/java');
  const program = home && isExecutable(home) ? home : findProgram('java', environment);
  if (!program) return { missing: 'Java is not on the PATH, nor is there one in JAVA_HOME' };

  const { stdout, stderr, status } = spawnSync(program, ['-version'], { encoding: 'utf8', env: environment, timeout: COMMAND_TIMEOUT_MS });
  const description = `${stderr ?? ''}${stdout ?? ''}`;
  // "1.8.0_402" is Java 8; "17.0.15" and "21-ea" are Java 17 and 21.
  const [, version] = /version "(?:1\.)?(\d+)/.exec(description) ?? [];
  if (status !== 0 || !version) return { missing: `${program} does not run` };
  if (Number(version) < JAVA_VERSION_MIN) return { missing: `${program} is Java ${version}, and Kafka needs ${JAVA_VERSION_MIN}` };
  return { found: { program, version: Number(version), description }, missing: '' };
}

function findDocker(environment: NodeJS.ProcessEnv): string | undefined {
  const docker = findProgram('docker', environment);
  if (!docker) return undefined;
  const { status } = spawnSync(docker, ['version', '--format', '{{.Server.Version}}'], {
    env: environment,
    stdio: 'ignore',
    timeout: COMMAND_TIMEOUT_MS,
  });
  return status === 0 ? docker : undefined;
}

function findProgram(name: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  return PATH.split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
