import type { LocalTransport } from '@tidings/rpc/local-transport';
import { OperationClient } from '@tidings/rpc/operation-client';
import { randomUUID } from 'node:crypto';

/** Calls that are all one delivery, as when a transport delivers a request again. */
export function redelivered(transport: LocalTransport): OperationClient['call'] {
  const deliveryId = randomUUID();
  const client = new OperationClient(({ record: { headers, body }, ...request }) =>
    transport.exchange({ ...request, record: { headers: { ...headers, deliveryId }, body } }),
  );
  return (...parameters) => client.call(...parameters);
}
