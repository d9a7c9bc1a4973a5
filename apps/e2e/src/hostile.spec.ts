import { randomUUID } from 'node:crypto';
import type { ApiClient } from './testing/api-client';
import { Campaign } from './testing/hostile/campaign';
import { Canary } from './testing/hostile/canary';
import { DescribedInterface, type OpenApiDocument } from './testing/hostile/described';
import { Wire } from './testing/hostile/exchange';
import { KnownIds } from './testing/hostile/known-ids';
import { Prober } from './testing/hostile/prober';
import { Requests } from './testing/hostile/requests';
import { FAILURE_IN_LOG, FAULTS_SHOWN_MAX, RUNS, SEED, TEST_MS_MAX } from './testing/hostile/settings';
import { report } from './testing/report';
import { System } from './testing/system';

jest.setTimeout(TEST_MS_MAX);

/** To each route that is not served: they all have the same handler. */
const NOT_SERVED_RUNS = Math.ceil(RUNS / 20);
/** Stands in the second workspace alone. */
const SECRET = `secret-${randomUUID()}`;
/** Scopes of issued tokens that requests carry instead of the key. */
const TOKEN_SCOPES = [
  'user_id:user_id-1 read:messages read:user-tokens write:user-tokens',
  'user_id:x read:preferences write:preferences',
  'read:brands',
];

async function issuedToken(client: ApiClient, scope: string): Promise<string> {
  const { status, body } = await client.request<{ token: string }>('POST', '/auth/issue-token', { body: { scope, expires_in: '1 day' } });
  if (status !== 200) throw new Error(`POST /auth/issue-token answered ${status}: ${JSON.stringify(body)}`);
  return body.token;
}

describe(`whatever is sent to the interface that the product describes (SEED=${SEED})`, () => {
  let system: System;
  let wire: Wire;
  let prober: Prober;
  let campaign: Campaign;

  beforeAll(async () => {
    system = await System.start({ seed: true });
    wire = new Wire(system.url);
    const { client, incarnation } = system;
    const described = new DescribedInterface((await client.get<OpenApiDocument>('/openapi.json')).body);
    const mine = await Canary.released(client, 'canary-of-the-first', 'Ada');
    const theirs = await Canary.released(system.secondClient, 'canary-of-the-second', SECRET);
    const ids = new KnownIds();
    ids.add('domain', 'default'); // the one that translations have
    const othersIds = new KnownIds();
    othersIds.add('user_id', theirs.userId);
    othersIds.add('message_id', theirs.messageId);
    const tokens = await Promise.all(TOKEN_SCOPES.map((scope) => issuedToken(client, scope)));
    const authorization = `Bearer ${system.key}`;
    const requests = new Requests(described, ids, othersIds, { authorization, others: tokens.map((token) => `Bearer ${token}`) });
    prober = new Prober({ described, wire, ids, requests, authorization, secret: SECRET, isRunning: () => system.isRunning });
    campaign = new Campaign(described, prober, SEED, async () => {
      const { status } = await client.get('/health/ready');
      const wellBeing = status === 200 && system.incarnation === incarnation ? [] : [`not ready (${status}), or started anew`];
      return [...wellBeing, ...(await mine.changes()), ...(await theirs.changes())];
    });
  });

  afterAll(async () => {
    wire?.close();
    await system?.stop();
  });

  it('does what is rightly asked, and answers as the document says', async () => {
    const faults = await campaign.makeAll();

    expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
    expect(campaign.neverDone).toEqual([]);
  });

  it('refuses in words what is not right, harms nothing, and goes on', async () => {
    const faults = await campaign.attackServed(RUNS);

    report(`Answers of ${campaign.served.length} operations by status: ${JSON.stringify(prober.statusCounts)}`);
    expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
  });

  it('says of every route that is not served that it is not, whatever comes along', async () => {
    const faults = await campaign.attackNotServed(NOT_SERVED_RUNS);

    expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
  });

  it('delivers afterwards as before, and has nothing to complain of', async () => {
    await system.client.messageOnce('DELIVERED', await system.client.send('after@example.com'));

    expect(system.output).not.toMatch(FAILURE_IN_LOG);
  });
});
