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
import { redelivered } from '@tidings/testing/redelivered';
import { withUsualPlans } from '@tidings/testing/usual-plans';
import { waitUntil } from '@tidings/testing/wait-until';
import { AudienceModule } from '../audience.module';
import type { RebuildOptions } from '../audiences/rebuild/rebuild-worker';
import { PeopleProjection } from '../audiences/people-projection';

/** One running audience service. */
export interface AudienceInstance {
  call: OperationClient['call'];
  /** Calls that are all one delivery, as when a transport delivers a request again. */
  redelivered(): OperationClient['call'];
  get: RunningService['get'];
  stop(): Promise<void>;
}

/** Any number of audience services on one database; publishes identity's events and records the services' own. */
export class AudienceInstances {
  readonly events: AudienceHappening[] = [];
  private readonly running: { stop(): Promise<void> }[] = [];
  private sequence = 0;
  private subscription!: Subscription;

  private constructor(
    readonly database: TestDatabase,
    private readonly openLog: () => Promise<EventLog>,
    /** The log to which the tests append identity's events. */
    readonly log: EventLog,
    private readonly rebuilds: Partial<RebuildOptions>,
  ) {}

  /** Uses the event log of the database unless `openLog` opens another one. */
  static async create(rebuilds: Partial<RebuildOptions> = {}, openLog?: () => Promise<EventLog>): Promise<AudienceInstances> {
    Logger.overrideLogger(['error', 'warn']);
    const database = await createTestDatabase({ migrate: { key: 'event-log', run: ({ urlOf }) => migrateEventLog(urlOf('events')) } });
    const openAs = (role: 'audience' | 'events') => () =>
      PostgresEventLog.connect({ databaseUrl: database.urlOf(role), applicationName: 'audience-spec', maintenanceIntervalMs: null });
    const log = await (openLog ?? openAs('events'))();
    const instances = new AudienceInstances(database, openLog ?? openAs('audience'), log, rebuilds);
    instances.subscription = await instances.log.consume(audienceHappened, { group: 'spec' }, (batch) => {
      for (const { payload } of batch) if (payload) instances.events.push(payload);
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
    return {
      call: (...parameters) => client.call(...parameters),
      redelivered: () => redelivered(transport),
      get: (token) => service.get(token),
      stop,
    };
  }

  /** The next sequence number; increases with every call. */
  nextSequence(): string {
    return String((this.sequence += 1));
  }

  /** Publishes a user's profile as identity does; `null`: deleted. */
  publishProfile(workspaceId: string, userId: string, profile: ProfileFields | null, sequence = this.nextSequence()): Promise<void> {
    const key = `${workspaceId}:${userId}`;
    const payload = profile && { workspaceId, userId, profile };
    return this.log.append(profileChanged, [{ id: `profile-${sequence}`, key, payload, sequence }]);
  }

  /** Publishes a user's tenants as identity does. */
  publishTenants(workspaceId: string, userId: string, tenantIds: string[], sequence = this.nextSequence()): Promise<void> {
    const key = `${workspaceId}:${userId}`;
    const payload = tenantIds.length === 0 ? null : { workspaceId, userId, tenantIds };
    return this.log.append(membershipsChanged, [{ id: `tenants-${sequence}`, key, payload, sequence }]);
  }

  /** Waits until all published events are applied, every rebuild is finished and every event is recorded in `events`. */
  async waitUntilIdle({ get }: AudienceInstance): Promise<void> {
    const [database, people] = [get(Database), get(PeopleProjection)];
    const time = Date.now();
    await waitUntil(
      async () => {
        if (!(await people.hasAppliedUpTo(time))) throw new Error('Changes of people are not applied');
        const left = await database.query<{ work: string }>(
          `(select to_jsonb(rebuilds)::text as work from audience_rebuilds as rebuilds limit 3)
           union all (select to_jsonb(discards)::text from audience_discards as discards limit 3)
           union all (select to_jsonb(outbox)::text from outbox limit 3)`,
        );
        if (left.length > 0) throw new Error(`Work is left: ${left.map(({ work }) => work).join(', ')}`);
        return true;
      },
      { what: 'the end of all work' },
    );
    const appended = Date.now();
    await waitUntil(() => this.subscription.hasHandledUpTo(appended), { what: 'all events' });
  }

  /** Runs SQL in the services' schema, with the plans PostgreSQL usually chooses. */
  sql<Row extends object>({ get }: AudienceInstance, text: string, values: readonly unknown[]): Promise<Row[]> {
    return withUsualPlans<Row>(get(Database), text, values);
  }

  /** The recorded events of an audience, in order. */
  eventsOf(workspaceId: string, audienceId: string): Pick<AudienceHappening, 'type' | 'data'>[] {
    return this.events
      .filter((event) => event.workspaceId === workspaceId && event.audienceId === audienceId)
      .map(({ type, data }) => ({ type, data }));
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map(({ stop }) => stop()));
    await this.log.close();
    await this.database.drop();
  }
}
