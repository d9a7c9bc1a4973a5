import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { serve } from '../worker';
import { type ProfileSource, StoredProfiles } from './stored-profiles';

export type FastifyProfileCommands = { listen(options: ProfileSource & { key: string }): Promise<{ port: number }> };

let profiles: StoredProfiles | undefined;
const app = fastify();

/** The minimal server for the same GET: one process, one comparison for the key, one SELECT. */
async function listen({ key, ...source }: ProfileSource & { key: string }): Promise<{ port: number }> {
  const stored = new StoredProfiles(source);
  profiles = stored;
  const expected = `Bearer ${key}`;
  app.get<{ Params: { user_id: string } }>('/profiles/:user_id', async (request, reply) => {
    if (request.headers.authorization !== expected) return reply.code(401).send({ message: 'Unauthorized' });
    const row = await stored.retrieve(request.params.user_id);
    return row ?? reply.code(404).send({ message: 'Not found' });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: (app.server.address() as AddressInfo).port };
}

serve<FastifyProfileCommands>({ listen }, async () => {
  app.server.closeAllConnections();
  await app.close();
  await profiles?.close();
});
