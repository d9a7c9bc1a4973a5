import { statement } from '@tidings/persistence/database';
import type { Counted } from '@tidings/persistence/quotas';

// SQL because the count ends at the quota.
/** Templates that are not archived, and templates of tenants. */
export const STORED_TEMPLATES: Counted = {
  name: 'templates',
  count: statement(
    'templates-count',
    `select count(*) as count from (
       (select 1 from notification_templates where workspace_id = $1 and archived_at is null limit $2) union all
       (select 1 from tenant_templates where workspace_id = $1 limit $2)
     ) found`,
  ),
};
