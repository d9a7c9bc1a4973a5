import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import type { VendorCallsCommands } from './floors/vendor-calls';
import { VENDOR_CASES } from './floors/vendor-messages';
import type { PeerRequest, VendorPeerCommands } from './floors/vendor-peer';
import { MAIL_ADAPTER, MailFloors } from './mail-floors';
import { count } from './options';
import { printTable, spread } from './report';
import { printTargets, type Target } from './targets';
import type { Worker } from './worker';

/** Many short rounds: what else runs on the machine then meets both sides of a ratio. */
const ROUNDS = 40;
const CALLS = 1_000;
const WIDTH = 16;
/** Rounds in which V8 compiles; they are not counted. */
const WARM_UP_ROUNDS = 10;
/** What an adapter may take of the CPU of a bare call. */
const RATIO_MAX = 1.3;

interface Measured {
  name: string;
  adapter: number[];
  bare: number[];
}

/** The CPU of adapters, from message to outcome, beside that of the client that they use, with the same bytes and answers. */
async function vendors(bench: Bench): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string' }, calls: { type: 'string' } } });
  const rounds = count('rounds', values.rounds, ROUNDS, 1, 1_000);
  const calls = count('calls', values.calls, CALLS, 1, 1_000_000);

  const peer = bench.worker<VendorPeerCommands>('floors/vendor-peer');
  const { port } = await peer.call('listen', null);
  const run = { origin: `http://127.0.0.1:${port}`, calls, width: WIDTH };
  const measured: Measured[] = [];
  for (const vendor of Object.keys(VENDOR_CASES)) {
    const caller = bench.worker<VendorCallsCommands>('floors/vendor-calls');
    const request = await requestOf(vendor, { peer, caller, run });
    const adapter = () => caller.call('adapter', { ...run, vendor });
    measured.push(await alternating(vendor, rounds, adapter, () => caller.call('bare', { ...run, request })));
  }
  const mails = await MailFloors.start(bench);
  const mail = (floor: Parameters<MailFloors['round']>[0]) => async () => (await mails.round(floor, calls)).cpuMs * 1_000;
  measured.push(await alternating('smtp', rounds, mail(MAIL_ADAPTER), mail('nodemailer pool, TCP_NODELAY')));

  console.log(describeRun());
  printTable(
    `Calls of vendors, ${rounds} rounds of ${calls}; µs of CPU each, median (lowest–highest)`,
    ['', 'adapter', 'bare undici; smtp: nodemailer'],
    measured.map(({ name, adapter, bare }) => [name, spread(adapter), spread(bare)]),
  );
  printTargets(measured.map(targetOf));
}

/** The bytes that an adapter sends. */
async function requestOf(
  vendor: string,
  { peer, caller, run }: { peer: Worker<VendorPeerCommands>; caller: Worker<VendorCallsCommands>; run: { origin: string; width: number } },
): Promise<PeerRequest> {
  await peer.call('answer', VENDOR_CASES[vendor]!.answer);
  await caller.call('adapter', { ...run, calls: 1, vendor });
  return peer.call('last', null);
}

async function alternating(name: string, rounds: number, adapter: () => Promise<number>, bare: () => Promise<number>): Promise<Measured> {
  const measured: Measured = { name, adapter: [], bare: [] };
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    const costs = [await adapter(), await bare()] as const;
    if (round < 0) continue;
    measured.adapter.push(costs[0]);
    measured.bare.push(costs[1]);
  }
  return measured;
}

function targetOf({ name, adapter, bare }: Measured): Target {
  return { what: `${name}, adapter ÷ bare`, values: adapter.map((cost, round) => cost / bare[round]!), must: { atMost: RATIO_MAX } };
}

runBench(vendors);
