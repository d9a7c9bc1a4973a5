import { generateKeyPairSync } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Bench, describeRun, runBench } from './bench';
import { startFloorDatabase } from './bench-log';
import type { CallbackLoadCommands } from './floors/callback-load';
import type { CallbackServerCommands } from './floors/callback-server';
import { count } from './options';
import { printTable, spread } from './report';
import { printTargets } from './targets';

const ROUNDS = 9;
const CALLBACKS = 3_000;
const CONNECTIONS = 64;
/** Of a bare server's callbacks per second. */
const RATIO_MIN = 0.4;

/** Verified callbacks per second, beside a bare server that appends the same records. */
async function callbacks(bench: Bench): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string' }, callbacks: { type: 'string' } } });
  const rounds = count('rounds', values.rounds, ROUNDS, 1, 50);
  const each = count('callbacks', values.callbacks, CALLBACKS, 1, 1_000_000);
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const { databaseUrl, stop } = await startFloorDatabase(path.join(bench.directory(), 'postgres'));
  bench.atEnd('PostgreSQL', stop);
  const target = { log: { databaseUrl }, publicKey: publicKey.toString('base64') };
  const gateway = await bench.worker<CallbackServerCommands>('floors/callback-server').call('gateway', target);
  const bare = await bench.worker<CallbackServerCommands>('floors/callback-server').call('bare', target);
  const load = bench.worker<CallbackLoadCommands>('floors/callback-load');
  const rateOf = async ({ port }: { port: number }) => {
    const run = { port, run: bench.run(), callbacks: each, connections: CONNECTIONS, privateKey };
    const { elapsedMs, failed } = await load.call('callBack', run);
    if (failed > 0) throw new Error(`${failed} of ${each} callbacks were not answered with 200`);
    return (each * 1_000) / elapsedMs;
  };
  const rates = { gateway: [] as number[], bare: [] as number[] };
  // The first round warms up. Alternating, so that other load on the machine affects both.
  for (let round = 0; round <= rounds; round += 1) {
    rates.gateway.push(await rateOf(gateway));
    rates.bare.push(await rateOf(bare));
  }
  const [ours, theirs] = [rates.gateway.slice(1), rates.bare.slice(1)];

  console.log(describeRun());
  printTable(
    `Callbacks of SendGrid, ${rounds} rounds of ${each}, ${CONNECTIONS} connections; per second, median (lowest–highest)`,
    ['', 'per second'],
    [
      ['gateway, signature verified', spread(ours)],
      ['bare node:http', spread(theirs)],
    ],
  );
  const ratios = ours.map((rate, round) => rate / theirs[round]!);
  printTargets([{ what: 'per second, gateway ÷ bare', values: ratios, must: { atLeast: RATIO_MIN } }]);
}

runBench(callbacks);
