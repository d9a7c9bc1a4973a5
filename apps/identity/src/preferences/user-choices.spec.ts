import { recipientChoices } from '@tidings/contracts/identity/recipient-choices';
import { BULK_TOPICS_MAX, type BulkTopic, PREFERENCES_PER_USER_MAX, userPreferences } from '@tidings/contracts/identity/user-preferences';
import { newPreferenceUser } from '../testing/preference-user';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

const newUser = () => newPreferenceUser(identity);

describe('replacing all choices', () => {
  it('stores the named choices, in their order, and returns the deleted topics', async () => {
    const ada = newUser();
    const [one, two, three] = [await ada.topic(), await ada.topic(), await ada.topic()];
    await ada.put(one.id, { status: 'OPTED_OUT' });
    await ada.put(two.id, { status: 'OPTED_OUT', custom_routing: ['sms'] });
    await ada.put(one.id, { status: 'OPTED_OUT' }, 'acme');

    const answer = await ada.replace([
      { topic_id: three.id, status: 'OPTED_OUT', custom_routing: ['push'], has_custom_routing: true },
      { topic_id: two.id, status: 'OPTED_IN' },
    ]);

    expect(answer).toEqual({
      items: [
        { topic_id: three.id, status: 'OPTED_OUT', custom_routing: ['push'], has_custom_routing: true },
        { topic_id: two.id, status: 'OPTED_IN', custom_routing: [], has_custom_routing: false },
      ],
      deleted: [one.id],
    });
    expect((await ada.list()).map(({ status }) => status)).toEqual(['OPTED_IN', 'OPTED_IN', 'OPTED_OUT']);
    await expect(ada.shown(one.id, 'acme')).resolves.toMatchObject({ status: 'OPTED_OUT' });
  });

  it('deletes all with an empty list', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.put(id, { status: 'OPTED_OUT' }, 'acme');

    await expect(ada.replace([], 'acme')).resolves.toEqual({ items: [], deleted: [id] });
  });

  it('changes nothing when one is refused', async () => {
    const ada = newUser();
    const [free, required] = [await ada.topic(), await ada.topic('REQUIRED')];
    await ada.put(free.id, { status: 'OPTED_OUT' });
    const reason = { code: 'invalid_request' };

    await expect(ada.replace([{ topic_id: required.id, status: 'OPTED_OUT' }])).rejects.toMatchObject(reason);
    await expect(ada.replace([{ topic_id: 'tpc_missing', status: 'OPTED_IN' }])).rejects.toMatchObject({
      ...reason,
      message: 'Topic tpc_missing does not exist',
    });
    await expect(
      ada.replace([
        { topic_id: free.id, status: 'OPTED_IN' },
        { topic_id: free.id, status: 'OPTED_OUT' },
      ]),
    ).rejects.toMatchObject({ ...reason, message: `topics[1].topic_id names ${free.id}, as topics[0] does: name each topic once` });

    await expect(ada.shown(free.id)).resolves.toMatchObject({ status: 'OPTED_OUT' });
  });

  it('stores the choices of one of two concurrent callers, never a mix', async () => {
    const ada = newUser();
    const [one, two] = [await ada.topic(), await ada.topic()];
    const out = (topic_id: string): BulkTopic[] => [{ topic_id, status: 'OPTED_OUT' }];

    for (let round = 0; round < 10; round += 1) {
      await Promise.all([ada.replace(out(one.id)), ada.replace(out(two.id))]);
      expect((await ada.list()).filter(({ status }) => status === 'OPTED_OUT')).toHaveLength(1);
    }
  });
});

describe('setting some choices', () => {
  it('stores the valid choices and returns the reason for each of the others', async () => {
    const ada = newUser();
    const [one, two, required] = [await ada.topic(), await ada.topic(), await ada.topic('REQUIRED')];
    await ada.put(two.id, { status: 'OPTED_OUT' });

    const answer = await ada.upsert([
      { topic_id: 'tpc_missing', status: 'OPTED_IN' },
      { topic_id: one.id, status: 'OPTED_OUT' },
      { topic_id: required.id, status: 'OPTED_OUT' },
    ]);

    expect(answer).toEqual({
      items: [{ topic_id: one.id, status: 'OPTED_OUT', custom_routing: [], has_custom_routing: false }],
      errors: [
        { topic_id: 'tpc_missing', reason: 'Topic tpc_missing does not exist' },
        { topic_id: required.id, reason: `Topic ${required.id} is REQUIRED: users cannot opt out of it` },
      ],
    });
    expect((await ada.list()).map(({ status }) => status)).toEqual(['OPTED_OUT', 'OPTED_OUT', 'REQUIRED']);
  });

  it('accepts a bounded number of topics; upserts need at least one', async () => {
    const ada = newUser();
    const many = Array.from({ length: BULK_TOPICS_MAX + 1 }, (_, n): BulkTopic => ({ topic_id: `t${n}`, status: 'OPTED_IN' }));

    await expect(ada.upsert([])).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ada.upsert(many)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ada.replace(many)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ada.upsert(many.slice(1))).resolves.toMatchObject({ items: [], errors: { length: BULK_TOPICS_MAX } });
  });
});

it('bounds the choices of a user; those for deleted topics do not count', async () => {
  const ada = newUser();
  const { id } = await ada.topic();
  const fill = `insert into user_preferences (workspace_id, user_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
                select $1, 'ada', 'tenant ' || number, $2, 'OPTED_OUT', false, '{}' from generate_series($3::int, $4::int) number`;
  await identity.sql(fill, [ada.context.workspaceId, 'tpc_deleted', 1, 1]);
  await identity.sql(fill, [ada.context.workspaceId, id, 2, PREFERENCES_PER_USER_MAX]);

  await ada.put(id, { status: 'OPTED_OUT' }, 'one more');
  await expect(ada.put(id, { status: 'OPTED_OUT' }, 'another')).rejects.toMatchObject({
    code: 'invalid_request',
    message: `User ada would have more than ${PREFERENCES_PER_USER_MAX} preferences: delete some first`,
  });
  await ada.put(id, { status: 'OPTED_IN' }, 'one more');

  const optOut = { user_id: 'ada', topic_id: id };
  await identity.call(recipientChoices.optOut, ada.context, optOut);
  await expect(ada.shown(id, 'one more')).resolves.toMatchObject({ status: 'OPTED_OUT' });
});

it('recognises a second delivery of a command, also after another change', async () => {
  const { context, topic, put, shown } = newUser();
  const { id: topic_id } = await topic();
  const redelivered = identity.redelivered();
  const request = { user_id: 'ada', topics: [{ topic_id, status: 'OPTED_OUT' as const }] };
  const deliver = () => redelivered(userPreferences.upsert, context, request);

  const first = await deliver();
  await put(topic_id, { status: 'OPTED_IN' });

  await expect(deliver()).resolves.toEqual(first);
  await expect(shown(topic_id)).resolves.toMatchObject({ status: 'OPTED_IN' });
});
