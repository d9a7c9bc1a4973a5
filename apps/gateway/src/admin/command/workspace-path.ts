import type { WorkspacePage } from '@tidings/contracts/identity/workspaces';
import { isUUID } from 'class-validator';
import { type AdminClient, AdminError } from './admin-client';

/** The path of a workspace, given by its id or its exact name. @throws AdminError */
export async function workspacePath(client: AdminClient, idOrName: string): Promise<string> {
  if (isUUID(idOrName)) return `/workspaces/${idOrName}`;
  const { results } = await client.request<WorkspacePage>('GET', `/workspaces?${new URLSearchParams({ name: idOrName }).toString()}`);
  const [found] = results;
  if (!found)
    throw new AdminError(`There is no workspace named ${JSON.stringify(idOrName)}: list the workspaces with "tidings workspaces list"`);
  return `/workspaces/${found.workspace_id}`;
}
