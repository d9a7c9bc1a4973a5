import { contentChanged, type ContentChanged } from '@tidings/contracts/content/events';
import { ChangeListener } from '@tidings/events/change-listener';
import type { EventLog } from '@tidings/events/event-log';
import { ChangeCache } from './change-cache';

it('loads every value anew once a change was missed', async () => {
  let miss = (): void => undefined;
  const subscription = { interruptedForMs: () => 0, stop: () => Promise.resolve() };
  const broadcast: EventLog['broadcast'] = (_event, _handler, onMissed = () => {}) => {
    miss = onMissed;
    return Promise.resolve(subscription);
  };
  const changes = new ChangeListener<ContentChanged>({ broadcast } as EventLog, contentChanged);
  await changes.onModuleInit();
  let loads = 0;
  const cache = new ChangeCache({
    changes,
    nameOf: ({ workspace_id }: { workspace_id: string }) => workspace_id,
    load: (keys) => Promise.resolve(keys.map(() => (loads += 1))),
    limits: { max: 10 },
  });
  const find = async (workspace_id: string): Promise<number | undefined> => (await cache.find([{ workspace_id }])).get(workspace_id);
  expect([await find('w'), await find('other'), await find('w')]).toEqual([1, 2, 1]);

  miss();

  expect([await find('w'), await find('other'), await find('w')]).toEqual([3, 4, 3]);
});
