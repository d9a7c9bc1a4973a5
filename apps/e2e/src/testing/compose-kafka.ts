import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findEngine } from '@tidings/kafka-runner/engine';
import { parse } from 'yaml';

const ROOT = path.resolve(__dirname, '../../../..');
/** Where containers have their secrets. */
const SECRETS = '/run/tidings';
const DRAW_MS_MAX = 30_000;
/** What each machine decides: the runner of the tests has its own. */
const OF_THE_MACHINE = /^(?:node\.id|controller\.quorum\.voters|listeners|advertised\.listeners|log\.dirs|heap\.opts)$/;

interface ComposeService {
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
}

/** What docker-compose.yml says of Kafka: the broker's settings, its users, and as whom each service connects. With drawn secrets. */
export class ComposeKafka {
  private readonly services = (parse(readFileSync(path.join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as Compose).services;
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'tidings-compose-kafka-'));

  constructor() {
    for (const volume of this.services.secrets!.volumes!) mkdirSync(this.fileOf(volume.split(':')[1]!), { recursive: true });
    const parameters = [path.join(ROOT, 'tools/deployment/draw-secrets.mjs'), this.folder];
    const { status, stderr } = spawnSync(process.execPath, parameters, { env: {}, encoding: 'utf8', timeout: DRAW_MS_MAX });
    if (status !== 0) throw new Error(`The secrets could not be drawn: ${stderr}`);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Adds a user to those of the broker, which has not started yet. */
  addUser(name: string, password: string): void {
    const file = this.fileOf(`${SECRETS}/kafka/SASL_USERS`);
    const users = readFileSync(file, 'utf8').replace(/;\s*$/, '');
    rmSync(file);
    appendFileSync(file, `${users} user_${name}="${password}";\n`, { mode: 0o600 });
  }

  /** The broker's settings as server properties, in the way of its image, except for addresses, folders and memory. */
  serverProperties(): Record<string, string> {
    const entries = Object.entries(this.services.kafka!.environment!).filter(([name]) => name.startsWith('KAFKA_'));
    const properties = entries.map(([name, value]) => [name.slice('KAFKA_'.length).toLowerCase().replaceAll('_', '.'), value] as const);
    return Object.fromEntries(
      properties
        .filter(([name]) => !OF_THE_MACHINE.test(name))
        .map(([name, value]) => [name, this.withSecrets(value.replaceAll('$$', '$'))]),
    );
  }

  /** The variables by which a service connects to Kafka. */
  connectionOf(service: string): { KAFKA_SASL_MECHANISM: string; KAFKA_SASL_USERNAME: string; KAFKA_SASL_PASSWORD_FILE: string } {
    const { KAFKA_SASL_MECHANISM = '', KAFKA_SASL_USERNAME = '', KAFKA_SASL_PASSWORD_FILE = '' } = this.services[service]!.environment!;
    return { KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD_FILE: this.fileOf(KAFKA_SASL_PASSWORD_FILE) };
  }

  /** The arguments of the command `tidings` in a service. */
  commandOf(service: string): string[] {
    return this.services[service]!.command!;
  }

  /** The text of a secret. @param name below the folder of secrets, `kafka/SASL_USERS` */
  secret(name: string): string {
    return readFileSync(path.join(this.folder, name), 'utf8').trim();
  }

  private withSecrets(value: string): string {
    const [reference, file] = /^\$\{directory:(.+):\w+\}$/.test(value) ? [value, value.slice('${directory:'.length, -1)] : [];
    if (!reference) return value;
    // A broker in a container does not see the folder.
    if (findEngine().kind === 'docker') return readFileSync(this.fileOf(file!.replace(':', '/')), 'utf8').trim();
    return value.replace(SECRETS, this.folder);
  }

  private fileOf(file: string): string {
    return path.join(this.folder, path.relative(SECRETS, file));
  }
}

interface Compose {
  services: Record<string, ComposeService>;
}
