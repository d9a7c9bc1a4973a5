import { Client } from 'pg';
import { tableAttempts, tablesOf } from '../testing/table-attempts';
import { SharedSystem } from '../testing/shared-system';

const SERVICES = ['identity', 'audience', 'messaging', 'content'] as const;
const ROLES = [...SERVICES, 'gateway'] as const;
const INSUFFICIENT_PRIVILEGE = '42501';

/** What the log gives to every role; its policies limit the rows (libs/events, topic-rights.spec.ts). */
const OF_THE_LOG: Record<string, string[]> = {
  'events.topics': ['select'],
  'events.topic_access': ['select'],
  'events.records': ['select', 'insert'],
  'events.groups': ['select', 'insert', 'update'],
};

/** An attacker who has the password of one service's database role. */
describe('a service’s database role', () => {
  let system: SharedSystem;
  const clients: Client[] = [];

  beforeAll(async () => {
    system = await SharedSystem.join();
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await system?.leave();
  });

  const connect = async (role: string): Promise<Client> => {
    const client = new Client({ connectionString: system.roleUrl(role) });
    clients.push(client);
    await client.connect();
    return client;
  };

  it.each(ROLES)('of %s has no access to a table of the others, and to the log as far as its topics need', async (role) => {
    const client = await connect(role);
    const allowed: Record<string, string[]> = {};
    let tables = 0;

    for (const owner of [...SERVICES, 'events'].filter((schema) => schema !== role)) {
      for (const { table, column } of await tablesOf(await connect(owner), owner)) {
        tables += 1;
        for (const [what, statement] of Object.entries(tableAttempts(table, column))) {
          const code = await client.query(statement).then(
            () => undefined,
            (error: { code: string }) => error.code,
          );
          if (code !== INSUFFICIENT_PRIVILEGE) (allowed[table] ??= []).push(what);
        }
      }
    }

    expect(tables).toBeGreaterThan(20);
    expect(allowed).toEqual(system.topology === 'kafka' ? {} : OF_THE_LOG);
  });
});
