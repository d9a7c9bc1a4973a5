import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Topology, TOPOLOGIES } from './product';

const SENDS_MAX = 1_000_000;
const CONNECTIONS_MAX = 1_000;
const ROUNDS_MAX = 50;
const RATE_MAX = 100_000;
const LONG_SENDS = 50_000;

export interface BenchOptions {
  /** What is measured: everything in one process, or five processes over Kafka. */
  topology: Topology;
  /** Of one round. */
  sends: number;
  /** Keep-alive HTTP connections, each with one request in flight. */
  connections: number;
  rounds: number;
  /** One round of 50,000 messages, with the memory after every 5,000. */
  long: boolean;
  /** Addresses in the send itself, instead of stored profiles. */
  inline: boolean;
  /** The sends name a template, instead of containing its content. Only for `deliver`. */
  template: boolean;
  /** Sends per second of the paced round, which shows the age without a queue; 0 leaves it out. Absent: half of what was reached. */
  rate?: number;
  /** Folder for the product's CPU profiles; absent: the product is not profiled. */
  profileDirectory?: string;
  /** Measures the product alone. */
  skipFloors: boolean;
  /** Commit of this repository that is measured beside the present tree, instead of floors. */
  against?: string;
}

export type BenchDefaults = Pick<BenchOptions, 'sends' | 'connections' | 'rounds'>;

/** Reads the command line; throws an error that names the flag. */
export function parseOptions(defaults: BenchDefaults, args = process.argv.slice(2)): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      topology: { type: 'string', default: TOPOLOGIES[0] },
      sends: { type: 'string' },
      connections: { type: 'string' },
      rounds: { type: 'string' },
      rate: { type: 'string' },
      long: { type: 'boolean', default: false },
      inline: { type: 'boolean', default: false },
      template: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      'skip-floors': { type: 'boolean', default: false },
      against: { type: 'string' },
    },
  });
  if (values.against !== undefined && (values.long || values.profile || values.template)) {
    throw new Error('--against has neither --long nor --profile nor --template');
  }
  return {
    topology: topologyOf(values.topology),
    sends: count('sends', values.sends, values.long ? LONG_SENDS : defaults.sends, 1, SENDS_MAX),
    connections: count('connections', values.connections, defaults.connections, 1, CONNECTIONS_MAX),
    rounds: count('rounds', values.rounds, values.long ? 1 : defaults.rounds, 1, ROUNDS_MAX),
    long: values.long,
    inline: values.inline,
    template: values.template,
    rate: values.rate === undefined ? undefined : count('rate', values.rate, 0, 0, RATE_MAX),
    profileDirectory: values.profile ? path.resolve('.') : undefined,
    skipFloors: values['skip-floors'],
    against: values.against,
  };
}

/** @throws an error that names the flag and its values */
export function topologyOf(text: string): Topology {
  const topology = TOPOLOGIES.find((one) => one === text);
  if (!topology) throw new Error(`--topology=${text} must be ${TOPOLOGIES.join(' or ')}`);
  return topology;
}

/** The value of a numeric flag, or `fallback`. @throws an error that names the flag */
export function count(name: string, text: string | undefined, fallback: number, min: number, max: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`--${name}=${text} must be a whole number from ${min} to ${max}`);
  }
  return value;
}
