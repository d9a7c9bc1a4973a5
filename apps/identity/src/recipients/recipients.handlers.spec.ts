import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { type ProfileFields, profiles } from '@tidings/contracts/identity/profiles';
import { type RecipientKey, recipients, RECIPIENTS_MAX } from '@tidings/contracts/identity/recipients';
import { contextOf } from '../testing/context-of';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';
import { whileHeld } from '../testing/while-held';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

async function load(asked: RecipientKey[]): Promise<ProfileFields[]> {
  const { recipients: loaded } = await identity.call(recipients.load, systemContext(randomUUID()), { recipients: asked });
  return loaded.map(({ profile }) => profile);
}

function store(workspace_id: string, user_id: string, profile: ProfileFields): Promise<unknown> {
  return identity.call(profiles.replace, contextOf(workspace_id), { user_id, profile });
}

describe('loading recipients', () => {
  it('answers in the order asked, across workspaces, each as often as it was asked', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    await store(one, 'ada', { name: 'Ada of one' });
    await store(two, 'ada', { name: 'Ada of two' });
    await store(two, 'Zoe', { name: 'Zoe' });

    const loaded = await load([
      { workspace_id: two, user_id: 'Zoe' },
      { workspace_id: two, user_id: 'ada' },
      { workspace_id: one, user_id: 'ada' },
      { workspace_id: two, user_id: 'ada' },
      { workspace_id: one, user_id: 'Zoe' },
    ]);

    expect(loaded).toEqual([{ name: 'Zoe' }, { name: 'Ada of two' }, { name: 'Ada of one' }, { name: 'Ada of two' }, {}]);
  });

  it('gives who has no profile an empty one, which is stored', async () => {
    const workspace_id = randomUUID();

    const loaded = await load(['new', 'other', 'new'].map((user_id) => ({ workspace_id, user_id })));

    expect(loaded).toEqual([{}, {}, {}]);
    await expect(identity.call(profiles.retrieve, contextOf(workspace_id), { user_id: 'new' })).resolves.toEqual({ profile: {} });
  });

  it('writes nothing for those who have one', async () => {
    const workspace_id = randomUUID();
    await store(workspace_id, 'ada', { name: 'Ada' });
    const version = () =>
      identity.sql('select xmin, xmax, ctid, updated_at from identity.profiles where workspace_id = $1', [workspace_id]);
    const before = await version();

    await load([{ workspace_id, user_id: 'ada' }]);

    await expect(version()).resolves.toEqual(before);
  });

  it('serves as many as are allowed at once, and refuses more', async () => {
    const workspace_id = randomUUID();
    const asked = Array.from({ length: RECIPIENTS_MAX }, (_, index) => ({ workspace_id, user_id: `user ${index}` }));
    await store(workspace_id, 'user 999', { name: 'last' });

    const loaded = await load(asked);

    expect(loaded).toHaveLength(RECIPIENTS_MAX);
    expect(loaded.at(-1)).toEqual({ name: 'last' });
    await expect(load([...asked, { workspace_id, user_id: 'one more' }])).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('lets loads of the same newcomers in opposite orders pass each other', async () => {
    const workspace_id = randomUUID();
    const forwards = Array.from({ length: 100 }, (_, index) => ({ workspace_id, user_id: `user ${index}` }));
    const middle = {
      statement: "insert into identity.profiles (workspace_id, user_id, profile) values ($1, 'user 50', '{}')",
      values: [workspace_id],
      waiting: 2,
    };

    const loads = await whileHeld(identity.adminUrl, middle, () => Promise.all([load(forwards), load(forwards.toReversed())]));

    expect(loads.flat()).toEqual(Array.from({ length: 200 }, () => ({})));
    await expect(
      identity.sql('select count(*)::int as stored from identity.profiles where workspace_id = $1', [workspace_id]),
    ).resolves.toEqual([{ stored: 100 }]);
  });

  it('answers nobody with nothing', async () => {
    await expect(load([])).resolves.toEqual([]);
  });

  it('takes a user id that cannot be stored for the caller’s mistake', async () => {
    await expect(load([{ workspace_id: randomUUID(), user_id: 'a\0b' }])).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('recipients[0].user_id') as string,
    });
  });
});
