import { randomBytes, randomUUID } from 'node:crypto';
import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { shared } from '@tidings/testing/shared';
import { ApiClient } from './api-client';
import { shownWhenATestFails } from './failure-output';
import type { Way } from './installation';
import { System, usualWay } from './system';
import { tearDown } from './tear-down';

const ADMIN_KEY = randomBytes(24).toString('base64url');

/** What `join` needs of a product: operators' key, secrets that are encrypted, and receivers on this machine. */
export const ENVIRONMENT = {
  TIDINGS_ADMIN_KEY: ADMIN_KEY,
  TIDINGS_SECRET_KEY: randomBytes(32).toString('base64'),
  TIDINGS_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
};

const SYSTEMS: Record<Way, () => Promise<System>> = {
  standalone: shared(() => System.start({ way: 'standalone', environment: ENVIRONMENT })),
  kafka: shared(() => System.start({ way: 'kafka', environment: ENVIRONMENT })),
};

/**
 * One suite's part of the product that the journeys of a worker share: a workspace of its own and, where its mails are looked at, a mail
 * server. Suites that kill or configure the product, or read its numbers, start a `System`.
 */
export class SharedSystem {
  readonly adminKey = ADMIN_KEY;
  /** A client of the suite's workspace. */
  readonly client: ApiClient;
  private readonly teardown = new Teardown();
  private mailServer: CapturingSmtp | undefined;

  private constructor(
    private readonly system: System,
    readonly workspaceId: string,
    /** E-mail address of the account that the workspace belongs to. */
    readonly account: string,
    readonly key: string,
  ) {
    this.client = new ApiClient(system.url, key);
  }

  /**
   * `mail`: its e-mails go to `smtp`; otherwise to the product's development mailbox. `system`: a product of the suite's own, started
   * with `ENVIRONMENT`, which the suite stops.
   */
  static async join({ mail = false, system: own }: { mail?: boolean; system?: System } = {}): Promise<SharedSystem> {
    const system = own ?? (await SYSTEMS[usualWay()]());
    shownWhenATestFails(system);
    const { workspaceId, account, key } = await newWorkspace(system.url);
    const joined = new SharedSystem(system, workspaceId, account, key);
    if (mail) await joined.addMailServer();
    return joined;
  }

  get url(): string {
    return this.system.url;
  }

  get way(): Way {
    return this.system.way;
  }

  get smtp(): CapturingSmtp {
    if (!this.mailServer) throw new Error('This suite has no mail server: join with `mail`');
    return this.mailServer;
  }

  /** What the product printed since its start, for all suites. */
  get output(): string {
    return this.system.output;
  }

  /** A metric of the product, its labels summed up. */
  metrics(name: string): Promise<number> {
    return this.system.metrics(name);
  }

  /** A client of one more workspace, with a key of that mode. */
  async otherClient(mode: 'production' | 'test' = 'production'): Promise<ApiClient> {
    return new ApiClient(this.url, (await newWorkspace(this.url, mode)).key);
  }

  /** Ends what the suite has of its own. */
  leave(): Promise<void> {
    return tearDown(this.teardown);
  }

  private async addMailServer(): Promise<void> {
    const smtp = await CapturingSmtp.start();
    this.teardown.add('the mail server', () => smtp.close());
    this.mailServer = smtp;
    const { hostname: host, port } = new URL(smtp.url);
    await done(this.client, '/providers', { provider: 'smtp', settings: { host, port: Number(port), tls: 'off' } });
  }
}

async function newWorkspace(url: string, mode = 'production'): Promise<{ workspaceId: string; account: string; key: string }> {
  const operator = new ApiClient(url, ADMIN_KEY);
  const name = `journey-${randomUUID()}`;
  const account = `${name}@example.com`;
  const made = { name, account_email: account };
  const { workspace_id: workspaceId } = await done<{ workspace_id: string }>(operator, '/admin/workspaces', made);
  const { key } = await done<{ key: string }>(operator, `/admin/workspaces/${workspaceId}/keys`, { mode, name: 'journey' });
  return { workspaceId, account, key };
}

async function done<Body>(client: ApiClient, path: string, body: object): Promise<Body> {
  const answer = await client.request<Body>('POST', path, { body });
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
