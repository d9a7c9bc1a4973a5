import { bulk } from '@tidings/contracts/messaging/bulk';
import { inbound } from '@tidings/contracts/messaging/inbound';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ operations: [...Object.values(bulk), ...Object.values(inbound)] });
  gateway.client.answer(bulk.create, () => ({ jobId: 'job' }));
  gateway.client.answer(bulk.add, () => ({ total: 1, errors: [] }));
  gateway.client.answer(inbound.accept, () => ({ messageId: 'm' }));
});
afterAll(() => gateway.stop());

const warningOf = async (path: string, body: object): Promise<string | null> => {
  const answer = await gateway.request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.ok).toBe(true);
  return answer.headers.get('x-tidings-warning');
};

const MESSAGE = { event: 'welcome', locale: { de: {} } };
const PREFERENCES = { notifications: { welcome: { status: 'OPTED_IN' } } };
const TRACKED = { event: 'e', messageId: 'm', type: 'track', properties: { any: { thing: 1 } } };
const ADA = { recipient: 'ada', profile: { name: 'Ada' }, data: { any: { thing: 1 } }, preferences: PREFERENCES, to: { favourite: 'red' } };

describe('an unknown field of a request without a message history', () => {
  it.each<[string, object, string]>([
    ['/bulk', { message: MESSAGE, messag: 1, foo: null }, '"messag", "foo"'],
    ['/bulk/job', { users: [{ recipient: 'x' }, { recipient: 'y', dta: {} }], user: [] }, '"users[1].dta", "user"'],
    [
      '/bulk/job',
      { job_id: 'other', users: [{ ...ADA, preferences: { categorys: {} }, to: { data: {}, context: { tenant: 'a' } } }] },
      '"job_id", "users[0].preferences.categorys", "users[0].to.context.tenant"',
    ],
    ['/inbound/courier', { ...TRACKED, userid: 'ada' }, '"userid"'],
    ['/bulk', { message: MESSAGE, 'mäs\r\nage': 1 }, '"[\\"m\\u00e4s\\\\r\\\\nage\\"]"'],
  ])('is named in a header of POST %s', async (path, body, names) => {
    expect(await warningOf(path, body)).toBe(`Unknown fields were ignored: ${names}`);
  });

  it('is named beside unknown query parameters', async () => {
    expect(await warningOf('/bulk?x=1', { message: MESSAGE, messag: 1 })).toBe(
      'Unknown query parameters were ignored: "x" (it knows none); Unknown fields were ignored: "messag"',
    );
  });

  it.each<[string, object]>([
    ['/bulk', { message: { ...MESSAGE, unknown: 1 } }],
    ['/bulk/job', { users: [ADA, { profile: { email: 'a@b.example', any: 1 } }, { to: { email: 'a@b.example', any: 1 } }] }],
    ['/inbound/courier', { ...TRACKED, userId: null }],
  ])('does not occur in %s', async (path, body) => {
    expect(await warningOf(path, body)).toBeNull();
  });
});
