import { Logger } from '@nestjs/common';
import { audienceHappened, type AudienceHappening } from '@tidings/contracts/audience/events';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import type { EventLog, Subscription } from '@tidings/events/event-log';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { Database } from '@tidings/persistence/database';
import { LocalTransport } from '@tidings/rpc/local-transport';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { type RunningService, startService } from '@tidings/runtime/service';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { withUsualPlans } from '@tidings/testing/usual-plans';
import { waitUntil } from '@tidings/testing/wait-until';
import { AudienceModule } from '../audience.module';
import type { RebuildOptions } from '../audiences/rebuild/rebuild-worker';
import { PeopleProjection } from '../people/people-projection';

const QUIET_MS_MAX = 30_000;

export interface AudienceInstance {
  call: OperationClient['call'];
  get: RunningService['get'];
  stop(): Promise<void>;
}

/** Any number of audience services on one database, what identity tells them, and what they tell. */
export class AudienceInstances {
  readonly told: AudienceHappening[] = [];
  private readonly running: { stop(): Promise<void> }[] = [];
  private sequence = 0;
  private ear!: Subscription;

  private constructor(
    readonly database: TestDatabase,
    private readonly openLog: () => Promise<EventLog>,
    /** Identity's and messaging's way to the log. */
    readonly log: EventLog,
    private readonly rebuilds: Partial<RebuildOptions>,
  ) {}

  /** On the log in the database, unless another one is opened. */
  static async create(rebuilds: Partial<RebuildOptions> = {}, openLog?: () => Promise<EventLog>): Promise<AudienceInstances> {
    Logger.overrideLogger(['error', 'warn']);
    const database = await createTestDatabase({ migrate: { key: 'event-log', run: ({ urlOf }) => migrateEventLog(urlOf('events')) } });
    const databaseUrl = database.urlOf('audience');
    const open =
      openLog ?? (() => PostgresEventLog.connect({ databaseUrl, applicationName: 'audience-spec', maintenanceIntervalMs: null }));
    const instances = new AudienceInstances(database, open, await open(), rebuilds);
    instances.ear = await instances.log.consume(audienceHappened, { group: 'spec' }, (batch) => {
      for (const { payload } of batch) if (payload) instances.told.push(payload);
      return Promise.resolve();
    });
    return instances;
  }

  async start(): Promise<AudienceInstance> {
    const events = await this.openLog();
    const transport = new LocalTransport();
    const client = transport.client();
    const resources = { databaseUrl: this.database.urlOf('audience'), events, client, rebuilds: this.rebuilds };
    const service = await startService('audience', AudienceModule.register(resources), transport);
    const stop = async (): Promise<void> => {
      await service.stop();
      await events.close();
    };
    this.running.push({ stop });
    return { call: (...parameters) => client.call(...parameters), get: (token) => service.get(token), stop };
  }

  /** A running number, above all before. */
  next(): string {
    return String((this.sequence += 1));
  }

  /** What identity tells of a profile; `null` when it was deleted. */
  tellProfile(workspaceId: string, userId: string, profile: ProfileFields | null, sequence = this.next()): Promise<void> {
    const key = `${workspaceId}:${userId}`;
    const payload = profile && { workspaceId, userId, profile };
    return this.log.append(profileChanged, [{ id: `profile-${sequence}`, key, payload, sequence }]);
  }

  /** What identity tells of a user's tenants. */
  tellTenants(workspaceId: string, userId: string, tenantIds: string[], sequence = this.next()): Promise<void> {
    const key = `${workspaceId}:${userId}`;
    const payload = tenantIds.length === 0 ? null : { workspaceId, userId, tenantIds };
    return this.log.append(membershipsChanged, [{ id: `tenants-${sequence}`, key, payload, sequence }]);
  }

  /** Waits until nothing is under way: everything told is applied, every rebuild finished, every event heard. */
  async quiet({ get }: AudienceInstance): Promise<void> {
    const [db, people] = [get(Database), get(PeopleProjection)];
    const time = Date.now();
    await waitUntil(
      async () => {
        if (!(await people.hasAppliedUpTo(time))) return false;
        const rows = await db.query(
          `select from audience_rebuilds union all select from audience_discards
           union all (select from outbox limit 1)`,
        );
        return rows.length === 0;
      },
      { what: 'the end of all work', timeoutMs: QUIET_MS_MAX },
    );
    const appended = Date.now();
    await waitUntil(() => this.ear.hasHandledUpTo(appended), { what: 'all events', timeoutMs: QUIET_MS_MAX });
  }

  /** Looks into the services' schema. */
  sql<Row extends object>({ get }: AudienceInstance, text: string, values: readonly unknown[]): Promise<Row[]> {
    return withUsualPlans<Row>(get(Database), text, values);
  }

  /** The events of an audience of the workspace, in order. */
  eventsOf(workspaceId: string, audienceId: string): Pick<AudienceHappening, 'type' | 'data'>[] {
    return this.told
      .filter((event) => event.workspaceId === workspaceId && event.audienceId === audienceId)
      .map(({ type, data }) => ({ type, data }));
  }

  async end(): Promise<void> {
    await Promise.all(this.running.map(({ stop }) => stop()));
    await this.log.close();
    await this.database.drop();
  }
}
