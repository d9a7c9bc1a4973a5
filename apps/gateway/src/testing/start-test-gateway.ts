import { Logger } from '@nestjs/common';
import { messages } from '@tidings/contracts/messaging/messages';
import { send } from '@tidings/contracts/messaging/send';
import { type RunningGateway, startGateway, type StartGatewayOptions } from '../start-gateway';
import { MemoryEventLog } from './memory-event-log';
import { TestClient } from './test-client';
import { things } from './test-operations';

export const KEY = 'pk_test_of_the_specs';

export interface TestGateway extends RunningGateway {
  client: TestClient;
  events: MemoryEventLog;
  /** `fetch` with `KEY`, unless a header overrides it. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** Starts a gateway on a free port that serves `things`, messages and sends; operations on things answer their request. */
export async function startTestGateway(options: Partial<StartGatewayOptions> = {}): Promise<TestGateway> {
  Logger.overrideLogger(false);
  const client = new TestClient();
  const events = new MemoryEventLog();
  client.addKey(KEY);
  for (const operation of Object.values(things)) client.answer(operation, (_context, request) => request);
  client.answer(things.remove, () => undefined);
  client.answer(things.archive, () => undefined);
  client.answer(messages.list, (_context, request) => request);
  const gateway = await startGateway({
    port: 0,
    host: '127.0.0.1',
    client,
    events,
    operations: [...Object.values(things), ...Object.values(messages), ...Object.values(send)],
    notServed: [{ method: 'GET', path: '/audit-events', summary: 'List audit events' }],
    ...options,
  });
  return {
    ...gateway,
    client,
    events,
    request: (path, { headers, ...init } = {}) =>
      fetch(`${gateway.url}${path}`, { redirect: 'manual', ...init, headers: { authorization: `Bearer ${KEY}`, ...headers } }),
  };
}
