import { randomUUID } from 'node:crypto';
import { type ContentChanged, contentChanged } from '@tidings/contracts/content/events';
import type { CallContext } from '@tidings/contracts/core/context';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';

/** The context of a new workspace. */
export const newWorkspace = (): CallContext => contextOf(randomUUID());

/** Consumes content events as another service does. */
export interface ContentListener {
  /**
   * The workspace's published content changes, once there are `count` of them and the outbox is empty. Sorted, as events of
   * different keys come in any order.
   */
  publishedOf(context: CallContext, count: number): Promise<[kind: ContentChanged['kind'], id: string][]>;
  close(): Promise<void>;
}

/** Listens to the content events of a test database; `close` ends it. */
export async function listenToContent({ adminUrl, sql }: TestService): Promise<ContentListener> {
  const log = await PostgresEventLog.connect({ databaseUrl: adminUrl, applicationName: 'messaging-spec', maintenanceIntervalMs: null });
  const received: ContentChanged[] = [];
  await log.broadcast(contentChanged, ({ payload }) => void (payload && received.push(payload)));
  return {
    publishedOf: async ({ workspaceId }, count) => {
      const published = (): ContentChanged[] => received.filter((event) => event.workspaceId === workspaceId);
      const waiting = (): Promise<object[]> => sql('select from outbox limit 1', []);
      await waitUntil(async () => published().length >= count && (await waiting()).length === 0, {
        what: `${count} changes of ${workspaceId}`,
      });
      return published()
        .map(({ kind, id }): [ContentChanged['kind'], string] => [kind, id])
        .sort();
    },
    close: () => log.close(),
  };
}
