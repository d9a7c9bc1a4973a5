import {
  type Brand,
  BRAND_OBJECT_BYTES_MAX,
  type BrandFields,
  type BrandPage,
  brands,
  BRANDS_PAGE_MAX,
  type CreateBrand,
  DEFAULT_BRAND_ID,
  type ListBrands,
  type NamedBrand,
  type ReplaceBrand,
} from '@tidings/contracts/content/brands';
import { contentChanged } from '@tidings/contracts/content/events';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { storableObject } from '@tidings/contracts/core/storable-object';
import { Handles } from '@tidings/rpc/handles';
import { newId } from '@tidings/persistence/new-id';
import { RenderChecks } from '../rendering/render-checks';
import { type BrandRow, ensureDefaultBrand, INSERT, PAGE, REMOVE, RETRIEVE, toBrand, UPDATE } from './brand.rows';

@Handles(brands)
export class BrandsHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
    private readonly checks: RenderChecks,
  ) {}

  async create(context: CallContext, { id, ...fields }: CreateBrand): Promise<Brand> {
    const brandId = id ?? newId('brd');
    const values = valuesOf(fields);
    const { workspaceId } = context;
    await this.checks.assertBrand(context, fields);
    return this.calls.once(context, async (tx) => {
      await ensureDefaultBrand(tx, workspaceId);
      const [row] = await tx.query<BrandRow>(INSERT, [workspaceId, brandId, ...values]);
      if (!row) throw conflict(`Brand ${brandId} already exists`);
      await this.publishChange(tx, workspaceId, brandId);
      return toBrand(row);
    });
  }

  async list({ workspaceId }: CallContext, { cursor, ...rest }: ListBrands): Promise<BrandPage> {
    rest satisfies Record<string, never>;
    const tag = `brands ${workspaceId}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const read = (): Promise<BrandRow[]> => this.db.query<BrandRow>(PAGE, [workspaceId, after, BRANDS_PAGE_MAX + 1]);
    let rows = await read();
    if (rows.length === 0 && cursor === undefined) {
      await ensureDefaultBrand(this.db, workspaceId);
      rows = await read();
    }
    return toResultsPage(toPage(rows, { tag, limit: BRANDS_PAGE_MAX, cursorOf: ({ brand_id }) => [brand_id], toItem: toBrand }));
  }

  async retrieve({ workspaceId }: CallContext, { brand_id, ...rest }: NamedBrand): Promise<Brand> {
    rest satisfies Record<string, never>;
    const read = (): Promise<BrandRow[]> => this.db.query<BrandRow>(RETRIEVE, [workspaceId, brand_id]);
    let [row] = await read();
    if (!row && brand_id === DEFAULT_BRAND_ID) {
      await ensureDefaultBrand(this.db, workspaceId);
      [row] = await read();
    }
    if (!row) throw noBrand(brand_id);
    return toBrand(row);
  }

  async replace(context: CallContext, { brand_id, ...fields }: ReplaceBrand): Promise<Brand> {
    const values = valuesOf(fields);
    const { workspaceId } = context;
    await this.checks.assertBrand(context, fields);
    return this.calls.once(context, async (tx) => {
      if (brand_id === DEFAULT_BRAND_ID) await ensureDefaultBrand(tx, workspaceId);
      const [row] = await tx.query<BrandRow>(UPDATE, [workspaceId, brand_id, ...values]);
      if (!row) throw noBrand(brand_id);
      await this.publishChange(tx, workspaceId, brand_id);
      return toBrand(row);
    });
  }

  /** References to the brand stay: they have no effect until a brand of the id exists again. */
  async remove(context: CallContext, { brand_id, ...rest }: NamedBrand): Promise<void> {
    rest satisfies Record<string, never>;
    if (brand_id === DEFAULT_BRAND_ID) throw conflict('Cannot delete default brand');
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      if ((await tx.execute(REMOVE, [workspaceId, brand_id])) === 0) throw noBrand(brand_id);
      await this.publishChange(tx, workspaceId, brand_id);
    });
  }

  private async publishChange(tx: Transaction, workspaceId: string, id: string): Promise<void> {
    await this.outbox.add(tx, contentChanged, { payload: { workspaceId, kind: 'brand', id } });
  }
}

/** The columns from `name` to `bytes`. */
function valuesOf({ name, settings, snippets, ...rest }: BrandFields): unknown[] {
  rest satisfies Record<string, never>;
  const storedSettings = storableObject('settings', settings ?? {}, BRAND_OBJECT_BYTES_MAX);
  const storedSnippets = snippets === undefined || snippets === null ? null : storableObject('snippets', snippets, BRAND_OBJECT_BYTES_MAX);
  return [name, storedSettings, storedSnippets, Buffer.byteLength(storedSettings) + Buffer.byteLength(storedSnippets ?? '')];
}

function noBrand(brandId: string): ServiceError {
  return new ServiceError('not_found', `Brand ${brandId} does not exist`);
}

/** Not retryable: a retry would fail again. */
function conflict(message: string): ServiceError {
  return new ServiceError('conflict', message, { shouldRetry: false });
}
