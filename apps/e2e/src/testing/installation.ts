import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clearSurvivor, readServerNote, type ServerNote } from '@tidings/runtime/postgres-cluster';
import { isRunning } from '@tidings/runtime/process-table';
import { Program } from './program';

const APPS = path.resolve(__dirname, '../../..');

/** The two ways of running: everything in one process, or five processes over Kafka under a launcher. */
export type Way = 'standalone' | 'kafka';
const PROGRAMS: Record<Way, string> = {
  standalone: path.join(APPS, 'standalone/dist/main.js'),
  kafka: path.join(APPS, 'standalone/dist/start-kafka.js'),
};

export type AppName = 'gateway' | 'identity' | 'audience' | 'messaging' | 'content';

/** Variables of the test run that a program would act upon, or refuse. */
const FOREIGN = /^(?:TIDINGS_|KAFKA_|PG|DATABASE_URL$|PORT$|MANAGEMENT_PORT$|LOG_LEVEL$|NODE_OPTIONS$|TEST_)/;

/** The product's data directory, in a folder of its own, and whatever process was left in it. */
export class Installation {
  readonly dataDirectory: string;
  private readonly folder: string;

  constructor() {
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidings-e2e-')));
    this.dataDirectory = path.join(this.folder, 'data');
  }

  /** Starts the product on this data directory; `environment` comes over the test run's own. */
  startProgram(environment: NodeJS.ProcessEnv = {}, parameters: readonly string[] = [], way: Way = 'standalone'): Program {
    const { folder } = this;
    return Program.start(built(PROGRAMS[way]), {
      parameters,
      environment: ownEnvironment({ TIDINGS_DATA_DIR: this.dataDirectory, ...environment }),
      folder,
    });
  }

  /** Starts the product as somebody does who has cloned it: `npm start`. */
  startByNpm(environment: NodeJS.ProcessEnv = {}): Program {
    const parameters = ['--prefix', path.dirname(APPS), 'start'];
    const { folder } = this;
    return Program.run('npm', {
      parameters,
      environment: ownEnvironment({ TIDINGS_DATA_DIR: this.dataDirectory, ...environment }),
      folder,
    });
  }

  /** Starts one more process of an app, beside those that the launcher keeps. */
  startApp(name: AppName, environment: NodeJS.ProcessEnv): Program {
    return Program.start(built(path.join(APPS, name, 'dist/main.js')), { environment: ownEnvironment(environment) });
  }

  /** What the launcher says about the processes it keeps; none before it has started them. */
  get processes(): Partial<Record<AppName, { pid: number; managementPort: number }>> {
    return this.note('processes.json') ?? {};
  }

  /** Passwords of the database's roles, once there is a database. */
  get rolePasswords(): Partial<Record<string, string>> {
    return this.note('role-passwords.json') ?? {};
  }

  /** What the embedded PostgreSQL of this directory says about itself; `undefined` when it is not there. */
  get postgres(): ServerNote | undefined {
    return readServerNote(this.postgresDirectory);
  }

  /** Whether the embedded PostgreSQL's process is there. */
  get hasRunningPostgres(): boolean {
    const note = this.postgres;
    return note !== undefined && isRunning(note.pid);
  }

  /** Stops the PostgreSQL that a killed program left, and removes everything. The program must have ended. */
  async remove(): Promise<void> {
    if (existsSync(this.postgresDirectory)) await clearSurvivor(this.postgresDirectory);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A file that is being written is as good as none. */
  private note<Content>(name: string): Content | undefined {
    try {
      return JSON.parse(readFileSync(path.join(this.dataDirectory, name), 'utf8')) as Content;
    } catch {
      return undefined;
    }
  }

  private get postgresDirectory(): string {
    return path.join(this.dataDirectory, 'postgres');
  }
}

function built(file: string): string {
  if (!existsSync(file)) throw new Error(`${file} is not there: build it first (npx tsc -b)`);
  return file;
}

function ownEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));
  return { ...inherited, LOG_LEVEL: 'info', ...own };
}
