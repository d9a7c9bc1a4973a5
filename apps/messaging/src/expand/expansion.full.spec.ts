import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';

const MANY = 20_000;
/** Maximum heap growth between the tenth and the ninetieth page: far less than the recipients of these pages would need. */
const HEAP_GROWTH_BYTES_MAX = 10_000_000;
const EXPANDED_MS_MAX = 300_000;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('a send to many', () => {
  let messaging: Messaging;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
  });

  afterAll(() => messaging.end());

  const count = async (text: string, id: string): Promise<number> => (await messaging.rows(text, [messageIdToUuid(id)])).length;

  it(`to ${MANY} recipients needs constant memory and delays no other send`, async () => {
    const users = Array.from({ length: MANY }, (_, n) => `crowd-${String(n).padStart(5, '0')}`);
    messaging.members.audiences.set('crowd', users);
    const heap = new Map<number, number>();
    const others = latch();
    messaging.members.onPage = async () => {
      const page = messaging.members.requestedPages;
      if (page === 90) await others.opened;
      if (![10, 90].includes(page)) return;
      collectGarbage();
      heap.set(page, process.memoryUsage().heapUsed);
    };
    const id = newMessageId(Date.now());
    await messaging.send({ mode: 'test', id, recipient: id, profile: {}, targets: [{ kind: 'audience', audienceId: 'crowd' }] });
    await waitUntil(() => messaging.members.requestedPages > 5, { what: 'some pages' });

    try {
      const [single] = await messaging.send({ workspaceId: randomUUID(), mode: 'test' });
      await waitUntil(async () => (await count('select from messaging.messages where id = $1', single!)) === 1, {
        what: 'the single send',
      });
    } finally {
      others.open(); // the last tenth of the crowd may continue
    }

    await waitUntil(async () => (await count('select from messaging.expansions where request_id = $1', id)) === 0, {
      what: 'a message for each recipient',
      timeoutMs: EXPANDED_MS_MAX,
    });
    const rows = await messaging.rows<{ recipient: string }>(
      'select recipient from messaging.messages where request_id = $1 order by recipient',
      [messageIdToUuid(id)],
    );
    expect(rows.map(({ recipient }) => recipient)).toEqual(users);
    expect(heap.get(90)! - heap.get(10)!).toBeLessThan(HEAP_GROWTH_BYTES_MAX);
  }, 360_000);
});
