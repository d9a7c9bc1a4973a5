import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clearSurvivor, readServerNote, type ServerNote } from '@tidings/runtime/postgres-cluster';
import { isRunning } from '@tidings/runtime/process-table';
import { Program } from './program';

const ROOT = path.resolve(__dirname, '../../../..');

/** Topologies of the product: one process, or five processes over Kafka under a launcher. */
export type Topology = 'standalone' | 'kafka';
/** Entries of the bundle. */
const PROGRAMS: Record<Topology, string> = {
  standalone: 'standalone',
  kafka: 'start-kafka',
};

export type AppName = 'gateway' | 'identity' | 'audience' | 'messaging' | 'content';

/** Variables of the test run that would configure a program, or that it would refuse. */
const FOREIGN = /^(?:TIDINGS_|KAFKA_|PG|DATABASE_|PORT$|MANAGEMENT_PORT$|LOG_LEVEL$|NODE_OPTIONS$|TEST_)/;

/** A data directory of the product in its own temporary folder, with the processes that use it. */
export class Installation {
  readonly dataDirectory: string;
  private readonly folder: string;

  constructor() {
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidings-e2e-')));
    this.dataDirectory = path.join(this.folder, 'data');
  }

  /** Starts the product on this data directory; `environment` overrides the test run's own. */
  startProgram(environment: NodeJS.ProcessEnv = {}, parameters: readonly string[] = [], topology: Topology = 'standalone'): Program {
    const { folder } = this;
    return Program.start(built(PROGRAMS[topology]), {
      parameters,
      environment: ownEnvironment({ TIDINGS_DATA_DIR: this.dataDirectory, ...environment }),
      folder,
    });
  }

  /** Starts the product by `npm start`, as a clone is started. */
  startByNpm(environment: NodeJS.ProcessEnv = {}): Program {
    const parameters = ['--prefix', ROOT, 'start'];
    const { folder } = this;
    return Program.run('npm', {
      parameters,
      environment: ownEnvironment({ TIDINGS_DATA_DIR: this.dataDirectory, ...environment }),
      folder,
    });
  }

  /** Starts one more process of an app beside those of the launcher. */
  startApp(name: AppName, environment: NodeJS.ProcessEnv): Program {
    return Program.start(built(name), { environment: ownEnvironment(environment) });
  }

  /** Runs the command `tidings`. */
  startCommand(parameters: readonly string[], environment: NodeJS.ProcessEnv): Program {
    return Program.start(path.join(ROOT, 'bin/tidings.mjs'), { parameters, environment: ownEnvironment(environment) });
  }

  /** Processes of the launcher; empty before it has started them. */
  get processes(): Partial<Record<AppName, { pid: number; managementPort: number }>> {
    return this.note('processes.json') ?? {};
  }

  /** Passwords of the database's roles, once there is a database. */
  get rolePasswords(): Partial<Record<string, string>> {
    return this.note('role-passwords.json') ?? {};
  }

  /** File of the secret by which the launcher's processes sign, once it has started them. */
  get rpcSecretFile(): string {
    return path.join(this.dataDirectory, 'rpc-secret');
  }

  /** The server note of this directory's embedded PostgreSQL; `undefined` without one. */
  get postgres(): ServerNote | undefined {
    return readServerNote(this.postgresDirectory);
  }

  /** Whether the embedded PostgreSQL's process runs. */
  get hasRunningPostgres(): boolean {
    const note = this.postgres;
    return note !== undefined && isRunning(note.pid);
  }

  /** Stops a PostgreSQL that a killed program left and removes the folder. The program must have ended. */
  async remove(): Promise<void> {
    if (existsSync(this.postgresDirectory)) await clearSurvivor(this.postgresDirectory);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The parsed file; `undefined` when it is missing or incompletely written. */
  private note<Content>(name: string): Content | undefined {
    try {
      return JSON.parse(readFileSync(path.join(this.dataDirectory, name), 'utf8')) as Content;
    } catch {
      return undefined;
    }
  }

  /** Folder of the embedded PostgreSQL. */
  get postgresDirectory(): string {
    return path.join(this.dataDirectory, 'postgres');
  }
}

/** The file of an entry of the bundle. @throws Error when there is no bundle */
function built(entry: string): string {
  const file = path.join(ROOT, 'dist', `${entry}.js`);
  if (!existsSync(file)) throw new Error(`${file} does not exist: build it first (npm run build)`);
  return file;
}

/** The environment of a program: that of the test run without what would configure it, and its own. */
export function ownEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));
  return { ...inherited, LOG_LEVEL: 'info', ...own };
}
