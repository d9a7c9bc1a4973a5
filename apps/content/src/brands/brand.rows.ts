import type { BrandSettings, BrandSnippets } from '@tidings/contracts/content/brand-settings';
import { type Brand, DEFAULT_BRAND_ID } from '@tidings/contracts/content/brands';
import { PAGE_BYTES_MAX } from '@tidings/persistence/page';
import { type Queryable, statement } from '@tidings/persistence/database';

/** A row of `brands`. */
export interface BrandRow {
  brand_id: string;
  name: string;
  settings: BrandSettings;
  snippets: BrandSnippets | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'brand_id, name, settings, snippets, created_at, updated_at';
export const DEFAULT_BRAND_NAME = 'Default brand';

export const RETRIEVE = statement('brands-retrieve', `select ${COLUMNS} from brands where workspace_id = $1 and brand_id = $2`);

/** Brands after the id $2, up to a page's bytes; every id sorts after the empty string. $1 workspace, $3 limit. */
export const PAGE = statement(
  'brands-page',
  `select ${COLUMNS} from (
     select ${COLUMNS}, sum(bytes) over (order by brand_id) - bytes as bytes_before
       from (select ${COLUMNS}, bytes from brands where workspace_id = $1 and brand_id > $2 order by brand_id limit $3) as next
   ) as measured
   where bytes_before <= ${PAGE_BYTES_MAX} order by brand_id`,
);

export const INSERT = statement(
  'brands-insert',
  `insert into brands (workspace_id, brand_id, name, settings, snippets, bytes) values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing returning ${COLUMNS}`,
);

/** `updated_at` is the brand's version, so it always differs from the previous one. */
export const UPDATE = statement(
  'brands-update',
  `update brands
      set name = $3, settings = $4, snippets = $5, bytes = $6, revision = nextval('content_revisions'),
          updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
    where workspace_id = $1 and brand_id = $2 returning ${COLUMNS}`,
);

export const REMOVE = statement('brands-remove', 'delete from brands where workspace_id = $1 and brand_id = $2');

const ENSURE_DEFAULT = statement(
  'brands-ensure-default',
  `insert into brands (workspace_id, brand_id, name, settings, bytes) values ($1, $2, $3, '{}', 2) on conflict do nothing`,
);

/** Inserts the default brand that every workspace has; call it before inserting other brands, so that listings include it. */
export async function ensureDefaultBrand(to: Queryable, workspaceId: string): Promise<void> {
  await to.execute(ENSURE_DEFAULT, [workspaceId, DEFAULT_BRAND_ID, DEFAULT_BRAND_NAME]);
}

/** The brand as returned to clients. */
export function toBrand({ brand_id, name, settings, snippets, created_at, updated_at }: BrandRow): Brand {
  return {
    id: brand_id,
    name,
    created: created_at.getTime(),
    updated: updated_at.getTime(),
    published: updated_at.getTime(),
    version: updated_at.toISOString(),
    settings,
    ...(snippets !== null && { snippets }),
  };
}
