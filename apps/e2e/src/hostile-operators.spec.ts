import { randomBytes } from 'node:crypto';
import { timesOf } from '@tidings/testing/campaign';
import { ApiClient } from './testing/api-client';
import { Campaign } from './testing/hostile/campaign';
import { DescribedInterface, type OpenApiDocument } from './testing/hostile/openapi-interface';
import { Wire } from './testing/hostile/exchange';
import { ResourceIds } from './testing/hostile/resource-ids';
import { Prober } from './testing/hostile/prober';
import { Requests } from './testing/hostile/requests';
import { FAILURE_IN_LOG, FAULTS_SHOWN_MAX, FULL, SEED, testMsMax } from './testing/hostile/settings';
import { report } from './testing/report';
import { System } from './testing/system';

jest.setTimeout(testMsMax(FULL));
/** Refused in a process without Kafka, where nothing is signed, without dead letters and return paths, and for names that are none of a provider. */
const REFUSED = [
  'POST /admin/events/skip-unverified',
  'POST /admin/bounces',
  'GET /admin/dead-letters/{id}',
  'POST /admin/dead-letters/{id}/redrive',
  'DELETE /admin/dead-letters/{id}',
  'POST /admin/providers/{name}/pause',
  'POST /admin/providers/{name}/resume',
  'POST /admin/workspaces/{workspace_id}/providers/{name}/pause',
  'POST /admin/workspaces/{workspace_id}/providers/{name}/resume',
];
/** Hostile requests to each operation. */
const RUNS = timesOf({ quick: 3, full: FULL.runs });

const ADMIN_KEY = randomBytes(24).toString('base64url');

describe(`requests to every operation of the operators' interface (SEED=${SEED})`, () => {
  let system: System;
  let wire: Wire;
  let operator: ApiClient;
  let prober: Prober;
  let campaign: Campaign;

  beforeAll(async () => {
    system = await System.start({ environment: { TIDINGS_ADMIN_KEY: ADMIN_KEY } });
    wire = new Wire(system.url);
    operator = new ApiClient(system.url, ADMIN_KEY);
    const { incarnation } = system;
    const described = new DescribedInterface((await operator.get<OpenApiDocument>('/admin/openapi.json')).body);
    const ids = new ResourceIds();
    const authorization = `Bearer ${ADMIN_KEY}`;
    // The workspace's key has no access here, and no answer may contain it.
    const requests = new Requests(described, ids, new ResourceIds(), { authorization, others: [`Bearer ${system.key}`] });
    prober = new Prober({ described, wire, ids, requests, authorization, secret: system.key, isRunning: () => system.isRunning });
    campaign = new Campaign(described, prober, { ...FULL, seed: SEED, refused: REFUSED }, async () => {
      const { status } = await operator.get('/health/ready');
      return status === 200 && system.incarnation === incarnation ? [] : [`not ready (${status}), or restarted`];
    });
  });

  afterAll(async () => {
    wire?.close();
    await system?.stop();
  });

  it('answers valid requests as the document describes', async () => {
    const faults = await campaign.makeAll();

    expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
    expect(campaign.neverDone).toEqual([]);
  });

  it('refuses hostile requests with an error body and stays ready', async () => {
    const faults = await campaign.attackServed(RUNS);

    report(`Answers of ${campaign.served.length} operations by status: ${JSON.stringify(prober.statusCounts)}`);
    expect(faults.slice(0, FAULTS_SHOWN_MAX)).toEqual([]);
  });

  it('creates a workspace afterwards, delivers its message, and has logged no error', async () => {
    const body = { name: 'after', account_email: 'after@example.com' };
    const workspace = await operator.request<{ workspace_id: string }>('POST', '/admin/workspaces', { body });
    const keys = `/admin/workspaces/${workspace.body.workspace_id}/keys`;
    const created = await operator.request<{ key: string }>('POST', keys, { body: { mode: 'production' } });
    const client = new ApiClient(system.url, created.body.key);

    await client.messageOnce('DELIVERED', await client.send('after@example.com'));
    expect(system.output).not.toMatch(FAILURE_IN_LOG);
  });
});
