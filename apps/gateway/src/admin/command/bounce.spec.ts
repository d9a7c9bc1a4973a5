import { ServiceError } from '@tidings/contracts/core/errors';
import { bounces, type ReceiveBounce } from '@tidings/contracts/messaging/bounces';
import type { TestGateway } from '../../testing/start-test-gateway';
import { runAgainst, startGatewayOfShop } from './run-command.fixture';

const RETURN_PATH = 'b+1@bounces.example.com';
const MAIL = 'Subject: Undelivered\r\n\r\nNo such user: Ädä\r\n';

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startGatewayOfShop()));
afterAll(() => gateway.stop());

it('passes the mail of the standard input on, byte by byte', async () => {
  const received: ReceiveBounce[] = [];
  gateway.client.answer(bounces.receive, (_context, request: ReceiveBounce) => {
    received.push(request);
    return { reported: 1 };
  });

  const { code, out } = await runAgainst(gateway, ['bounce', '--to', RETURN_PATH], {}, MAIL);

  expect([code, out]).toEqual([0, 'Reported bounces: 1\n']);
  expect(received.map(({ to, mail }) => [to, Buffer.from(mail, 'base64').toString()])).toEqual([[RETURN_PATH, MAIL]]);
});

it('passes the first megabyte of a long mail on', async () => {
  let bytes = 0;
  gateway.client.answer(bounces.receive, (_context, { mail }: ReceiveBounce) => {
    bytes = Buffer.from(mail, 'base64').length;
    return { reported: 0 };
  });

  expect((await runAgainst(gateway, ['bounce', '--to', RETURN_PATH], {}, 'x'.repeat(1_500_000))).code).toBe(0);
  expect(bytes).toBe(1_024 * 1_024);
});

it('fails for another address, so that the mail server notices it', async () => {
  gateway.client.answer(bounces.receive, () => {
    throw new ServiceError('not_found', 'The address is no return path of this installation');
  });

  const { code, err } = await runAgainst(gateway, ['bounce', '--to', 'ada@example.com'], {}, MAIL);

  expect([code, err]).toEqual([1, 'The address is no return path of this installation\n']);
});
