import { randomBytes } from 'node:crypto';
import type { Product } from './product';

/** Of a product started with `TIDINGS_ADMIN_KEY`: this value. */
export const ADMIN_KEY = randomBytes(24).toString('base64url');

/** A workspace beside the one that a bench measures. */
export interface SecondWorkspace {
  workspaceId: string;
  key: string;
}

/** Creates a workspace with a key for production. */
export async function createWorkspace(product: Product, name: string): Promise<SecondWorkspace> {
  const account_email = `${name}@example.com`;
  const workspace = await call(product, 'POST', '/admin/workspaces', ADMIN_KEY, { name, account_email });
  const workspaceId = String(workspace.workspace_id ?? workspace.id);
  const { key } = await call(product, 'POST', `/admin/workspaces/${workspaceId}/keys`, ADMIN_KEY, { mode: 'production' });
  return { workspaceId, key: String(key) };
}

/** Calls the product with this key. @throws when the answer is no success */
export async function call(product: Product, method: string, path: string, key: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${product.port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
