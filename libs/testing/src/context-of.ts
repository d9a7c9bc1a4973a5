import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';

/** The context of a new call with an API key of the workspace. */
export function contextOf(workspaceId: string): CallContext {
  return { workspaceId, scopes: ['*'], mode: 'production', callId: randomUUID() };
}
