import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { readInstant } from '@tidings/contracts/core/instant';
import { invalid } from '@tidings/contracts/core/refusals';
import { type ListPreferenceLogs, PREFERENCE_LOGS_DEFAULT, preferenceLogs } from '@tidings/contracts/identity/preference-logs';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { Handles } from '@tidings/rpc/handles';
import { Repository } from 'typeorm';
import { PreferenceChangeEntity, toPreferenceLog } from './preference-change.entity';

@Handles(preferenceLogs)
export class PreferenceLogsHandlers {
  constructor(@InjectRepository(PreferenceChangeEntity) private readonly rows: Repository<PreferenceChangeEntity>) {}

  async list({ workspaceId }: CallContext, { cursor, limit, since, user_id, tenant_id, ...rest }: ListPreferenceLogs) {
    rest satisfies Record<string, never>;
    if (tenant_id !== undefined && user_id === undefined) throw invalid('tenant_id needs user_id: the user whose changes to list');
    const query = this.rows.createQueryBuilder('change').where({
      workspaceId,
      ...(user_id !== undefined && { userId: user_id }),
      ...(tenant_id !== undefined && { tenantId: tenant_id }),
    });
    if (since !== undefined) query.andWhere('change.at >= :since', { since: readInstant(since) });
    return keysetPage(query, {
      tag: `preference-logs ${JSON.stringify([workspaceId, user_id, tenant_id, since])}`,
      limit: limit ?? PREFERENCE_LOGS_DEFAULT,
      cursor,
      orderedBy: ['at', 'id'],
      direction: 'DESC',
      toItem: toPreferenceLog,
    });
  }
}
