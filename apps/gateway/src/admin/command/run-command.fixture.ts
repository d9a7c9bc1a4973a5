import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type PageWorkspaces, type Workspace, workspaces } from '@tidings/contracts/identity/workspaces';
import { startTestGateway, type TestGateway } from '../../testing/start-test-gateway';
import { runCommand } from './run-command';

export const ADMIN_KEY = 'an-operators-key-of-32-characters-or-more';
/** The workspace `Shop`. */
export const W = randomUUID();
export const SHOP: Workspace = {
  workspace_id: W,
  name: 'Shop',
  account_email: 'shop@example.com',
  created_at: '2026-01-02T03:04:05.678Z',
};

/** A gateway with the workspace `Shop` alone. */
export async function startGatewayOfShop(): Promise<TestGateway> {
  const gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  gateway.client.answer(workspaces.page, (_context, { name }: PageWorkspaces) => ({
    paging: { more: false },
    results: name === undefined || name === SHOP.name ? [SHOP] : [],
  }));
  return gateway;
}

/** Runs the command against a gateway. */
export async function runAgainst(
  gateway: TestGateway,
  args: string[],
  environment: Record<string, string | undefined> = {},
  input = '',
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runCommand(args, {
    environment: { TIDINGS_URL: gateway.url, TIDINGS_ADMIN_KEY: ADMIN_KEY, ...environment },
    out: (text) => (out += text),
    err: (text) => (err += text),
    input: Readable.from([Buffer.from(input)]),
  });
  return { code, out, err };
}
