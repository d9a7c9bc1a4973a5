import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ResealSecrets } from '@tidings/contracts/core/reseal';
import { messagingSecrets } from '@tidings/contracts/messaging/secrets';
import { reasonOf } from '@tidings/persistence/errors';
import { Handles } from '@tidings/rpc/handles';
import { resealAll, type ResealedRows, resealStep } from '@tidings/runtime/reseal';
import { Equal, Repository } from 'typeorm';
import { ConfigurationEntity, type ConfigurationKey } from './configuration.entity';
import { ProviderSecrets } from './provider-secrets';

const PAGE_SIZE = 200;
/** Before every row. */
const FIRST: ConfigurationKey = { workspaceId: '00000000-0000-0000-0000-000000000000', id: '' };

/**
 * Seals the secrets of provider configurations again with the first key, when a process starts and when an operator requests it. Once every
 * process has started with a new first key, the old key can be removed. Secrets that cannot be opened stay as they are and are logged.
 */
@Handles(messagingSecrets)
export class SecretsHandlers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('ProviderSecrets');
  private readonly tables = [(after: readonly string[] | undefined) => this.resealPage(after)];
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    @InjectRepository(ConfigurationEntity) private readonly rows: Repository<ConfigurationEntity>,
    private readonly secrets: ProviderSecrets,
  ) {}

  onApplicationBootstrap(): void {
    if (this.secrets.keyId === null) return;
    this.running = this.resealEvery().catch((error: unknown) =>
      this.logger.warn(`Sealing provider secrets with the first key failed; retrying at the next start: ${reasonOf(error)}`),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** Without a secret key nothing is sealed: the one step ends at once. */
  async reseal(_context: CallContext, request: ResealSecrets) {
    if (this.secrets.keyId === null) return { done: true, resealed: 0, unreadable: 0 };
    return resealStep(this.tables, request);
  }

  private async resealEvery() {
    const { resealed, unreadable } = await resealAll(this.tables, () => this.stopped);
    if (resealed > 0) this.logger.log(`Secrets of ${resealed} provider configurations were sealed with the first key`);
    if (unreadable > 0)
      this.logger.error(`Secrets of ${unreadable} provider configurations cannot be opened with any key of TIDINGS_SECRET_KEY`);
  }

  private async resealPage([workspaceId, id]: readonly string[] = [FIRST.workspaceId, FIRST.id]): Promise<ResealedRows> {
    const rows = await this.rows
      .createQueryBuilder('row')
      .select(['row.workspaceId', 'row.id', 'row.secrets', 'row.keyId'])
      .where('(row.workspaceId, row.id) > (:workspaceId, :id)', { workspaceId, id })
      .orderBy({ 'row.workspaceId': 'ASC', 'row.id': 'ASC' })
      .limit(PAGE_SIZE)
      .getMany();
    const count = { resealed: 0, unreadable: 0 };
    for (const row of rows) if (row.keyId !== this.secrets.keyId) count[await this.resealRow(row)] += 1;
    const last = rows[PAGE_SIZE - 1];
    return { ...count, next: last && [last.workspaceId, last.id] };
  }

  private async resealRow(row: ConfigurationEntity) {
    const opened = this.secrets.open(row);
    if (!opened) return 'unreadable';
    const { workspaceId, id, secrets } = row;
    await this.rows.update({ workspaceId, id, secrets: Equal(secrets) }, this.secrets.seal(row, opened)); // unless the row was changed meanwhile
    return 'resealed';
  }
}
