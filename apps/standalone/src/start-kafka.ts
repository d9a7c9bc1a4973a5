import 'reflect-metadata';
import { runProcess } from '@tidings/runtime/run-process';
import { banner } from './banner';
import { LogRelay } from './processes/log-relay';
import { APPS, startProcesses } from './processes/start-processes';
import { SEED_FLAG } from './seed-flag';

/** The launcher's own name in the log. */
const OWN_NAME = 'tidings';
/** Three stages of processes, then Kafka and PostgreSQL, each with a time limit of its own. */
const STOP_TIMEOUT_MS = 90_000;

const relay = new LogRelay({
  width: Math.max(OWN_NAME.length, ...APPS.map(({ length }) => length)),
  coloured: process.stdout.isTTY && !process.env.NO_COLOR,
  write: (text) => process.stdout.write(text),
});

/** The product over Kafka: starts the five apps in processes of their own, with Kafka and PostgreSQL, and restarts them. */
runProcess(
  'standalone',
  async (context) => {
    process.stdout.write(`${banner(await startProcesses(context, relay, { seed: context.flags.includes(SEED_FLAG) }))}\n`);
  },
  {
    servesHttp: true,
    format: 'lines',
    destination: { write: (line) => relay.write(OWN_NAME, line) },
    flags: { [SEED_FLAG]: 'two workspaces' },
    stopTimeoutMs: STOP_TIMEOUT_MS,
  },
);
