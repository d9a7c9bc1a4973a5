import { randomUUID } from 'node:crypto';
import { type CallContext, SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { providers } from '@tidings/contracts/messaging/providers';
import { contextOf } from '@tidings/testing/context-of';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { ProvidersUnderTest } from '../testing/start-providers';

const OPERATOR = { type: 'operator', id: 'anna' } as const;
let messaging: ProvidersUnderTest;
let context: CallContext;
const all: CallContext = { ...contextOf(SYSTEM_WORKSPACE_ID), actor: OPERATOR };

beforeAll(async () => {
  messaging = await ProvidersUnderTest.start();
});
afterAll(() => messaging.service.stop());
beforeEach(() => {
  context = { ...contextOf(randomUUID()), actor: OPERATOR };
});

const list = async (of = context) => (await messaging.service.call(providerPauses.list, of, {})).results;
const pause = (name: string, of = context) => messaging.service.call(providerPauses.pause, of, { name });
const resume = (name: string, of = context) => messaging.service.call(providerPauses.resume, of, { name });
const paused = { state: 'paused', paused_at: expect.any(String) as string, paused_by: 'anna' };

it('pauses a configuration by its id or alias, once, and resumes it', async () => {
  const { id } = await messaging.configure(context, { alias: 'gateway' });
  const workspace_id = context.workspaceId;
  const configuration = { name: id, provider: 'http', channel: 'sms', alias: 'gateway', workspace_id };

  const state = await pause('gateway');
  expect(state).toEqual({ ...configuration, ...paused });
  await expect(pause(id, { ...context, actor: { type: 'operator', id: 'otto' } })).resolves.toEqual(state);
  await expect(list()).resolves.toEqual([state, { name: 'default', provider: 'smtp', channel: 'email', workspace_id, state: 'active' }]);

  await expect(resume('gateway')).resolves.toEqual({ ...configuration, state: 'active' });
  await expect(list()).resolves.toContainEqual({ ...configuration, state: 'active' });
});

it('lists what a pause of a kind stops, and the pause itself', async () => {
  const { id } = await messaging.configure(context);
  await messaging.configure(context, { enabled: false });

  await pause('http', all);

  expect((await list()).map(({ name, state, workspace_id }) => [name, state, workspace_id === undefined])).toEqual([
    [id, 'paused', false],
    [expect.any(String), 'paused', false],
    ['default', 'active', false],
    ['http', 'paused', true],
  ]);
  await expect(list(all)).resolves.toContainEqual({ name: 'http', provider: 'http', ...paused });
  await resume('http', all);
  await expect(list()).resolves.toMatchObject([{ state: 'active' }, { state: 'disabled' }, { name: 'default' }]);
});

it('knows no other names', async () => {
  const { id } = await messaging.configure(context, { alias: 'office' });

  await expect(pause('pigeon')).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('Known here: office, default') as string,
  });
  await expect(pause(id, all)).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('--workspace') as string });
  await expect(resume('pigeon')).rejects.toMatchObject({ code: 'not_found' });
});

it('outlives the configuration that it names, and is ended by its id', async () => {
  const { id } = await messaging.configure(context);
  await pause(id);

  await messaging.service.call(providers.remove, context, { id });
  await expect(list()).resolves.toMatchObject([{ name: 'default' }, { name: id, state: 'paused' }]);
  await resume(id);

  await expect(list()).resolves.toMatchObject([{ name: 'default', state: 'active' }]);
});

const ids = new Map<string, string>();
const strangers = (): string => [...ids.values()].at(-1)!;
describeWorkspaceIsolation('a pause', {
  arrange: async (owner) => void ids.set(owner.workspaceId, (await messaging.configure(owner)).id),
  read: (owner) => list(owner),
  attempts: {
    pause: { attempt: (stranger) => pause(strangers(), stranger), refusedWith: 'not_found' },
    resume: { attempt: (stranger) => resume(strangers(), stranger), refusedWith: 'not_found' },
    list: { attempt: (stranger) => list(stranger) },
  },
});
