import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, describeRun, runBench } from './bench';
import { startBroker } from './broker';
import { monotonicMs } from './clock';
import { type CpuTimes, cpuBetween, perGroup, type ProcessUsage } from './process-usage';
import { Product } from './product';
import { groupsOf, printMemory, printProfilesOf } from './product-report';
import type { ProfileLoadCommands } from './profile-load';
import type { Stretch } from './profile';
import {
  type Arena,
  assertSameAnswers,
  bareFastify,
  bareRoundTrip,
  type Contestant,
  measure,
  productContestant,
  stockNest,
} from './rpc-contestants';
import { parseRpcOptions, type RpcOptions } from './rpc-options';
import { printIdle, printRpc, printRpcTargets, printWrong, type Rounds } from './rpc-report';

const PREPARE_CONNECTIONS = 16;
const WARM_UP_CALLERS = 64;
const IDLE_MS = 2_000;

/** What it costs to answer one GET in another process, in turns with what it could cost at least, and with what Nest brings. */
async function rpc(bench: Bench): Promise<void> {
  const options = parseRpcOptions();
  console.log(describeRun());
  const { contestants, product } = await start(bench, options);
  const [own] = contestants;
  const idle = await idleCpu(own!.usage);

  const stretches: Stretch[] = [];
  const rounds: Rounds = new Map(contestants.map((one) => [one, new Map(options.concurrencies.map((callers) => [callers, []]))]));
  for (let round = 0; round < options.rounds; round++) {
    for (const callers of options.concurrencies) {
      for (const contestant of contestants) {
        const begunAt = monotonicMs();
        rounds
          .get(contestant)!
          .get(callers)!
          .push(await measure(contestant, { callers, ...options }));
        if (contestant !== own) continue;
        stretches.push([begunAt, monotonicMs()]);
        own.usage.memory(); // counts for the peak
      }
    }
  }
  if (!product.alive) throw new Error(`The product ended by itself:\n${product.log}`);

  printRpc(rounds, options);
  printIdle(idle, groupsOf(options.way));
  printRpcTargets(contestants, rounds);
  printMemory(own!.usage.peak(), 'after each stretch; "postgres: postgres" are the connections of (b) and (c)');
  printWrong(rounds);
  if (options.profileDirectory) await printProfilesOf(product, options.profileDirectory, stretches);
}

/** Everything up, warm, and found to give the same answers; the product comes first. */
async function start(bench: Bench, options: RpcOptions): Promise<{ contestants: Contestant[]; product: Product }> {
  const broker = await startBroker(bench);
  const load = bench.worker<ProfileLoadCommands>('profile-load');
  const product = await Product.start({
    directory: bench.directory(),
    ...(options.way === 'kafka' && { broker }),
    profileDirectory: options.profileDirectory,
  });
  bench.atEnd('the product', () => product.stop());
  console.log(`The product was ready after ${Math.round(product.readyAfterMs)} ms`);
  await load.call('prepare', { port: product.port, key: product.key, connections: PREPARE_CONNECTIONS });

  const arena: Arena = { bench, broker, product, load };
  const floors = options.skipFloors ? [] : [await bareRoundTrip(arena), await stockNest(arena), await bareFastify(arena)];
  const contestants = [productContestant(arena, groupsOf(options.way)), ...floors];
  await assertSameAnswers(contestants, product.key);
  const warmUp = { callers: WARM_UP_CALLERS, leadMs: options.leadMs, stretchMs: options.warmUpMs };
  for (const contestant of contestants) await measure(contestant, warmUp);
  return { contestants, product };
}

/** ms per second, of all that the product runs, while nobody asks. */
async function idleCpu(usage: ProcessUsage): Promise<CpuTimes> {
  const begunAt = monotonicMs();
  const before = usage.cpu();
  await delay(IDLE_MS);
  const times = cpuBetween(before, usage.cpu());
  const seconds = (monotonicMs() - begunAt) / 1_000;
  return perGroup((group) => times[group] / seconds);
}

runBench(rpc);
