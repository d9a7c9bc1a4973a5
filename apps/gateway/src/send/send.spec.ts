import { ServiceError } from '@tidings/contracts/core/errors';
import { isMessageId, messageIdTime } from '@tidings/contracts/messaging/message-id';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.stop());

const post = (body: unknown, headers = {}): Promise<Response> =>
  gateway.request('/send', { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
const MESSAGE = { to: { user_id: 'anna' }, content: { title: 'Hello', body: 'World' }, data: { name: 'Anna' } };

it('answers 202 with the id under which the request stands in the log', async () => {
  const before = Date.now();
  const answer = await post({ message: MESSAGE });

  expect(answer.status).toBe(202);
  const { requestId } = (await answer.json()) as { requestId: string };
  expect(isMessageId(requestId)).toBe(true);
  expect(messageIdTime(requestId)).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000);
  expect(gateway.events.appended).toEqual([
    {
      topic: 'tidings.message-requests.v1',
      id: requestId,
      payload: expect.objectContaining({
        id: requestId,
        recipient: 'anna',
        mode: 'production',
        workspaceId: expect.any(String) as string,
        requestedAt: expect.any(Number) as number,
        content: { title: 'Hello', body: 'World' },
        data: { name: 'Anna' },
      }) as object,
    },
  ]);
});

it('marks what a test key sends', async () => {
  gateway.client.addKey('pk_test', { mode: 'test' });
  await post({ message: MESSAGE }, { authorization: 'Bearer pk_test' });

  expect(gateway.events.appended[0]!.payload).toMatchObject({ mode: 'test' });
});

it('keeps nothing of a send that is not valid', async () => {
  for (const body of [{}, { message: {} }, { message: { ...MESSAGE, to: {} } }, { message: { ...MESSAGE, content: { title: 1 } } }, []]) {
    await expectError(await post(body), 400);
  }
  expect(gateway.events.appended).toEqual([]);
});

it('says 501 to what it knows and does not do yet', async () => {
  const answer = await post({ message: { ...MESSAGE, delay: { duration: 1 } } });

  expect(answer.headers.get('x-should-retry')).toBe('false');
  expect(await expectError(answer, 501)).toContain('message.delay');
});

it('says 503 when the log surely kept nothing, and 504 when that is unknown', async () => {
  gateway.events.failure = new ServiceError('unavailable', 'The log is away', { retryAfterSeconds: 2.5 });
  const unavailable = await post({ message: MESSAGE });
  expect(unavailable.headers.get('retry-after')).toBe('3');
  await expectError(unavailable, 503, 'internal_error');

  gateway.events.failure = new ServiceError('deadline_exceeded', 'It is not known whether the log kept it');
  await expectError(await post({ message: MESSAGE }), 504, 'internal_error');
});
