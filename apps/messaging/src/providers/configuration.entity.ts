import { Column, Entity, Generated, PrimaryColumn } from 'typeorm';
import type { Provider } from '@tidings/contracts/messaging/providers';
import { hasIdForm, newId } from '@tidings/persistence/new-id';

/** The configuration of a provider. */
@Entity('provider_configurations')
export class ConfigurationEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'configuration_id', collation: 'C' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  provider!: string;

  @Column({ type: 'text', collation: 'C' })
  channel!: string;

  @Column('text', { nullable: true })
  title!: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  alias!: string | null;

  /** Settings that are no secrets, in the form that clients gave; includes `rate_limit`. */
  @Column('json')
  settings!: Record<string, unknown>;

  /** JSON of the secrets, sealed with the key that `keyId` names; in the clear where that is `null`. */
  @Column('bytea')
  secrets!: Buffer;

  @Column({ type: 'text', name: 'key_id', collation: 'C', nullable: true })
  keyId!: string | null;

  /** Whether messages are sent with it. */
  @Column('boolean', { default: true })
  enabled!: boolean;

  /** Increases with each change, and when its deliveries are retried on demand. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('integer')
  position!: number;

  /** Order of creation, among equal positions. */
  @Column('bigint', { name: 'place' })
  @Generated()
  ordinal!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, nullable: true })
  updatedAt!: Date | null;
}

/** What identifies a configuration; the sealing binds secrets to it, so that they do not open in another row. */
export type ConfigurationKey = Pick<ConfigurationEntity, 'workspaceId' | 'id'>;

const ID_PREFIX = 'prv';

export const newConfigurationId = (): string => newId(ID_PREFIX);

/** Whether a text has the form of a configuration's id. The configuration may have been removed, or never have existed. */
export const isConfigurationId = (text: string): boolean => hasIdForm(text, ID_PREFIX);

/** The name under which the secrets of a configuration are sealed: they open only with it. */
export function secretsNameOf({ workspaceId, id }: ConfigurationKey): string {
  return `provider ${workspaceId} ${id}`;
}

/** The title of a configuration without one of its own. */
export function generatedTitle({ provider, alias }: Pick<ConfigurationEntity, 'provider' | 'alias'>): string {
  return alias === null ? provider : `${provider} (${alias})`;
}

/** Secrets are not part of it. */
export function toProvider(row: ConfigurationEntity): Provider {
  return {
    id: row.id,
    provider: row.provider,
    title: row.title ?? generatedTitle(row),
    alias: row.alias ?? undefined,
    settings: row.settings,
    order: row.position || undefined,
    enabled: row.enabled,
    created: row.createdAt.getTime(),
    updated: row.updatedAt?.getTime(),
  };
}
