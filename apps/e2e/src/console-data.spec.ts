import { waitUntil } from '@tidings/testing/wait-until';
import { SendingFixture } from './testing/sending-fixture';

interface Explanation {
  sentence: string;
  outcome: string;
  source: string;
  decisions: { question: string; answer: string; rule: string; whose: string; subject?: { kind: string; id: string } }[];
  next_attempt?: { at?: number; provider?: string; until?: number };
  remedies: { text: string; link?: string }[];
}

let fixture: SendingFixture;
beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterAll(() => fixture?.end());

const explain = (id: string) => fixture.call<Explanation>('GET', `/console/api/messages/${id}/explain`);
const explained = async (status: string, message: object): Promise<Explanation> => {
  const id = await fixture.send(message);
  await fixture.once(status, id);
  return explain(id);
};
const single = (...channels: string[]) => ({ method: 'single', channels });

it('explains one send per reason, by topic, field and whose choice it was', async () => {
  const topic = fixture.topics.OPTED_IN;
  const user = await fixture.user();
  await fixture.call('PUT', `/users/${user}/preferences/${topic}`, { topic: { status: 'OPTED_OUT' } });
  const preferences = { subscription_topic_id: topic };

  const optedOut = await explained('UNDELIVERABLE', { to: { user_id: user }, preferences });
  expect(optedOut).toMatchObject({ outcome: 'not_sent', source: 'decisions', remedies: [{ link: `/console/users/${user}` }] });
  expect(optedOut.sentence).toBe(`Not sent: user ${user} opted out of topic ${topic} (own choice of user ${user}).`);
  expect(optedOut.decisions).toContainEqual(
    expect.objectContaining({ rule: 'preference', whose: 'user', subject: { kind: 'topic', id: topic } }),
  );

  const optIn = await explained('UNDELIVERABLE', {
    to: { user_id: user },
    preferences: { subscription_topic_id: fixture.topics.OPTED_OUT },
  });
  expect(optIn.sentence).toContain(`has not opted in to topic ${fixture.topics.OPTED_OUT} (default of topic`);

  const noAddress = await explained('UNROUTABLE', { to: { user_id: 'stranger' }, routing: single('email') });
  expect(noAddress.sentence).toBe('Not sent: email cannot reach the recipient: profile.email of user stranger is missing.');

  const delivered = await explained('DELIVERED', { to: { user_id: user } });
  expect(delivered.sentence).toMatch(new RegExp(`^Delivered to user ${user} by smtp on email at `));

  const template = await fixture.template();
  const other = await explained('DELIVERED', { to: { user_id: user }, content: undefined, template });
  expect(other.decisions).toContainEqual(expect.objectContaining({ rule: 'content', subject: { kind: 'template', id: template } }));
});

it('is not found for another workspace', async () => {
  const id = await fixture.send({ to: { user_id: await fixture.user() } });
  await fixture.once('DELIVERED', id);
  const other = await fixture.system.otherClient();

  expect((await other.get(`/console/api/messages/${id}/explain`)).status).toBe(404);
  expect((await other.get('/console/api/users?query=user')).body).toMatchObject({ items: [], matched: null });
});

it('finds users by id, address, phone number and push token', async () => {
  const user = await fixture.user('found-by-many');
  await fixture.call('PUT', `/users/${user}/tokens/a-token-of-push`, { provider_key: 'expo' });
  const find = (query: string) =>
    fixture.call<{ items: { id: string }[]; matched: string }>('GET', `/console/api/users?query=${encodeURIComponent(query)}`);

  expect(await find('found-by')).toMatchObject({ matched: 'id', items: [{ id: user, email: `${user}@example.com` }] });
  expect(await find(`${user}@EXAMPLE.com`)).toMatchObject({ matched: 'address', items: [{ id: user }] });
  expect((await find(fixture.phone)).matched).toBe('address');
  expect(await find('a-token-of-push')).toMatchObject({ matched: 'token', items: [{ id: user }] });
  const newest = await find('');
  expect(newest.matched).toBeNull();
  expect(newest.items[0]).toMatchObject({ id: user });
  expect(newest.items.length).toBeGreaterThan(1);
});

it('counts messages per minute, and what waits', async () => {
  const id = await fixture.send({ to: { user_id: await fixture.user() } });
  await fixture.once('DELIVERED', id);

  const points = await waitUntil(
    async () => {
      const series = await fixture.call<{ points: { delivered: number; latency_p99_ms?: number }[] }>('GET', '/console/api/stats/series');
      const counted = series.points.filter(({ delivered }) => delivered > 0);
      return counted.length > 0 ? counted : undefined;
    },
    { what: 'the counts', timeoutMs: 60_000 },
  );
  expect(points[0]!.latency_p99_ms).toBeGreaterThan(0);
  expect(await fixture.call('GET', '/console/api/stats/backlog')).toMatchObject({ waiting: expect.any(Number) as number });
});
