import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, describeRun, runBench } from './bench';
import { monotonicMs } from './clock';
import { type CpuTimes, cpuBetween, perGroup, type ProcessUsage } from './process-usage';
import { groupsOf, printMemory, printProfilesOf } from './product-report';
import { parseRpcOptions } from './rpc-options';
import { printIdle, printRpc, printWrong, rpcTargets } from './rpc-report';
import { measureCandidates, startCandidates } from './rpc-rounds';
import { printTargets } from './targets';

const IDLE_MS = 2_000;

/** Cost of answering one GET in another process, alternating with minimal implementations and with unmodified Nest. */
async function rpc(bench: Bench): Promise<void> {
  const options = parseRpcOptions();
  console.log(describeRun());
  const started = await startCandidates(bench, options);
  const [own] = started.candidates;
  const idle = await idleCpu(own!.usage);

  const { rounds, timeRanges } = await measureCandidates(started, options);

  printRpc(rounds, options);
  printIdle(idle, groupsOf(options.topology));
  const targets = rpcTargets(rounds);
  if (targets.length > 0) printTargets(targets);
  printMemory(own!.usage.peak(), 'after each period; "postgres: postgres" are the connections of (b) and (c)');
  printWrong(rounds);
  if (options.profileDirectory) await printProfilesOf(started.product, options.profileDirectory, timeRanges);
}

/** CPU ms per second of the whole product without requests. */
async function idleCpu(usage: ProcessUsage): Promise<CpuTimes> {
  const startedAt = monotonicMs();
  const before = usage.cpu();
  await delay(IDLE_MS);
  const times = cpuBetween(before, usage.cpu());
  const seconds = (monotonicMs() - startedAt) / 1_000;
  return perGroup((group) => times[group] / seconds);
}

runBench(rpc);
