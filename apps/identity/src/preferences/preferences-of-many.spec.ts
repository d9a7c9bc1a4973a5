import { Database } from '@tidings/persistence/database';
import { recipientPreferences } from '@tidings/contracts/identity/recipient-preferences';
import { newPreferenceUser } from '../testing/preference-user';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { preferencesOfMany, topicsById, topicsOfWorkspaces } from './preferences-of-many';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

const OUT = { status: 'OPTED_OUT' as const };
const stored = { status: 'OPTED_OUT', has_custom_routing: false, custom_routing: [] };

it('loads the choices of many users of many workspaces, in the order of the keys', async () => {
  const ada = newPreferenceUser(identity);
  const grace = newPreferenceUser(identity, 'grace');
  const [one, two] = [await ada.topic(), await ada.topic()];
  const other = await grace.topic();
  await ada.put(one.id, OUT);
  await ada.put(one.id, { status: 'OPTED_IN', custom_routing: ['sms', 'push'] }, 'acme');
  await ada.put(two.id, OUT, 'acme');
  await grace.put(other.id, OUT);
  await identity.call(recipientPreferences.replace, grace.context, { recipient_id: 'grace', categories: { news: OUT } });
  const key = ({ workspaceId }: { workspaceId: string }, userId: string, topicId: string | null = null) => ({
    workspaceId,
    userId,
    topicId,
  });

  const [graces, empty, adas, adasOfTwo] = await preferencesOfMany(identity.get(Database), [
    key(grace.context, 'grace'),
    key(grace.context, 'ada'),
    key(ada.context, 'ada'),
    key(ada.context, 'ada', two.id),
  ]);

  expect(graces).toEqual({
    choices: [{ topic_id: other.id, tenant_id: null, ...stored }],
    map: { notifications: {}, categories: { news: OUT } },
  });
  expect(empty).toEqual({ choices: [], map: null });
  expect(adas!.map).toBeNull();
  expect(adas!.choices).toHaveLength(3);
  expect(adas!.choices).toEqual(
    expect.arrayContaining([
      { topic_id: one.id, tenant_id: null, ...stored },
      { topic_id: one.id, tenant_id: 'acme', status: 'OPTED_IN', has_custom_routing: true, custom_routing: ['sms', 'push'] },
    ]),
  );
  expect(adasOfTwo!.choices).toEqual([{ topic_id: two.id, tenant_id: 'acme', ...stored }]);
});

it('loads topics of many workspaces, all of them or by id', async () => {
  const ada = newPreferenceUser(identity);
  const grace = newPreferenceUser(identity);
  const [first, second] = [await ada.topic('OPTED_IN', 'First'), await ada.topic('REQUIRED', 'Second')];
  const third = await grace.topic('OPTED_OUT', 'Third');
  const row = (workspace_id: string, { id, section_id, name, default_status }: typeof first) => ({
    workspace_id,
    topic_id: id,
    name,
    default_status,
    include_unsubscribe_header: false,
    section_id,
    section_name: 'Orders',
  });
  const [adas, graces] = [ada.context.workspaceId, grace.context.workspaceId];
  const database = identity.get(Database);

  const all = await topicsOfWorkspaces(database, [adas, graces]);
  expect(all).toHaveLength(3);
  expect(all.filter(({ workspace_id }) => workspace_id === adas)).toEqual([row(adas, first), row(adas, second)]);
  await expect(
    topicsById(database, [
      { workspaceId: graces, topicId: third.id },
      { workspaceId: graces, topicId: first.id },
    ]),
  ).resolves.toEqual([row(graces, third)]);
});
