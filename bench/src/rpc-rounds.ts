import type { Bench } from './bench';
import { startBroker } from './broker';
import { monotonicMs } from './clock';
import { Product } from './product';
import { groupsOf } from './product-report';
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
import type { RpcOptions } from './rpc-options';
import type { Rounds } from './rpc-report';

const PREPARE_CONNECTIONS = 16;
const WARM_UP_CALLERS = 64;

/** The product and what it is measured beside; the product comes first. */
export interface Candidates {
  candidates: Candidate[];
  product: Product;
}

/** Starts and warms up all candidates and checks that their answers are equal. */
export async function startCandidates(bench: Bench, options: RpcOptions): Promise<Candidates> {
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

/** Measures all candidates alternately; also resolves with the periods of the product. */
export async function measureCandidates(
  { candidates, product }: Candidates,
  options: RpcOptions,
): Promise<{ rounds: Rounds; timeRanges: TimeRange[] }> {
  const [own] = candidates;
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
  return { rounds, timeRanges };
}
