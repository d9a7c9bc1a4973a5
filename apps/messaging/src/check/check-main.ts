import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { messageRequested } from '@tidings/contracts/messaging/events';
import { KafkaInspection } from '@tidings/events/kafka/kafka-inspection';
import { PostgresInspection } from '@tidings/events/postgres/postgres-inspection';
import { connectionConfig } from '@tidings/persistence/connection';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';
import type { Configuration } from '@tidings/runtime/configuration';
import { ProgressLines, StateFile } from '@tidings/runtime/long-command';
import { type CommandOutcome, INTERRUPTED, runCommand, UsageError } from '@tidings/runtime/run-command';
import { ROUTER_GROUP } from '../accept/router-group';
import { check, type CheckState, newState, unrepairedCount } from './check';
import { reportData, reportLines } from './report';

const CLIENT_ID = 'tidings-check';
const USAGE = 'Usage: tidings check [--repair] [--state FILE] [--json]';
/** Exit code where something is wrong, and was not repaired. */
const PROBLEMS_LEFT = 3;
/** Of one page; a page is read along indexes. */
const STATEMENT_MS_MAX = 120_000;

interface Parameters {
  repair?: boolean;
  state?: string;
  json?: boolean;
}

function parametersOf(args: string[]): Parameters {
  try {
    const flag = { type: 'boolean' } as const;
    return parseArgs({ args, options: { repair: flag, json: flag, state: { type: 'string' } } }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** The log in which requests are accepted; undefined where the configuration has none. */
function openLog({ kafka, databaseUrl }: Configuration) {
  const { topic } = messageRequested;
  if (kafka) return new KafkaInspection({ settings: kafka, clientId: CLIENT_ID, topic, group: ROUTER_GROUP });
  return PostgresInspection.open(databaseUrl!, topic, ROUTER_GROUP);
}

async function run(
  configuration: Configuration,
  { repair = false, state: path, json = false }: Parameters,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const file = new StateFile<CheckState>(path, `check${repair ? ' --repair' : ''}`);
  const state = file.read() ?? newState();
  const progress = new ProgressLines();
  const database = await DedicatedConnection.open({
    ...connectionConfig({ databaseUrl: configuration.databaseUrl!, schema: 'messaging', statementTimeoutMs: STATEMENT_MS_MAX }),
    application_name: CLIENT_ID,
  });
  const log = await openLog(configuration);
  let isComplete = true;
  try {
    await check(state, { database, log, repairs: repair, progress, file, signal });
    file.remove();
  } catch (error) {
    file.save(state);
    const how = file.exists ? `run the command again with --state ${path} to continue` : 'without --state FILE, another run begins anew';
    if (!signal.aborted) throw new Error(`${(error as Error).message}; ${how}`, { cause: error });
    progress.say(`Interrupted after ${state.rows} rows and ${state.records} requests; ${how}`);
    isComplete = false;
  } finally {
    database.close();
    await log?.close();
  }
  const lines = json ? [JSON.stringify(reportData(state, isComplete, log !== undefined), null, 2)] : reportLines(state, log !== undefined);
  return { lines, exitCode: isComplete ? (unrepairedCount(state) > 0 ? PROBLEMS_LEFT : 0) : INTERRUPTED };
}

/** `tidings check [--repair] [--state FILE] [--json]` */
runCommand(
  'check',
  'check',
  () => process.env,
  ({ configuration, signal }) => run(configuration, parametersOf(process.argv.slice(2)), signal),
  { logTo: 'stderr' },
);
