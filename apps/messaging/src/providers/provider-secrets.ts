import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { reasonOf } from '@tidings/persistence/errors';
import { KeyRing, seal } from '@tidings/runtime/secret-box';
import { Equal, Repository } from 'typeorm';
import { ConfigurationEntity, type ConfigurationKey, secretsNameOf } from './configuration.entity';

/** Secret settings by name. */
export type Secrets = Readonly<Record<string, unknown>>;

/** Secrets in the form of the row. */
type SealedSecrets = Pick<ConfigurationEntity, 'secrets' | 'keyId'>;

/** Seals the secrets of configurations with the first key and opens them with any key. Without keys they are stored in the clear. */
@Injectable()
export class ProviderSecrets {
  private readonly ring = new KeyRing(this.keys);

  constructor(private readonly keys: readonly Buffer[]) {}

  /** Id of the sealing key; `null` without keys. */
  get keyId(): string | null {
    return this.ring.first?.id ?? null;
  }

  seal(row: ConfigurationKey, secrets: Secrets): SealedSecrets {
    const text = Buffer.from(JSON.stringify(secrets));
    const { first } = this.ring;
    return first ? { secrets: seal(text, secretsNameOf(row), first.key), keyId: first.id } : { secrets: text, keyId: null };
  }

  /** The secrets; undefined where the key that sealed them is missing, or they were tampered with. */
  open(row: ConfigurationKey & SealedSecrets): Secrets | undefined {
    const text = row.keyId === null ? row.secrets : this.ring.open(row.secrets, secretsNameOf(row), row.keyId);
    return text && (JSON.parse(text.toString()) as Secrets);
  }
}

const PAGE_SIZE = 200;
/** Before every row. */
const FIRST: ConfigurationKey = { workspaceId: '00000000-0000-0000-0000-000000000000', id: '' };

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
    @InjectRepository(ConfigurationEntity) private readonly rows: Repository<ConfigurationEntity>,
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
    let last: ConfigurationKey | undefined = FIRST;
    while (last && !this.stopped) {
      const { workspaceId, id }: ConfigurationKey = last;
      const rows = await this.rows
        .createQueryBuilder('row')
        .select(['row.workspaceId', 'row.id', 'row.secrets', 'row.keyId'])
        .where('(row.workspaceId, row.id) > (:workspaceId, :id)', { workspaceId, id })
        .orderBy({ 'row.workspaceId': 'ASC', 'row.id': 'ASC' })
        .limit(PAGE_SIZE)
        .getMany();
      for (const row of rows) if (row.keyId !== this.secrets.keyId) count[await this.reseal(row)] += 1;
      last = rows[PAGE_SIZE - 1];
    }
    if (count.resealed > 0) this.logger.log(`Secrets of ${count.resealed} provider configurations were sealed with the first key`);
    if (count.unreadable > 0)
      this.logger.error(`Secrets of ${count.unreadable} provider configurations cannot be opened with any key of TIDINGS_SECRET_KEY`);
  }

  private async reseal(row: ConfigurationEntity) {
    const opened = this.secrets.open(row);
    if (!opened) return 'unreadable';
    const { workspaceId, id, secrets } = row;
    await this.rows.update({ workspaceId, id, secrets: Equal(secrets) }, this.secrets.seal(row, opened)); // unless the row was changed meanwhile
    return 'resealed';
  }
}
