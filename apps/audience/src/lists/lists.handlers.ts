import { InjectRepository } from '@nestjs/typeorm';
import { notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, IsNull, Not, Repository } from 'typeorm';
import { assertListId, assertListPattern, patternsOfListId } from '@tidings/contracts/audience/list-ids';
import { type ListLists, LISTS_PAGE_SIZE, lists, type NamedList, type PutList } from '@tidings/contracts/audience/lists';
import type { CallContext } from '@tidings/contracts/core/context';
import { storablePreferenceMaps } from '@tidings/contracts/core/preference-maps';
import { transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { countForQuota } from '@tidings/persistence/quotas';
import { Handles } from '@tidings/rpc/handles';
import { ListPatternEntity } from './list-pattern.entity';
import { addPatterns, putList, STORED_LISTS } from './list-store';
import { ListEntity, toList } from './list.entity';

@Handles(lists)
export class ListsHandlers {
  constructor(@InjectRepository(ListEntity) private readonly rows: Repository<ListEntity>) {}

  async list({ workspaceId }: CallContext, { pattern, cursor }: ListLists) {
    const query = this.rows.createQueryBuilder('list').where({ workspaceId });
    if (pattern !== undefined) {
      assertListPattern(pattern, 'pattern');
      const matches = 'match.workspaceId = list.workspaceId and match.listId = list.id and match.pattern = :pattern';
      query.innerJoin(ListPatternEntity, 'match', matches, { pattern });
    }
    const { paging, items } = await keysetPage(query, {
      tag: `lists ${workspaceId} ${pattern ?? ''}`,
      limit: LISTS_PAGE_SIZE,
      cursor,
      orderedBy: ['id'],
      toItem: (row) => [toList(row), toList(row)], // a page contains each list twice
    });
    const found = items.map(([list]) => list!);
    return { paging, items: found, results: found };
  }

  async retrieve({ workspaceId }: CallContext, { list_id: id }: NamedList) {
    const row = await this.rows.findOneBy({ workspaceId, id });
    if (!row) throw noList(id);
    return toList(row);
  }

  async replace(context: CallContext, { list_id, name, preferences, ...rest }: PutList, tx: EntityManager) {
    rest satisfies Record<string, never>;
    assertListId(list_id, 'list_id');
    if (preferences) storablePreferenceMaps('preferences', preferences);
    await putList(tx, context, { listId: list_id, name, preferences: preferences ?? null });
  }

  async remove({ workspaceId }: CallContext, { list_id: id }: NamedList, tx: EntityManager) {
    const { affected } = await tx.update(ListEntity, { workspaceId, id, deletedAt: IsNull() }, { deletedAt: () => 'now()' });
    if (!affected) throw noList(id);
    for (const pattern of patternsOfListId(id)) await tx.delete(ListPatternEntity, { workspaceId, pattern, listId: id });
  }

  /** Restoring a list that is not deleted succeeds and changes nothing. */
  async restore(context: CallContext, { list_id: id }: NamedList, tx: EntityManager) {
    const { workspaceId } = context;
    const restored = { deletedAt: null, updatedAt: () => 'now()' };
    const { affected } = await tx.update(ListEntity, { workspaceId, id, deletedAt: Not(IsNull()) }, restored);
    if (affected) {
      await addPatterns(tx, workspaceId, [id]);
      await countForQuota(transactionOf(tx), context, STORED_LISTS, 1);
    } else if (!(await tx.existsBy(ListEntity, { workspaceId, id }))) throw noList(id);
  }
}

/** Error for a missing or deleted list. */
export const noList = (listId: string) => notFound(`List ${listId} does not exist`);
