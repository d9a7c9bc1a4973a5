import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { KAFKA_ROLES } from '@tidings/runtime/kafka-access';
import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { freePort } from '@tidings/testing/free-port';
import { TEST_SIGNING } from '@tidings/testing/kafka';
import { ApiClient } from './api-client';
import { Installation } from './installation';
import { KafkaPrincipals } from './kafka-principals';
import type { Program } from './program';
import { tearDown } from './tear-down';

const READY_MS_MAX = 120_000;
const READY_POLL_MS = 50;

/** The product in five processes, each as its own principal of the Kafka of docker-compose.yml. */
export class RestrictedProcesses {
  readonly key = `pk_prod_${randomBytes(24).toString('base64url')}`;
  private readonly adminKey = randomBytes(24).toString('base64url');
  readonly signing = TEST_SIGNING;
  private readonly programs = new Map<ServiceName, Program>();
  kafka!: KafkaPrincipals;
  client!: ApiClient;
  operator!: ApiClient;
  smtp!: CapturingSmtp;
  private readonly teardown = new Teardown();

  static async start(): Promise<RestrictedProcesses> {
    const processes = new RestrictedProcesses();
    try {
      await processes.setUp();
    } catch (error) {
      await processes.teardown.run();
      throw error;
    }
    return processes;
  }

  /** What the process of a role has printed so far. */
  output(role: ServiceName): string {
    return this.programs.get(role)!.output;
  }

  end(): Promise<void> {
    return tearDown(this.teardown);
  }

  private async setUp() {
    const installation = new Installation();
    this.teardown.add('the folder', () => installation.remove());
    const database = await createTestDatabase();
    this.teardown.add('the database', () => database.drop());
    this.kafka = await KafkaPrincipals.start(installation);
    this.teardown.add('Kafka', () => this.kafka.remove());
    const { end, output } = await this.kafka.giveRights();
    if (end !== 0) throw new Error(`tidings kafka-access ended with ${end}:\n${output}`);
    this.smtp = await CapturingSmtp.start();
    this.teardown.add('the mail server', () => this.smtp.close());
    const port = await freePort();
    this.client = new ApiClient(`http://127.0.0.1:${port}`, this.key);
    this.operator = new ApiClient(this.client.url, this.adminKey);
    await Promise.all(KAFKA_ROLES.map((role) => this.startOne(installation, role, database, port)));
  }

  private async startOne(installation: Installation, role: ServiceName, database: TestDatabase, port: number) {
    const managementPort = await freePort();
    const program = installation.startApp(role, {
      ...this.kafka.environmentOf(role),
      TIDINGS_RPC_SECRET: this.signing.secrets.join(),
      MANAGEMENT_PORT: String(managementPort),
      ...(role === 'gateway' ? { PORT: String(port), TIDINGS_ADMIN_KEY: this.adminKey } : { DATABASE_URL: database.urlOf(role) }),
      ...(role === 'identity' && { TIDINGS_API_KEY: this.key, TIDINGS_ACCOUNT_EMAIL: 'admin@example.com' }),
      ...(role === 'messaging' && { TIDINGS_SMTP_URL: this.smtp.url }),
    });
    this.programs.set(role, program);
    this.teardown.add(role, async () => void (await program.end('SIGTERM')));
    const isReady = async () => (await fetch(`http://127.0.0.1:${managementPort}/health/ready`)).ok;
    await program.until(isReady, { what: `readiness of ${role}`, timeoutMs: READY_MS_MAX, intervalMs: READY_POLL_MS });
  }
}
