import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import type { ConfigurationRow } from './configuration.rows';
import { ProviderSecrets } from './provider-secrets';

const PAGE_SIZE = 200;
/** Cursor before every row. */
const FIRST_CURSOR = ['00000000-0000-0000-0000-000000000000', ''];

type SealedRow = Pick<ConfigurationRow, 'workspace_id' | 'configuration_id' | 'secrets' | 'key_id'>;

const PAGE = statement(
  'provider-secrets-page',
  `select workspace_id, configuration_id, secrets, key_id from provider_configurations
    where (workspace_id, configuration_id) > ($1, $2) order by workspace_id, configuration_id limit ${PAGE_SIZE}`,
);
/** Unless the row was changed meanwhile. */
const REPLACE = statement(
  'provider-secrets-replace',
  `update provider_configurations set secrets = $3, key_id = $4
    where workspace_id = $1 and configuration_id = $2 and secrets = $5`,
);

/**
 * Seals all secrets with the first key when a process starts. Once every process has started with a new first key, the old key can be
 * removed. Secrets that cannot be opened stay as they are and are logged.
 */
@Injectable()
export class SecretsReseal implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('ProviderSecrets');
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly secrets: ProviderSecrets,
  ) {}

  onApplicationBootstrap(): void {
    if (this.secrets.keyId === null) return;
    this.running = this.resealAll().catch((error: unknown) =>
      this.logger.warn(`Sealing provider secrets with the first key failed; retrying at the next start: ${reasonOf(error)}`),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** Resolves when every configuration was checked. */
  async resealAll(): Promise<void> {
    const count = { resealed: 0, unreadable: 0 };
    let cursor = FIRST_CURSOR;
    while (!this.stopped) {
      const rows = await this.db.query<SealedRow>(PAGE, cursor);
      for (const row of rows) if (row.key_id !== this.secrets.keyId) count[await this.reseal(row)] += 1;
      const last = rows[PAGE_SIZE - 1];
      if (!last) break;
      cursor = [last.workspace_id, last.configuration_id];
    }
    if (count.resealed > 0) this.logger.log(`Secrets of ${count.resealed} provider configurations were sealed with the first key`);
    if (count.unreadable > 0)
      this.logger.error(`Secrets of ${count.unreadable} provider configurations cannot be opened with any key of TIDINGS_SECRET_KEY`);
  }

  private async reseal(row: SealedRow): Promise<'resealed' | 'unreadable'> {
    const secrets = this.secrets.open(row);
    if (!secrets) return 'unreadable';
    const sealed = this.secrets.seal(row, secrets);
    await this.db.execute(REPLACE, [row.workspace_id, row.configuration_id, sealed.secrets, sealed.key_id, row.secrets]);
    return 'resealed';
  }
}
