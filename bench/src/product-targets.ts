import { cpuMsPerSend, type Round } from './product-rounds';
import { type Percentiles, spreadOf } from './statistics';
import type { Target } from './targets';

/** Share of the rate of a bare server on the same event log that acceptance must reach. */
const HTTP_SHARE_MIN = 0.5;
const SINGLE_SEND_MS_MAX = 1_000;
const MACHINE_USED_MIN = 0.92;
const PACED_TIMES_MAX = 1.3;
const PACED_AGE_MS_MAX = 30;
const WAL_BYTES_MAX = 3_500;

/** Of what accepts beside the bare server in the same rounds. */
export function acceptTarget(what: string, accepted: readonly number[], http: readonly { perSecond: number }[], aim = 0.8): Target {
  return {
    what: `202s per second ÷ bare node:http: ${what}`,
    values: accepted.map((perSecond, index) => perSecond / http[index]!.perSecond),
    must: { atLeast: HTTP_SHARE_MIN },
    aim,
  };
}

/** Of single sends of another workspace beside the rounds. */
export function singleSendTarget(beside: readonly Percentiles[]): Target {
  const what = 'a single send of another workspace beside the burst: time until it is sent, p99';
  return { what, values: beside.map(({ p99 }) => p99), must: { atMost: SINGLE_SEND_MS_MAX }, unit: ' ms' };
}

export function machineTarget(rounds: readonly Round[]): Target {
  return {
    what: 'machine used while a backlog exists',
    values: rounds.map(({ machineUsed }) => machineUsed),
    must: { atLeast: MACHINE_USED_MIN },
    aim: 0.97,
  };
}

/** Of a round at half the rate that `rounds` reached. */
export function pacedCpuTarget(rounds: readonly Round[], paced: Round): Target {
  const burst = spreadOf(rounds.map(cpuMsPerSend)).median;
  const what = 'CPU per send, paced at half the rate ÷ as fast as it answers';
  return { what, values: [cpuMsPerSend(paced) / burst], must: { atMost: PACED_TIMES_MAX } };
}

export function pacedAgeTarget({ age }: Round): Target {
  return { what: 'age p50, paced at half the rate', values: [age.p50], must: { atMost: PACED_AGE_MS_MAX }, unit: ' ms' };
}

export function walTarget(bytesPerSend: number): Target {
  return { what: 'write-ahead log per send', values: [bytesPerSend], must: { atMost: WAL_BYTES_MAX }, aim: 2_500, unit: ' bytes' };
}
