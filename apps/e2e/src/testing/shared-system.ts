import { randomBytes, randomUUID } from 'node:crypto';
import type { EventLog } from '@tidings/events/event-log';
import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { shared } from '@tidings/testing/shared';
import { ApiClient } from './api-client';
import { showOutputOnFailure } from './failure-output';
import type { Topology } from './installation';
import { System, usualTopology } from './system';
import { tearDown } from './tear-down';

const ADMIN_KEY = randomBytes(24).toString('base64url');

/** Environment that `join` requires: operators' key, secret key, receivers on this machine, and an address for vendors. */
export const ENVIRONMENT = {
  TIDINGS_ADMIN_KEY: ADMIN_KEY,
  TIDINGS_SECRET_KEY: randomBytes(32).toString('base64'),
  TIDINGS_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
  TIDINGS_PUBLIC_URL: 'https://notify.example.com',
};

const SYSTEMS: Record<Topology, () => Promise<System>> = {
  standalone: shared(() => System.start({ topology: 'standalone', environment: ENVIRONMENT })),
  kafka: shared(() => System.start({ topology: 'kafka', environment: ENVIRONMENT })),
};

/**
 * One suite's workspace in a product that the suites of a jest worker share, with its own mail server on request. Suites that
 * kill or configure the product, or compare metrics, start a `System`.
 */
export class SharedSystem {
  readonly adminKey = ADMIN_KEY;
  /** Client of the suite's workspace. */
  readonly client: ApiClient;
  private readonly teardown = new Teardown();
  private mailServer: CapturingSmtp | undefined;

  private constructor(
    private readonly system: System,
    readonly workspaceId: string,
    /** E-mail address of the workspace's account. */
    readonly account: string,
    readonly key: string,
  ) {
    this.client = new ApiClient(system.url, key);
  }

  /**
   * `mail`: e-mails go to `smtp`, otherwise to the development mailbox. `system`: a product that the suite started with
   * `ENVIRONMENT` and stops itself.
   */
  static async join({ mail = false, system: own }: { mail?: boolean; system?: System } = {}): Promise<SharedSystem> {
    const system = own ?? (await SYSTEMS[usualTopology()]());
    showOutputOnFailure(system);
    const { workspaceId, account, key } = await newWorkspace(system.url);
    const joined = new SharedSystem(system, workspaceId, account, key);
    if (mail) await joined.addMailServer();
    return joined;
  }

  get url(): string {
    return this.system.url;
  }

  get topology(): Topology {
    return this.system.topology;
  }

  get smtp(): CapturingSmtp {
    if (!this.mailServer) throw new Error('This suite has no mail server: join with `mail`');
    return this.mailServer;
  }

  /** Output of the product since its start, of all suites. */
  get output(): string {
    return this.system.output;
  }

  /** Connection URL of a service's database role. */
  roleUrl(role: string): string {
    return this.system.roleUrl(role);
  }

  /** The event log of the product, until the suite leaves. */
  async openLog(): Promise<EventLog> {
    const log = await this.system.openLog();
    this.teardown.add('the event log', () => log.close());
    return log;
  }

  /** A metric of the product, summed over its labels. */
  metrics(name: string): Promise<number> {
    return this.system.metrics(name);
  }

  /** A client of a new workspace, with a key of that mode. */
  async otherClient(mode: 'production' | 'test' = 'production'): Promise<ApiClient> {
    return new ApiClient(this.url, (await newWorkspace(this.url, mode)).key);
  }

  /** Ends the suite's own resources. */
  leave(): Promise<void> {
    return tearDown(this.teardown);
  }

  private async addMailServer(): Promise<void> {
    const smtp = await CapturingSmtp.start();
    this.teardown.add('the mail server', () => smtp.close());
    this.mailServer = smtp;
    const { hostname: host, port } = new URL(smtp.url);
    const settings = { host, port: Number(port), tls: 'off', from_address: 'notifications@example.com' };
    await post(this.client, '/providers', { provider: 'smtp', settings });
  }
}

async function newWorkspace(url: string, mode = 'production'): Promise<{ workspaceId: string; account: string; key: string }> {
  const operator = new ApiClient(url, ADMIN_KEY);
  const name = `journey-${randomUUID()}`;
  const account = `${name}@example.com`;
  const workspace = { name, account_email: account };
  const { workspace_id: workspaceId } = await post<{ workspace_id: string }>(operator, '/admin/workspaces', workspace);
  const { key } = await post<{ key: string }>(operator, `/admin/workspaces/${workspaceId}/keys`, { mode, name: 'journey' });
  return { workspaceId, account, key };
}

async function post<Body>(client: ApiClient, path: string, body: object): Promise<Body> {
  const answer = await client.request<Body>('POST', path, { body });
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
