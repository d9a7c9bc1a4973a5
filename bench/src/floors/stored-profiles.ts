import { Pool } from 'pg';

/** The pool size of a service of the product. */
const CONNECTIONS_MAX = 10;
const CONNECT_MS_MAX = 10_000;
/** The product's own statement, prepared once per connection as in the product. */
const RETRIEVE = { name: 'bench-retrieve', text: 'select profile from identity.profiles where workspace_id = $1 and user_id = $2' };

/** Database and workspace of the profiles. */
export interface ProfileSource {
  /** Contains a password. */
  databaseUrl: string;
  workspaceId: string;
}

/** The minimum between a handler and the product's table: the driver and its pool. */
export class StoredProfiles {
  private readonly pool: Pool;

  constructor(private readonly source: ProfileSource) {
    this.pool = new Pool({
      connectionString: source.databaseUrl,
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      application_name: 'bench-floor',
    });
  }

  async retrieve(userId: string, workspaceId = this.source.workspaceId): Promise<{ profile: unknown } | undefined> {
    const { rows } = await this.pool.query<{ profile: unknown }>({ ...RETRIEVE, values: [workspaceId, userId] });
    return rows[0];
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
