import { Column, Entity, type EntityManager } from 'typeorm';
import type { BrandSettings, BrandSnippets } from '@tidings/contracts/content/brand-settings';
import { type Brand, DEFAULT_BRAND_ID } from '@tidings/contracts/content/brands';
import { ChangedRow, Nullable, TextKey } from '../rows';

export const DEFAULT_BRAND_NAME = 'Default brand';

/**
 * A brand. Its objects are `json`, not `jsonb`: clients get the keys in the order in which they put them. `updatedAt` is the version
 * that clients see, so every change makes a later one.
 */
@Entity('brands')
export class BrandEntity extends ChangedRow {
  @TextKey({ name: 'brand_id' })
  id: string;

  @Column('text')
  name: string;

  @Column('json')
  settings: BrandSettings;

  @Nullable('json')
  snippets: BrandSnippets | null;

  /** What `settings` and `snippets` take in a response. */
  @Column('integer')
  bytes: number;

  /** Never used twice, so that caches distinguish brands of one id. */
  @Column('bigint', { default: () => "nextval('content_revisions')" })
  revision: string;
}

/** The columns of a brand's response. */
export type BrandRow = Omit<BrandEntity, 'workspaceId' | 'bytes' | 'revision'>;

/** The brand as returned to clients. */
export function toBrand({ id, name, settings, snippets, createdAt, updatedAt }: BrandRow): Brand {
  return {
    id,
    name,
    created: createdAt.getTime(),
    updated: updatedAt.getTime(),
    published: updatedAt.getTime(),
    version: updatedAt.toISOString(),
    settings,
    snippets: snippets ?? undefined,
  };
}

/** Inserts the default brand that every workspace has; call it before inserting other brands, so that listings include it. */
export async function ensureDefaultBrand(manager: EntityManager, workspaceId: string) {
  const brand = { workspaceId, id: DEFAULT_BRAND_ID, name: DEFAULT_BRAND_NAME, settings: {}, bytes: 2 };
  await manager.createQueryBuilder().insert().into(BrandEntity).values(brand).orIgnore().updateEntity(false).execute();
}
