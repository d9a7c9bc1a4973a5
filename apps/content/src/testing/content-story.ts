import { randomUUID } from 'node:crypto';
import { type ContentChanged, contentChanged } from '@tidings/contracts/content/events';
import type { CallContext } from '@tidings/contracts/core/context';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';

/** The context of a workspace of its own. */
export const newWorkspace = (): CallContext => contextOf(randomUUID());

/** Ears of another service at the log. */
export interface ContentListener {
  /**
   * What was told of the workspace's content so far, once there are `count` of it and nothing waits to be told. Sorted: events of one
   * key come in their order, which says nothing here, and those of two keys in any.
   */
  toldOf(context: CallContext, count: number): Promise<[kind: ContentChanged['kind'], id: string][]>;
  close(): Promise<void>;
}

export async function listenToContent({ adminUrl, sql }: TestService): Promise<ContentListener> {
  const log = await PostgresEventLog.connect({ databaseUrl: adminUrl, applicationName: 'messaging-spec', maintenanceIntervalMs: null });
  const heard: ContentChanged[] = [];
  await log.broadcast(contentChanged, ({ payload }) => void (payload && heard.push(payload)));
  return {
    toldOf: async ({ workspaceId }, count) => {
      const told = (): ContentChanged[] => heard.filter((event) => event.workspaceId === workspaceId);
      const waiting = (): Promise<object[]> => sql('select from outbox limit 1', []);
      await waitUntil(async () => told().length >= count && (await waiting()).length === 0, { what: `${count} changes of ${workspaceId}` });
      return told()
        .map(({ kind, id }): [ContentChanged['kind'], string] => [kind, id])
        .sort();
    },
    close: () => log.close(),
  };
}
