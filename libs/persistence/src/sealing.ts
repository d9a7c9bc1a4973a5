import { Client, escapeIdentifier } from 'pg';

/**
 * Id of the secret key with which the stored secrets of a service were last sealed; undefined before its migrations, and where
 * nothing was sealed yet.
 * @param url of the service's role.
 */
export async function sealingKeyIdIn(url: string, schema: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const table = `${escapeIdentifier(schema)}.sealing`;
    const { rows: found } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [table]);
    if (!found[0]!.exists) return undefined;
    const { rows } = await client.query<{ key_id: string }>(`select key_id from ${table}`);
    return rows[0]?.key_id;
  } finally {
    await client.end();
  }
}
