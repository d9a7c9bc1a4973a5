import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../api-client';
import { Campaign } from './campaign';
import { Canary } from './canary';
import { DescribedInterface, type OpenApiDocument } from './openapi-interface';
import { Wire } from './exchange';
import { ResourceIds } from './resource-ids';
import { Prober } from './prober';
import { Requests } from './requests';
import { FAILURE_IN_LOG, FAULTS_SHOWN_MAX, type Length, QUICK, SEED, testMsMax } from './settings';
import { report } from '../report';
import { System } from '../system';

/** Text that only the second workspace contains. */
const SECRET = `secret-${randomUUID()}`;
/** Scopes of issued tokens that requests send instead of the key. */
const TOKEN_SCOPES = [
  'user_id:user_id-1 read:messages read:user-tokens write:user-tokens',
  'user_id:x read:preferences write:preferences',
  'read:brands',
];

/** Refused with bodies of JSON, for providers whose vendors report nothing, and with invented keys. */
const REFUSED = ['POST /suppressions/import', 'POST /providers/{id}/rotate-callback', 'POST /console/api/session'];

async function issuedToken(client: ApiClient, scope: string): Promise<string> {
  const { status, body } = await client.request<{ token: string }>('POST', '/auth/issue-token', { body: { scope, expires_in: '1 day' } });
  if (status !== 200) throw new Error(`POST /auth/issue-token answered ${status}: ${JSON.stringify(body)}`);
  return body.token;
}

/** Expectations on valid and hostile requests to every operation that the product describes. */
export function describeHostileRequests(length: Length): void {
  jest.setTimeout(testMsMax(length));
  const { runs } = length;
  /** Fewer requests to each route that is not served, since one handler serves all of them. */
  const notServedRuns = Math.ceil(runs / 20);

  describe(`requests to every described operation (SEED=${SEED})`, () => {
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
      const keys = await client.get<{ results: { key_id: string }[] }>('/console/api/keys');
      const ids = new ResourceIds(keys.body.results.map(({ key_id: id }) => id));
      ids.add('domain', 'default'); // the only domain of translations
      const othersIds = new ResourceIds();
      othersIds.add('user_id', theirs.userId);
      othersIds.add('message_id', theirs.messageId);
      const tokens = await Promise.all(TOKEN_SCOPES.map((scope) => issuedToken(client, scope)));
      const authorization = `Bearer ${system.key}`;
      const requests = new Requests(described, ids, othersIds, { authorization, others: tokens.map((token) => `Bearer ${token}`) });
      prober = new Prober({ described, wire, ids, requests, authorization, secret: SECRET, isRunning: () => system.isRunning });
      campaign = new Campaign(described, prober, { ...length, seed: SEED, refused: REFUSED }, async () => {
        const { status } = await client.get('/health/ready');
        const readiness = status === 200 && system.incarnation === incarnation ? [] : [`not ready (${status}), or restarted`];
        return [...readiness, ...(await mine.changes()), ...(await theirs.changes())];
      });
    });

    afterAll(async () => {
      wire?.close();
      await system?.stop();
    });

    it('answers valid requests as the document describes', async () => {
      const faults = await campaign.makeAll();

      expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
      if (length !== QUICK) expect(campaign.neverDone).toEqual([]);
    });

    it('refuses hostile requests with an error body, changes no other data, and stays ready', async () => {
      const faults = await campaign.attackServed(runs);

      report(`Answers of ${campaign.served.length} operations by status: ${JSON.stringify(prober.statusCounts)}`);
      expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
    });

    it('answers 501 to every request to a route that is not served', async () => {
      const faults = await campaign.attackNotServed(notServedRuns);

      expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
    });

    it('delivers a message afterwards and has logged no error', async () => {
      await system.client.messageOnce('DELIVERED', await system.client.send('after@example.com'));

      expect(system.output).not.toMatch(FAILURE_IN_LOG);
    });
  });
}
