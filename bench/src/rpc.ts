import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, describeRun, runBench } from './bench';
import { startBroker } from './broker';
import { monotonicMs } from './clock';
import { type CpuTimes, cpuBetween, perGroup, type ProcessUsage } from './process-usage';
import { Product } from './product';
import { groupsOf, printMemory, printProfilesOf } from './product-report';
import type { ProfileLoadCommands } from './profile-load';
import type { TimeRange } from './profile';
import {
  type RpcSetup,
  assertSameAnswers,
  bareFastify,
  bareRoundTrip,
  type Candidate,
  measure,
  productCandidate,
  unmodifiedNest,
} from './rpc-candidates';
import { parseRpcOptions, type RpcOptions } from './rpc-options';
import { printIdle, printRpc, printRpcTargets, printWrong, type Rounds } from './rpc-report';

const PREPARE_CONNECTIONS = 16;
const WARM_UP_CALLERS = 64;
const IDLE_MS = 2_000;

/** Cost of answering one GET in another process, alternating with minimal implementations and with unmodified Nest. */
async function rpc(bench: Bench): Promise<void> {
  const options = parseRpcOptions();
  console.log(describeRun());
  const { candidates, product } = await start(bench, options);
  const [own] = candidates;
  const idle = await idleCpu(own!.usage);

  const timeRanges: TimeRange[] = [];
  const rounds: Rounds = new Map(candidates.map((one) => [one, new Map(options.concurrencies.map((callers) => [callers, []]))]));
  for (let round = 0; round < options.rounds; round++) {
    for (const callers of options.concurrencies) {
      for (const candidate of candidates) {
        const startedAt = monotonicMs();
        rounds
          .get(candidate)!
          .get(callers)!
          .push(await measure(candidate, { callers, ...options }));
        if (candidate !== own) continue;
        timeRanges.push([startedAt, monotonicMs()]);
        own.usage.memory(); // samples the memory for the peak
      }
    }
  }
  if (!product.alive) throw new Error(`The product ended by itself:\n${product.log}`);

  printRpc(rounds, options);
  printIdle(idle, groupsOf(options.topology));
  printRpcTargets(candidates, rounds);
  printMemory(own!.usage.peak(), 'after each period; "postgres: postgres" are the connections of (b) and (c)');
  printWrong(rounds);
  if (options.profileDirectory) await printProfilesOf(product, options.profileDirectory, timeRanges);
}

/** Starts and warms up all candidates and checks that their answers are equal; the product comes first. */
async function start(bench: Bench, options: RpcOptions): Promise<{ candidates: Candidate[]; product: Product }> {
  const broker = await startBroker(bench);
  const load = bench.worker<ProfileLoadCommands>('profile-load');
  const product = await Product.start({
    directory: bench.directory(),
    ...(options.topology === 'kafka' && { broker }),
    profileDirectory: options.profileDirectory,
  });
  bench.atEnd('the product', () => product.stop());
  console.log(`The product was ready after ${Math.round(product.readyAfterMs)} ms`);
  await load.call('prepare', { port: product.port, key: product.key, connections: PREPARE_CONNECTIONS });

  const setup: RpcSetup = { bench, broker, product, load };
  const floors = options.skipFloors ? [] : [await bareRoundTrip(setup), await unmodifiedNest(setup), await bareFastify(setup)];
  const candidates = [productCandidate(setup, groupsOf(options.topology)), ...floors];
  await assertSameAnswers(candidates, product.key);
  const warmUp = { callers: WARM_UP_CALLERS, leadMs: options.leadMs, periodMs: options.warmUpMs };
  for (const candidate of candidates) await measure(candidate, warmUp);
  return { candidates, product };
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
