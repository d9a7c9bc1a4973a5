import type { BrandSettings, BrandSnippets } from '@tidings/contracts/content/brand-settings';
import { BRAND_ID_LENGTH_MAX, DEFAULT_BRAND_ID } from '@tidings/contracts/content/brands';
import { type LoadBrands, LOADED_BRANDS_BYTES_MAX, type ResolvedBrand, sendingBrands } from '@tidings/contracts/content/sending';
import type { CallContext } from '@tidings/contracts/core/context';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { idOrNone } from '../id-or-none';
import { DEFAULT_BRAND_NAME } from './brand.entity';
import { resolveBrand } from './resolve-brand';

interface LoadedRow {
  brand_id: string | null;
  name: string;
  settings: BrandSettings;
  snippets: BrandSnippets | null;
  revision: string;
  base_settings: BrandSettings | null;
  base_snippets: BrandSnippets | null;
  base_revision: string | null;
}

const lookup = (brandId: string) => `
  left join lateral (
    select brand_id, name, settings, snippets, revision, bytes
      from brands stored where stored.workspace_id = input.workspace_id and stored.brand_id = ${brandId} limit 1
  )`;

// SQL because sends read a batch, with two primary key lookups for each brand.
/** For each input row the brand itself and the default brand. */
const LOAD = statement(
  'brands-load',
  `select brand_id, name, settings, snippets, revision, base_settings, base_snippets, base_revision from (
     select input.ordinal, own.brand_id, own.name, own.settings, own.snippets, own.revision,
            base.settings as base_settings, base.snippets as base_snippets, base.revision as base_revision,
            sum(coalesce(own.bytes + coalesce(base.bytes, 0), 0)) over (order by input.ordinal) as bytes_so_far
       from unnest($1::uuid[], $2::text[]) with ordinality as input (workspace_id, brand_id, ordinal)
       ${lookup('input.brand_id')} as own on true
       ${lookup(`'${DEFAULT_BRAND_ID}'`)} as base on true
   ) as found
   where bytes_so_far <= $3 or ordinal = 1
   order by ordinal`,
);

/** The default brand of a workspace that has not stored it yet. */
const UNSTORED_DEFAULT: ResolvedBrand = { id: DEFAULT_BRAND_ID, name: DEFAULT_BRAND_NAME, version: '0', settings: {}, snippets: [] };

@Handles(sendingBrands)
export class SendingBrandsHandlers {
  constructor(private readonly database: Database) {}

  async load(_context: CallContext, { brands: keys }: LoadBrands) {
    if (keys.length === 0) return { brands: [] };
    const ids = keys.map(({ brand_id }) => idOrNone(brand_id ?? DEFAULT_BRAND_ID, BRAND_ID_LENGTH_MAX));
    const rows = await this.database.query<LoadedRow>(LOAD, [...columnsOf(keys, 'workspace_id'), ids, LOADED_BRANDS_BYTES_MAX]);
    return { brands: rows.map((row, index) => toResolved(row, ids[index]!)) };
  }
}

function toResolved(row: LoadedRow, requestedId: string) {
  const { brand_id, name, settings, snippets, revision, base_settings, base_snippets, base_revision } = row;
  if (brand_id === null) return requestedId === DEFAULT_BRAND_ID ? UNSTORED_DEFAULT : null;
  const base = brand_id === DEFAULT_BRAND_ID || base_settings === null ? undefined : { settings: base_settings, snippets: base_snippets };
  return {
    id: brand_id,
    name,
    version: base ? `${revision}.${base_revision}` : revision,
    ...resolveBrand({ settings, snippets }, base),
  };
}
