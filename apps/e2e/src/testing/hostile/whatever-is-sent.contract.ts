import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../api-client';
import { Campaign } from './campaign';
import { Canary } from './canary';
import { DescribedInterface, type OpenApiDocument } from './described';
import { Wire } from './exchange';
import { KnownIds } from './known-ids';
import { Prober } from './prober';
import { Requests } from './requests';
import { FAILURE_IN_LOG, FAULTS_SHOWN_MAX, FULL, type Length, SEED, testMsMax } from './settings';
import { report } from '../report';
import { System } from '../system';

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

/** What holds whatever is sent to the product, to each operation that it describes. */
export function describeWhateverIsSent(length: Length): void {
  jest.setTimeout(testMsMax(length));
  const { runs } = length;
  /** To each route that is not served: they all have the same handler. */
  const notServedRuns = Math.ceil(runs / 20);

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
      campaign = new Campaign(described, prober, { ...length, seed: SEED }, async () => {
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
      if (length === FULL) expect(campaign.neverDone).toEqual([]);
    });

    it('refuses in words what is not right, harms nothing, and goes on', async () => {
      const faults = await campaign.attackServed(runs);

      report(`Answers of ${campaign.served.length} operations by status: ${JSON.stringify(prober.statusCounts)}`);
      expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
    });

    it('says of every route that is not served that it is not, whatever comes along', async () => {
      const faults = await campaign.attackNotServed(notServedRuns);

      expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
    });

    it('delivers afterwards as before, and has nothing to complain of', async () => {
      await system.client.messageOnce('DELIVERED', await system.client.send('after@example.com'));

      expect(system.output).not.toMatch(FAILURE_IN_LOG);
    });
  });
}
