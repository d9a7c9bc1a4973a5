import path from 'node:path';
import { parseArgs } from 'node:util';
import { count, topologyOf } from './options';
import type { Topology } from './product';

const DEFAULT_CONCURRENCIES = [1, 16, 64, 256];
const CONCURRENCY_MAX = 1_000;
const CONCURRENCIES_MAX = 8;
const ROUNDS_MAX = 50;
const PERIOD_MS_MAX = 60_000;

export interface RpcOptions {
  /** `standalone`: the same GET without Kafka, which shows the cost of gateway and handler alone. */
  topology: Topology;
  rounds: number;
  concurrencies: number[];
  /** Duration of the measured calls of each candidate, per concurrency and round. */
  periodMs: number;
  /** Duration of calls before that, which open the connections and are not measured. */
  leadMs: number;
  /** Duration of calls to each candidate before the first round. */
  warmUpMs: number;
  /** Measures the product alone. */
  skipFloors: boolean;
  profileDirectory?: string;
}

/** Reads the command line; throws an error that names the flag. */
export function parseRpcOptions(args = process.argv.slice(2)): RpcOptions {
  const { values } = parseArgs({
    args,
    options: {
      topology: { type: 'string', default: 'kafka' },
      rounds: { type: 'string' },
      concurrency: { type: 'string' },
      milliseconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'skip-floors': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
    },
  });
  const { quick } = values;
  const concurrencies = values.concurrency?.split(',').map((text) => count('concurrency', text, 1, 1, CONCURRENCY_MAX));
  if (concurrencies && concurrencies.length > CONCURRENCIES_MAX)
    throw new Error(`--concurrency accepts at most ${CONCURRENCIES_MAX} numbers`);
  return {
    topology: topologyOf(values.topology),
    rounds: count('rounds', values.rounds, quick ? 2 : 3, 1, ROUNDS_MAX),
    concurrencies: concurrencies ?? DEFAULT_CONCURRENCIES,
    periodMs: count('milliseconds', values.milliseconds, quick ? 300 : 2_000, 1, PERIOD_MS_MAX),
    leadMs: quick ? 80 : 400,
    warmUpMs: quick ? 600 : 10_000,
    skipFloors: values['skip-floors'],
    profileDirectory: values.profile ? path.resolve('.') : undefined,
  };
}
