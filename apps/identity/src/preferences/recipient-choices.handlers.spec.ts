import { preferenceLogs } from '@tidings/contracts/identity/preference-logs';
import { preferenceSections } from '@tidings/contracts/identity/preference-sections';
import { profiles } from '@tidings/contracts/identity/profiles';
import { type LoadPreferencePage, type PageChoice, recipientChoices } from '@tidings/contracts/identity/recipient-choices';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { buildTopic } from '../testing/build-topic';
import { newPreferenceUser } from '../testing/preference-user';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';

const MESSAGE = '1-65f2a1b0-9c3d4e5f60718293a4b5c6d7';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);
beforeAll(async () => {
  identity = await sharedIdentity();
});

type User = ReturnType<typeof newPreferenceUser>;
const newUser = () => newPreferenceUser(identity);
const pageOf = ({ context }: Pick<User, 'context'>, request: Partial<LoadPreferencePage> = {}) =>
  call(recipientChoices.page, context, { user_id: 'ada', sections: true, ...request });
const optOut = ({ context }: User, topic_id: string, tenant_id?: string) =>
  call(recipientChoices.optOut, context, { user_id: 'ada', topic_id, tenant_id, message_id: MESSAGE });
const save = ({ context }: User, topics: PageChoice[]) =>
  call(recipientChoices.save, context, { user_id: 'ada', topics, message_id: MESSAGE });
const logsOf = async ({ context }: User) => (await call(preferenceLogs.list, context, {})).items;

describe('the page of a recipient', () => {
  it('has every section with topics, their state, and the channels to choose from', async () => {
    const ada = newUser();
    const fields = { name: 'News', description: 'What is new', routing_options: ['email', 'push'] as const };
    const section = await call(preferenceSections.create, ada.context, { ...fields, routing_options: [...fields.routing_options] });
    await call(preferenceSections.create, ada.context, { name: 'Empty' });
    const inSection = { section_id: section.id };
    const plain = await buildTopic(call, ada.context, { ...inSection, name: 'Plain' });
    const chosen = await buildTopic(call, ada.context, {
      ...inSection,
      name: 'Chosen',
      description: 'By your channels',
      allowed_preferences: ['channel_preferences'],
    });
    await ada.put(plain.id, { status: 'OPTED_OUT' });
    await ada.put(chosen.id, { status: 'OPTED_IN', custom_routing: ['push'] });
    await call(preferenceSections.publish, ada.context, { heading: 'Yours', description: 'Choose', brand_id: 'acme' });
    await call(profiles.replace, ada.context, { user_id: 'ada', profile: { locale: 'fr_FR' } });

    const found = await pageOf(ada, { topic_id: plain.id });

    expect(found).toMatchObject({ heading: 'Yours', description: 'Choose', brand_id: 'acme', locale: 'fr_FR' });
    expect(found.topic).toMatchObject({ topic_id: plain.id, status: 'OPTED_OUT' });
    expect(found.sections).toMatchObject([
      {
        name: 'News',
        description: 'What is new',
        topics: [
          { topic_name: 'Plain', status: 'OPTED_OUT', channels: [] },
          { topic_name: 'Chosen', description: 'By your channels', custom_routing: ['push'], channels: ['email', 'push'] },
        ],
      },
    ]);
  });

  it('offers a channel that was chosen elsewhere, so that saving keeps it', async () => {
    const ada = newUser();
    const fields = { allowed_preferences: ['channel_preferences' as const], routing_options: ['email' as const, 'push' as const] };
    const { id } = await buildTopic(call, ada.context, fields);
    await ada.put(id, { status: 'OPTED_IN', custom_routing: ['inbox'] });

    const [section] = (await pageOf(ada)).sections;

    expect(section!.topics).toMatchObject([{ custom_routing: ['inbox'], channels: ['email', 'push', 'inbox'] }]);
  });

  it('without sections has the named topic alone', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    expect(await pageOf(ada, { sections: false, topic_id: id })).toMatchObject({ topic: { topic_id: id }, sections: [] });
    expect((await pageOf(ada, { sections: false, topic_id: 'tpc_missing' })).topic).toBeUndefined();
  });
});

describe('opting out', () => {
  it('stores the choice, and who made it by which message; a repetition changes nothing', async () => {
    const ada = newUser();
    const { id } = await ada.topic();

    await optOut(ada, id);
    await optOut(ada, id);

    expect(await ada.shown(id)).toMatchObject({ status: 'OPTED_OUT' });
    expect(await logsOf(ada)).toMatchObject([{ topic_id: id, status: 'OPTED_OUT', source: 'link', message_id: MESSAGE }]);
  });

  it('keeps the channels that were chosen', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.put(id, { status: 'OPTED_IN', custom_routing: ['push'] });

    await optOut(ada, id);

    expect(await ada.shown(id)).toMatchObject({ status: 'OPTED_OUT', has_custom_routing: true, custom_routing: ['push'] });
  });

  it('counts in tenants as well, unless the message was sent in one', async () => {
    const ada = newUser();
    const [everywhere, inAcme] = [await ada.topic(), await ada.topic()];
    await ada.tenant('acme');
    for (const { id } of [everywhere, inAcme]) await ada.put(id, { status: 'OPTED_IN' }, 'acme');

    await optOut(ada, everywhere.id);
    await optOut(ada, inAcme.id, 'acme');

    for (const [topic, tenant, status] of [
      [everywhere, undefined, 'OPTED_OUT'],
      [everywhere, 'acme', 'OPTED_OUT'],
      [inAcme, undefined, 'OPTED_IN'],
      [inAcme, 'acme', 'OPTED_OUT'],
    ] as const) {
      expect(await ada.shown(topic.id, tenant)).toMatchObject({ status });
    }
  });

  it('of a required topic, or of one that does not exist, changes nothing', async () => {
    const ada = newUser();
    const { id } = await ada.topic('REQUIRED');

    await optOut(ada, id);
    await optOut(ada, 'tpc_missing');

    expect(await logsOf(ada)).toEqual([]);
  });
});

describe('saving the page', () => {
  it('opts out in tenants as well, keeping the channels there', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.tenant('acme');
    await ada.put(id, { status: 'OPTED_IN', custom_routing: ['push'] }, 'acme');

    await save(ada, [{ topic_id: id, status: 'OPTED_OUT' }]);

    expect(await ada.shown(id)).toMatchObject({ status: 'OPTED_OUT', has_custom_routing: false });
    expect(await ada.shown(id, 'acme')).toMatchObject({ status: 'OPTED_OUT', custom_routing: ['push'] });
    expect(await logsOf(ada)).toMatchObject([{ source: 'page' }, { source: 'page' }, { source: 'api' }]);
  });

  it('stores and records only what differs, leaves required topics, and ignores unknown ones', async () => {
    const ada = newUser();
    const [same, changed, required] = [
      await ada.topic('OPTED_OUT', 'Same'),
      await ada.topic('OPTED_IN', 'Changed'),
      await ada.topic('REQUIRED'),
    ];

    await save(ada, [
      { topic_id: same.id, status: 'OPTED_OUT' },
      { topic_id: changed.id, status: 'OPTED_OUT' },
      { topic_id: required.id, status: 'OPTED_OUT' },
      { topic_id: 'tpc_missing', status: 'OPTED_OUT' },
    ]);

    expect((await ada.list()).map(({ status }) => status)).toEqual(['OPTED_OUT', 'OPTED_OUT', 'REQUIRED']);
    expect(await logsOf(ada)).toMatchObject([{ topic_name: 'Changed', source: 'page', message_id: MESSAGE }]);
  });

  it('stores channels, also of a required topic; none means any', async () => {
    const ada = newUser();
    const { id } = await ada.topic('REQUIRED');

    await save(ada, [{ topic_id: id, status: 'OPTED_OUT', channels: ['sms'] }]);
    expect(await ada.shown(id)).toMatchObject({ status: 'REQUIRED', custom_routing: ['sms'] });

    await save(ada, [{ topic_id: id, status: 'OPTED_OUT', channels: [] }]);
    expect(await ada.shown(id)).toMatchObject({ has_custom_routing: false });
    expect(await logsOf(ada)).toHaveLength(2);
  });
});

let topic_id: string;
describeWorkspaceIsolation('the choices of a recipient', {
  arrange: async (owner) => {
    ({ id: topic_id } = await buildTopic(call, owner));
  },
  read: (owner) => pageOf({ context: owner }),
  attempts: {
    page: { attempt: (stranger) => pageOf({ context: stranger }) },
    save: { attempt: (stranger) => call(recipientChoices.save, stranger, { user_id: 'ada', topics: [{ topic_id, status: 'OPTED_OUT' }] }) },
    optOut: { attempt: (stranger) => call(recipientChoices.optOut, stranger, { user_id: 'ada', topic_id }) },
  },
});
