import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { CommandTransactions } from '@tidings/contracts/core/command-transactions';
import type { CallContext } from '@tidings/contracts/core/context';
import { parseNetwork } from '@tidings/contracts/core/network';
import type { Operation, ResponseOf } from '@tidings/contracts/core/operation';
import {
  type LoadedRecipient,
  type LoadedRecipients,
  type LoadedTenant,
  type LoadedTopic,
  type LoadRecipients,
  recipients,
} from '@tidings/contracts/identity/recipients';
import { type ReportUserTokens, type TokenReport, userTokens } from '@tidings/contracts/identity/user-tokens';
import { type MessageRequested, messageRequested } from '@tidings/contracts/messaging/events';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { WorkTimes } from '@tidings/jobs/work-times';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl } from '@tidings/providers/smtp/smtp-settings';
import { Handles } from '@tidings/rpc/handles';
import { LocalTransport } from '@tidings/rpc/local-transport';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { type RunningService, startService, type ServiceResources } from '@tidings/runtime/service';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { redelivered } from '@tidings/testing/redelivered';
import { RUN_SOURCES } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { MessagingModule, type MessagingResources } from '../messaging.module';
import { Content, fakeContent } from './fake-content';
import { fakeAudience, identityMembers, Members } from './fake-members';

/** State of the fake identity service: its answers, and whether it is unavailable. */
export class Profiles {
  /** By user id. */
  readonly stored = new Map<string, Record<string, unknown>>();
  /** Further fields of a recipient, by user id. */
  readonly recipients = new Map<string, Partial<LoadedRecipient>>();
  readonly tenants: LoadedTenant[] = [];
  readonly topics: LoadedTopic[] = [];
  /** The users of loads that store missing profiles. */
  readonly created: string[] = [];
  /** Received reports about push tokens. */
  readonly reports: TokenReport[] = [];
  isUnavailable = false;
  /** Loads refused while it was unavailable. */
  refused = 0;
  /** Called before each load is answered. */
  onLoad: () => Promise<void> | void = () => undefined;
}

@Handles(recipients)
class RecipientsHandlers {
  constructor(private readonly profiles: Profiles) {}

  async load(_context: CallContext, { recipients: wanted, only_reads }: LoadRecipients): Promise<LoadedRecipients> {
    const { stored, recipients: fields, tenants, topics } = this.profiles;
    await this.profiles.onLoad();
    if (this.profiles.isUnavailable) {
      this.profiles.refused += 1;
      throw new Error('identity is unavailable');
    }
    if (!only_reads) this.profiles.created.push(...wanted.flatMap(({ user_id }) => user_id ?? []));
    const loaded = wanted.map(({ user_id, tenant_id }) => ({
      profile: (user_id !== undefined && stored.get(user_id)) || {},
      ...(tenant_id !== undefined && { tenant_id }),
      ...(user_id !== undefined && fields.get(user_id)),
    }));
    return { recipients: loaded, tenants, topics };
  }
}

/** Commands of the fake identity have no transaction. */
const NO_DATABASE: CommandTransactions = { run: (_, work) => work(undefined) };

@Handles({ report: userTokens.report })
class TokensHandlers {
  constructor(private readonly profiles: Profiles) {}

  async report(_context: CallContext, { reports }: ReportUserTokens): Promise<void> {
    if (this.profiles.isUnavailable) throw new Error('identity is unavailable');
    this.profiles.reports.push(...reports);
  }
}

@Module({})
class FakeIdentityModule {}

type StartOptions = Pick<
  MessagingResources,
  'bounces' | 'clock' | 'publishHistory' | 'secretKeys' | 'links' | 'senderDomains' | 'workTimes'
> &
  Partial<Pick<MessagingResources, 'databaseUrl'>>;

/** Short retries; leases as long as in production. */
const SOON = { retryMs: 50, faultRetryMs: 100, firstRetryMs: 100 };
/** Renews leases so often that a spec can wait for it. */
export const RENEWING_OFTEN = new WorkTimes({ ...SOON, renewMs: 100 });
/** Soon sees rows that another process made due. */
export const POLLING_OFTEN = new WorkTimes({ ...SOON, pollMs: 100 });

/** A messaging service with its own database, event log and mail server. */
export class Messaging {
  readonly workspaceId = randomUUID();
  readonly profiles = new Profiles();
  readonly content = new Content();
  readonly members = new Members();

  private constructor(
    readonly database: TestDatabase,
    readonly smtp: CapturingSmtp,
    readonly log: PostgresEventLog,
    private readonly sql: Client,
  ) {}

  private transport = new LocalTransport();
  private client: OperationClient = this.transport.client();
  private services: RunningService[] = [];

  static async create(): Promise<Messaging> {
    const database = await createTestDatabase();
    await migrateEventLog(database.urlOf('events'));
    const log = await PostgresEventLog.connect({ databaseUrl: database.urlOf('events'), applicationName: 'messaging-spec' });
    const sql = new Client({ connectionString: database.adminUrl });
    await sql.connect();
    sql.on('error', () => {});
    return new Messaging(database, await CapturingSmtp.start(), log, sql);
  }

  /** Starts the service; `smtpQuery` is added to the URL of the mail server. */
  async start(smtpQuery = '', options: StartOptions = {}): Promise<void> {
    this.transport = new LocalTransport();
    this.client = this.transport.client();
    const module = {
      module: FakeIdentityModule,
      controllers: [RecipientsHandlers, TokensHandlers, ...identityMembers],
      providers: [
        { provide: Profiles, useValue: this.profiles },
        { provide: Members, useValue: this.members },
        { provide: CommandTransactions, useValue: NO_DATABASE },
      ],
    };
    this.services = [
      await startService('identity', module, this.transport),
      await startService('content', fakeContent(this.content), this.transport),
      await startService('audience', fakeAudience(this.members), this.transport),
    ];
    this.services.push(await this.startMessaging(this.transport, smtpQuery, options));
  }

  /** Another process of the service on the same database, log and fakes; the caller stops it. */
  replica({
    register,
    ...options
  }: StartOptions & { register?: (resources: ServiceResources) => DynamicModule } = {}): Promise<RunningService> {
    const transport = new LocalTransport();
    if (!register) return this.startMessaging(transport, '', options);
    const { client, log: events } = this;
    return startService('messaging', register({ databaseUrl: this.database.urlOf('messaging'), events, client }), transport);
  }

  private startMessaging(transport: LocalTransport, smtpQuery = '', options: StartOptions = {}): Promise<RunningService> {
    const { client, log: events } = this;
    const { bounces } = options;
    const returnPath = bounces && ((messageId: string) => bounces.addresses.of(messageId));
    const module = MessagingModule.register({
      workTimes: new WorkTimes(SOON),
      databaseUrl: this.database.urlOf('messaging'),
      ...options,
      events,
      client,
      openProviders: () => [new SmtpProvider({ ...parseSmtpUrl(`${this.smtp.url}${smtpQuery}`), returnPath })],
      rendering: { execArgv: RUN_SOURCES },
      guard: new AddressGuard({ allowed: [parseNetwork('127.0.0.0/8')!] }),
    });
    return startService('messaging', module, transport);
  }

  async stop(): Promise<void> {
    for (const service of this.services.splice(0).reverse()) await service.stop();
  }

  async end(): Promise<void> {
    await this.stop();
    await this.log.close();
    await this.smtp.close();
    await this.sql.end();
    await this.database.drop();
  }

  get context(): CallContext {
    return { workspaceId: this.workspaceId, scopes: ['*'], mode: 'production', callId: randomUUID() };
  }

  call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    request: Request,
    context = this.context,
  ): Promise<ResponseOf<Operation<Request, Response>>> {
    return this.client.call(operation, context, request);
  }

  /** Calls that are all one delivery, as when a transport delivers a request again. */
  redelivered(): OperationClient['call'] {
    return redelivered(this.transport);
  }

  /** A provider of the service, for calls that bypass the transport, such as duplicate deliveries. */
  get get(): RunningService['get'] {
    return this.services.at(-1)!.get;
  }

  /** A request in the form that the gateway appends. */
  request(overrides: Partial<MessageRequested> = {}): MessageRequested {
    const requestedAt = Date.now();
    return {
      workspaceId: this.workspaceId,
      id: newMessageId(requestedAt),
      recipient: 'ada',
      requestedAt,
      mode: 'production',
      profile: { email: 'ada@example.com' },
      content: { title: 'Hello {name}', body: 'Your order **{order}** has shipped.' },
      data: { name: 'Ada', order: 'A-17' },
      event: '',
      tags: [],
      ...overrides,
    };
  }

  /** Appends sends to the log; resolves with their ids. */
  async send(...overrides: Partial<MessageRequested>[]): Promise<string[]> {
    const requests = (overrides.length > 0 ? overrides : [{}]).map((one) => this.request(one));
    await this.append(...requests);
    return requests.map(({ id }) => id);
  }

  append(...requests: MessageRequested[]): Promise<void> {
    return this.log.append(
      messageRequested,
      requests.map((payload) => ({ id: payload.id, payload })),
    );
  }

  /** Runs `work` while the database accepts no connections and all open ones have ended. */
  async withoutDatabase(work: () => Promise<void>): Promise<void> {
    const name = new URL(this.database.adminUrl).pathname.slice(1);
    const cluster = new Client({ connectionString: Object.assign(new URL(this.database.adminUrl), { pathname: '/postgres' }).href });
    await cluster.connect();
    try {
      await cluster.query(`alter database "${name}" with allow_connections false`);
      const others = `pg_stat_activity where datname = $1 and pid <> pg_backend_pid() and usename <> 'postgres'`;
      await cluster.query(`select pg_terminate_backend(pid) from ${others}`, [name]);
      // pg_terminate_backend only signals: wait, or a late end would disturb the test after `work`.
      await waitUntil(async () => (await cluster.query(`select from ${others}`, [name])).rowCount === 0, {
        what: 'the connections to end',
      });
      await work();
    } finally {
      await cluster.query(`alter database "${name}" with allow_connections true`);
      await cluster.end();
    }
  }

  async statusOf(id: string): Promise<string> {
    return (await this.call(messages.retrieve, { message_id: id })).status;
  }

  waitForStatus(id: string, status: string): Promise<unknown> {
    return waitUntil(async () => (await this.statusOf(id)) === status, { what: `message ${id} to be ${status}`, timeoutMs: 40_000 });
  }

  async historyTypes(id: string): Promise<string[]> {
    return (await this.call(messages.history, { message_id: id })).results.map(({ type }) => type);
  }

  /** Rows of the service's own tables, for state that no contract shows. */
  async rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.sql.query(text, values)).rows as Row[];
  }
}
