import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../api/schema';
import { user as words } from '../screen-texts/user';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { type Column, Table } from '../ui/table';
import { userPath } from './paths';
import { tenantsQuery } from './queries';

const { tenantColumns: headers } = words;

const COLUMNS: readonly Column<components['schemas']['TenantAssociation']>[] = [
  {
    header: headers.id,
    cell: ({ tenant_id: id }) => (
      <Link to="/messages" search={{ tenant_id: id }}>
        {id}
      </Link>
    ),
  },
  { header: headers.profile, cell: ({ profile }) => <code>{JSON.stringify(profile)}</code> },
];

/** The tenants that a user belongs to, with the profile in each. */
export function TenantsView({ userId, cursor }: { userId: string; cursor?: string }) {
  const query = useQuery(tenantsQuery(userId, cursor));
  const command = curl('PUT', `${userPath(userId)}/tenants/acme`, { profile: { title: 'Engineer' } });
  return (
    <Loaded query={query}>
      {({ items, has_more: more, cursor: next }) => (
        <>
          {items.length > 0 ? (
            <Table name={words.tabs.tenants} columns={COLUMNS} rows={items} keyOf={({ tenant_id: id }) => id} />
          ) : (
            <Empty title={words.noTenants} hint={words.noTenantsHint} command={command} />
          )}
          <Paging paging={{ more, cursor: next }} />
        </>
      )}
    </Loaded>
  );
}
