import { Injectable } from '@nestjs/common';
import { DAY_MS } from '@tidings/contracts/core/duration';
import { newWebhookSecret } from '@tidings/providers/http/signature';
import { SealedSecrets } from '../sealed-secrets';

/** How long requests are signed with a replaced secret as well. */
export const OVERLAP_MS = DAY_MS;
/** Secrets that sign at the same time, where one is replaced several times a day. */
const SECRETS_MAX = 3;

/** A secret of a webhook. */
export interface WebhookSecret {
  /** 1 for the first of the webhook. */
  readonly number: number;
  readonly secret: string;
  /** Of a replaced one: when it ends, ms since the epoch. */
  readonly until?: number;
}

/** The secrets of webhooks, the newest first. */
@Injectable()
export class WebhookSecrets extends SealedSecrets<readonly WebhookSecret[]> {
  constructor(keys: readonly Buffer[]) {
    super(keys, ({ workspaceId, id }) => `webhook ${workspaceId} ${id}`);
  }
}

/** The secrets after a replacement: a new one, and those before it for `OVERLAP_MS`. */
export function rotated(earlier: readonly WebhookSecret[], nowMs: number): [WebhookSecret, ...WebhookSecret[]] {
  const replaced = valid(earlier, nowMs).map((one) => ({ ...one, until: one.until ?? nowMs + OVERLAP_MS }));
  const number = (earlier[0]?.number ?? 0) + 1;
  return [{ number, secret: newWebhookSecret() }, ...replaced.slice(0, SECRETS_MAX - 1)];
}

/** Those that sign now. */
export function valid(secrets: readonly WebhookSecret[], nowMs: number): readonly WebhookSecret[] {
  return secrets.filter(({ until = Infinity }) => until > nowMs);
}
