import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:http2';
import { parseArgs } from 'node:util';
import { parseNetwork } from '@tidings/contracts/core/network';
import { apnKind } from '@tidings/providers/apn/apn';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { type Bench, describeRun, runBench } from './bench';
import type { Http2PeerCommands } from './floors/http2-peer';
import { count } from './options';
import { printTable, spread } from './report';
import { printTargets } from './targets';

const ROUNDS = 9;
const CALLS = 10_000;
/** Requests that are open at once, over the one connection. */
const WIDTH = 100;
/** Of a bare client's calls per second. */
const RATIO_MIN = 0.8;

const RENDERED = { kind: 'push', push: { title: 'Order', body: 'Shipped', data: { n: 1 } } } as const;
const PAYLOAD = JSON.stringify({ n: 1, aps: { alert: { title: 'Order', body: 'Shipped' } } });
const MESSAGE_ID = '1-5e2b2615-05efbb3acab9172f88dd3f6f';

interface Rate {
  perSecond: number;
  /** CPU of this process for a call, in µs. */
  cpuUs: number;
}
type Call = (number: number) => Promise<void>;

/** Push messages by APNs over one connection, beside the same requests by the client of Node. */
async function apns(bench: Bench): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string' }, calls: { type: 'string' } } });
  const rounds = count('rounds', values.rounds, ROUNDS, 1, 50);
  const calls = count('calls', values.calls, CALLS, 1, 1_000_000);
  const { port } = await bench.worker<Http2PeerCommands>('floors/http2-peer').call('listen', null);
  const url = `http://127.0.0.1:${port}`;
  const [adapter, bare] = [adapterOf(bench, url), bareOf(bench, url)];
  const rates = { adapter: [] as Rate[], bare: [] as Rate[] };
  // The first round warms up. Alternating, so that other load on the machine affects both.
  for (let round = 0; round <= rounds; round += 1) {
    rates.adapter.push(await rateOf(adapter, calls));
    rates.bare.push(await rateOf(bare, calls));
  }
  const [ours, theirs] = [rates.adapter.slice(1), rates.bare.slice(1)];

  console.log(describeRun());
  printTable(
    `Push messages by APNs, ${rounds} rounds of ${calls}, ${WIDTH} at once; median (lowest–highest)`,
    ['', 'per second', 'µs of CPU each'],
    [
      ['adapter', spread(ours.map(({ perSecond }) => perSecond)), spread(ours.map(({ cpuUs }) => cpuUs))],
      ['bare http2', spread(theirs.map(({ perSecond }) => perSecond)), spread(theirs.map(({ cpuUs }) => cpuUs))],
    ],
  );
  const ratios = ours.map(({ perSecond }, round) => perSecond / theirs[round]!.perSecond);
  printTargets([{ what: 'per second, adapter ÷ bare', values: ratios, must: { atLeast: RATIO_MIN } }]);
}

function adapterOf(bench: Bench, url: string): Call {
  const { privateKey: key } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const guard = new AddressGuard({ allowed: [parseNetwork('127.0.0.1/32')!] });
  const settings = { key, key_id: 'ABC123DEFG', team_id: 'DEF123GHIJ', topic: 'com.example.app', base_url: url };
  const provider = apnKind.open(apnKind.parseSettings(settings), { guard });
  bench.atEnd('the adapter', () => provider.close());
  const attempt = { messageId: MESSAGE_ID, idempotencyKey: `${MESSAGE_ID}.0`, number: 1, renderedAt: new Date() };
  return async (number) => {
    const outcome = await provider.send(RENDERED, { channel: 'push', tokens: [{ token: `t${number}`, provider_key: 'apn' }] }, attempt);
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  };
}

/** The bytes that the adapter sends, with an authorization of the same length. */
function bareOf(bench: Bench, url: string): Call {
  const session = connect(url);
  bench.atEnd('the bare client', () => session.destroy());
  const headers = {
    ':method': 'POST',
    'user-agent': 'tidings',
    'accept-encoding': 'identity',
    'content-type': 'application/json; charset=utf-8',
    authorization: `bearer ${'x'.repeat(180)}`,
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
  };
  return (number) =>
    new Promise((resolve, reject) => {
      const id = String(number).padStart(12, '0');
      const stream = session.request({ ...headers, ':path': `/3/device/t${number}`, 'apns-id': `a0000000-0000-8000-a000-${id}` });
      stream.on('error', reject).on('end', resolve).resume();
      stream.end(PAYLOAD);
    });
}

async function rateOf(call: Call, calls: number): Promise<Rate> {
  let started = 0;
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const lane = async () => {
    while (started < calls) await call(started++);
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (calls * 1_000) / (performance.now() - startedAt), cpuUs: (user + system) / calls };
}

runBench(apns);
