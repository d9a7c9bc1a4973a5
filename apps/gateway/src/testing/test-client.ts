import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Operation, ResponseOf } from '@tidings/contracts/core/operation';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { keys, type NamedKey, type VerifiedKey, type VerifyKey } from '@tidings/contracts/identity/keys';
import { type CallOptions, OperationClient } from '@tidings/rpc/operation-client';
import { createHash, randomUUID } from 'node:crypto';
import { TokenSigner } from './token-signer';

export interface Call {
  pattern: string;
  context: CallContext;
  request: Record<string, unknown>;
  /** Time of the call, by `performance.now()`. */
  at: number;
  options?: CallOptions;
}

type Handler = (context: CallContext, request: never) => unknown;

/** A fake of all services: handlers by pattern, keys in a map, and a list of the calls. */
export class TestClient extends OperationClient {
  readonly calls: Call[] = [];
  /** The signing keys of identity. */
  signers = [new TokenSigner()];
  private readonly handlers = new Map<string, Handler>();
  private readonly keys = new Map<string, VerifiedKey>();

  constructor() {
    super(() => Promise.reject(new Error('This client has no transport')));
    this.answer(keys.verify, (_context, { hash }: VerifyKey) => {
      const key = this.keys.get(hash);
      if (!key) throw new ServiceError('unauthenticated', 'Unknown key');
      return key;
    });
    this.answer(keys.inspect, ({ workspaceId }, { key_id }: NamedKey) => {
      const key = [...this.keys.values()].find((one) => one.key_id === key_id && one.workspace_id === workspaceId);
      if (!key) throw new ServiceError('unauthenticated', 'Unknown key');
      return key;
    });
    this.answer(issuedTokens.verificationKeys, () => ({ keys: this.signers.map(({ verificationKey }) => verificationKey) }));
  }

  answer(operation: { pattern: string }, handler: Handler): void {
    this.handlers.set(operation.pattern, handler);
  }

  /** Adds a key of a new workspace. */
  addKey(
    key: string,
    { scopes = ['*'], mode = 'production', limits }: Partial<Pick<VerifiedKey, 'scopes' | 'mode' | 'limits'>> = {},
  ): VerifiedKey {
    const verified: VerifiedKey = {
      key_id: randomUUID(),
      workspace_id: randomUUID(),
      account_email: 'owner@example.com',
      mode,
      scopes,
      limits,
    };
    this.keys.set(sha256(key), verified);
    return verified;
  }

  revoke(key: string): void {
    this.keys.delete(sha256(key));
  }

  /** Calls of one operation so far. */
  callsOf({ pattern }: { pattern: string }): Call[] {
    return this.calls.filter((call) => call.pattern === pattern);
  }

  /** Times between consecutive calls of one operation, in ms. */
  gapsOf(operation: { pattern: string }): number[] {
    const times = this.callsOf(operation).map(({ at }) => at);
    return times.slice(1).map((at, index) => at - times[index]!);
  }

  override async call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    options?: CallOptions,
  ): Promise<ResponseOf<Operation<Request, Response>>> {
    const fields = { ...(request as Record<string, unknown>) };
    this.calls.push({ pattern: operation.pattern, context, request: fields, at: performance.now(), options });
    const handler = this.handlers.get(operation.pattern);
    if (!handler) throw new ServiceError('unavailable', `${operation.pattern} is not running`, { retryAfterSeconds: 1 });
    return (await handler(context, request as never)) as ResponseOf<Operation<Request, Response>>;
  }

  override async callForJson(...parameters: Parameters<OperationClient['callForJson']>): Promise<string | undefined> {
    const answer: unknown = await this.call(...parameters);
    return answer === undefined ? undefined : JSON.stringify(answer);
  }
}

function sha256(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
