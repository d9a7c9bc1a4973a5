import 'reflect-metadata';
import { LogRelay } from './processes/log-relay';
import { APPS, startProcesses } from './processes/start-processes';
import { runStandalone } from './run-standalone';

/** The launcher's own name in the log. */
const OWN_NAME = 'tidings';

const relay = new LogRelay({
  width: Math.max(OWN_NAME.length, ...APPS.map(({ length }) => length)),
  coloured: process.stdout.isTTY && !process.env.NO_COLOR,
  write: (text) => process.stdout.write(text),
});

/** The product over Kafka: starts the five apps in processes of their own, with Kafka and PostgreSQL, and restarts them. */
runStandalone((context, seed) => startProcesses(context, relay, seed), {
  destination: { write: (line) => relay.write(OWN_NAME, line) },
  silentMs: 0,
  // Three stages of processes, then Kafka and PostgreSQL, each with a time limit of its own.
  stopTimeoutMs: 90_000,
});
