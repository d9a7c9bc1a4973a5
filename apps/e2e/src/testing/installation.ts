import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clearSurvivor, readServerNote, type ServerNote } from '@tidings/runtime/postgres-cluster';
import { isRunning } from '@tidings/runtime/process-table';
import { Program } from './program';

const STANDALONE = path.resolve(__dirname, '../../../standalone/dist/main.js');

/** Variables of the test run that a program would act upon, or refuse. */
const FOREIGN = /^(?:TIDINGS_|KAFKA_|PG|DATABASE_URL$|PORT$|MANAGEMENT_PORT$|LOG_LEVEL$|NODE_OPTIONS$|TEST_POSTGRES_URL$)/;

/** The standalone program's data directory, in a folder of its own, and whatever process was left in it. */
export class Installation {
  readonly dataDirectory: string;
  private readonly folder: string;

  constructor() {
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidings-e2e-')));
    this.dataDirectory = path.join(this.folder, 'data');
  }

  /** Starts the standalone program on this data directory; `environment` comes over the test run's own. */
  startProgram(environment: NodeJS.ProcessEnv = {}, parameters: readonly string[] = []): Program {
    if (!existsSync(STANDALONE)) throw new Error(`${STANDALONE} is not there: build it first (npx tsc -b apps/standalone)`);
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));
    const own = { TIDINGS_DATA_DIR: this.dataDirectory, LOG_LEVEL: 'info', ...environment };
    return Program.start(STANDALONE, { parameters, environment: { ...inherited, ...own } });
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

  private get postgresDirectory(): string {
    return path.join(this.dataDirectory, 'postgres');
  }
}
