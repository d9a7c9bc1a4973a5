import { InjectRepository } from '@nestjs/typeorm';
import { conflict, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import {
  BRAND_OBJECT_BYTES_MAX,
  type BrandFields,
  brands,
  BRANDS_PAGE_MAX,
  type CreateBrand,
  DEFAULT_BRAND_ID,
  type NamedBrand,
  type ReplaceBrand,
} from '@tidings/contracts/content/brands';
import type { CallContext } from '@tidings/contracts/core/context';
import { storableObject } from '@tidings/contracts/core/text';
import { decodeCursor } from '@tidings/persistence/cursor';
import { Database, statement } from '@tidings/persistence/database';
import { isUniqueViolation } from '@tidings/persistence/errors';
import { newId } from '@tidings/persistence/new-id';
import { Outbox } from '@tidings/persistence/outbox';
import { PAGE_BYTES_MAX, toPage, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { publishChange } from '../publish-change';
import { RenderChecks } from '../rendering/render-checks';
import { BrandEntity, type BrandRow, ensureDefaultBrand, toBrand } from './brand.entity';
import type { CursorQuery } from '@tidings/contracts/core/paging';

// SQL because the database ends the page at its bytes: a hundred of the largest brands are 50 MB.
/** Brands after the id $2; every id sorts after the empty string. */
const PAGE = statement(
  'brands-page',
  `select brand_id as id, name, settings, snippets, created_at as "createdAt", updated_at as "updatedAt" from (
     select next.*, sum(bytes) over (order by brand_id) - bytes as bytes_before
       from (select brand_id, name, settings, snippets, created_at, updated_at, bytes
               from brands where workspace_id = $1 and brand_id > $2 order by brand_id limit $3) as next
   ) as measured
   where bytes_before <= ${PAGE_BYTES_MAX} order by brand_id`,
);

@Handles(brands)
export class BrandsHandlers {
  constructor(
    @InjectRepository(BrandEntity) private readonly rows: Repository<BrandEntity>,
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly checks: RenderChecks,
  ) {}

  prepareCreate(context: CallContext, { id: _, ...fields }: CreateBrand) {
    return this.prepare(context, fields);
  }

  async create({ workspaceId }: CallContext, { id: given }: CreateBrand, tx: EntityManager, fields: StoredFields) {
    const key = { workspaceId, id: given ?? newId('brd') };
    await ensureDefaultBrand(tx, workspaceId);
    try {
      await tx.insert(BrandEntity, { ...key, ...fields });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw conflict(`Brand ${key.id} already exists`);
    }
    return this.changed(tx, key);
  }

  async list({ workspaceId }: CallContext, { cursor }: CursorQuery) {
    const tag = `brands ${workspaceId}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const read = () => this.database.query<BrandRow>(PAGE, [workspaceId, after, BRANDS_PAGE_MAX + 1]);
    let rows = await read();
    if (rows.length === 0 && cursor === undefined) {
      await ensureDefaultBrand(this.rows.manager, workspaceId);
      rows = await read();
    }
    return toResultsPage(toPage(rows, { tag, limit: BRANDS_PAGE_MAX, cursorOf: ({ id }) => [id], toItem: toBrand }));
  }

  async retrieve({ workspaceId }: CallContext, { brand_id: id }: NamedBrand) {
    let row = await this.rows.findOneBy({ workspaceId, id });
    if (!row && id === DEFAULT_BRAND_ID) {
      await ensureDefaultBrand(this.rows.manager, workspaceId);
      row = await this.rows.findOneBy({ workspaceId, id });
    }
    if (!row) throw noBrand(id);
    return toBrand(row);
  }

  prepareReplace(context: CallContext, { brand_id: _, ...fields }: ReplaceBrand) {
    return this.prepare(context, fields);
  }

  async replace({ workspaceId }: CallContext, { brand_id: id }: ReplaceBrand, tx: EntityManager, fields: StoredFields) {
    const key = { workspaceId, id };
    if (id === DEFAULT_BRAND_ID) await ensureDefaultBrand(tx, workspaceId);
    const { affected } = await tx.update(BrandEntity, key, {
      ...fields,
      revision: () => "nextval('content_revisions')",
      updatedAt: () => "greatest(clock_timestamp(), updated_at + interval '1 millisecond')",
    });
    if (!affected) throw noBrand(id);
    return this.changed(tx, key);
  }

  /** References to the brand stay: they have no effect until a brand of the id exists again. */
  async remove({ workspaceId }: CallContext, { brand_id: id }: NamedBrand, tx: EntityManager) {
    if (id === DEFAULT_BRAND_ID) throw conflict('Cannot delete default brand');
    const { affected } = await tx.delete(BrandEntity, { workspaceId, id });
    if (!affected) throw noBrand(id);
    await publishChange(this.outbox, tx, { workspaceId, kind: 'brand', id });
  }

  /** The columns to store; large brands are checked on a thread. */
  private async prepare(context: CallContext, fields: BrandFields) {
    const stored = storedFields(fields);
    await this.checks.assertBrand(context, fields);
    return stored;
  }

  private async changed(tx: EntityManager, key: Pick<BrandEntity, 'workspaceId' | 'id'>) {
    await publishChange(this.outbox, tx, { kind: 'brand', ...key });
    return toBrand(await tx.findOneByOrFail(BrandEntity, key));
  }
}

type StoredFields = Pick<BrandEntity, 'name' | 'settings' | 'snippets' | 'bytes'>;

function storedFields({ name, settings: given, snippets: givenSnippets, ...rest }: BrandFields) {
  rest satisfies Record<string, never>;
  const [settings, snippets] = [given ?? {}, givenSnippets ?? null];
  const text = storableObject('settings', settings, BRAND_OBJECT_BYTES_MAX);
  const snippetsText = snippets ? storableObject('snippets', snippets, BRAND_OBJECT_BYTES_MAX) : '';
  return { name, settings, snippets, bytes: Buffer.byteLength(text) + Buffer.byteLength(snippetsText) };
}

const noBrand = (brandId: string) => notFound(`Brand ${brandId} does not exist`);
