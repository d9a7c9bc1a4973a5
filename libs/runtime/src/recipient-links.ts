import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { DAY_MS } from '@tidings/contracts/core/duration';
import { LRUCache } from 'lru-cache';

/** The recipient of a message, and what a link in it may change. */
export interface LinkRecipient {
  /** UUID. */
  readonly workspaceId: string;
  readonly messageId: string;
  readonly channel: string;
  /** Absent: the message was sent to an address. */
  readonly userId?: string;
  /** The tenant that the send named. */
  readonly tenantId?: string;
  readonly topicId?: string;
  /** Of the message; only where there is no topic of a user to opt out of. */
  readonly address?: string;
  /** Of the message; absent: the default brand. `null`: none. */
  readonly brandId?: string | null;
}

/** The links of a message. */
export interface RecipientUrls {
  /** The page that unsubscribes; a POST to it without a body does. */
  readonly unsubscribe: string;
  /** The preference page. */
  readonly preferences: string;
}

/** What `open` finds in a token. */
type OpenedLink = { readonly recipient: LinkRecipient } | 'expired' | 'invalid';

/** The two pages, by the first part of their paths. */
export const RECIPIENT_PATHS = { unsubscribe: 'u', preferences: 'p' } as const;

const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const HASH = 'sha256';
const KEY_BYTES = 32;
const WORKSPACE_BYTES = 16;
/** Version and workspace, which are in the clear: they choose the key. */
const HEAD_BYTES = 1 + WORKSPACE_BYTES;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BOX_START = HEAD_BYTES + NONCE_BYTES + TAG_BYTES;
/** Longer ones are not read. */
const LINK_TOKEN_LENGTH_MAX = 4_000;
const WORKSPACES_MAX = 10_000;

const WEEK_MS = 7 * DAY_MS;
/** A link is valid for at least this time. */
export const LINK_VALID_MS = 400 * DAY_MS;

/** Keys of one workspace. */
interface LinkKeys {
  readonly cipher: Buffer;
  readonly nonce: Buffer;
}

/**
 * Makes and opens the links by which recipients change what they get, without a login. A token is encrypted and authenticated with a key
 * that is derived from `TIDINGS_SECRET_KEY` for its workspace, so it shows no id of a user, no address, and is not valid in another
 * workspace; the first key makes links, all open them. The same recipient and week make the same token: a repeated rendering is equal.
 */
export class RecipientLinks {
  private readonly keys = new LRUCache<string, readonly LinkKeys[]>({
    max: WORKSPACES_MAX,
    memoMethod: (workspace) => this.secretKeys.map((key) => deriveKeys(key, workspace)),
  });

  /**
   * @param secretKeys 32 bytes each; without any no links are made.
   * @param publicUrl address of the gateway for recipients, without a slash at its end. Absent: no links are made.
   */
  constructor(
    private readonly secretKeys: readonly Buffer[] = [],
    private readonly publicUrl?: string,
  ) {}

  /** Why no links are made; undefined where they are. */
  get missing(): string | undefined {
    if (this.publicUrl === undefined) return 'TIDINGS_PUBLIC_URL is not set';
    return this.secretKeys.length === 0 ? 'TIDINGS_SECRET_KEY is not set' : undefined;
  }

  /** Whether mail clients accept the links for one-click unsubscription (RFC 8058). */
  get areSecure(): boolean {
    return this.publicUrl?.startsWith('https:') === true;
  }

  /** The links of a message that is sent at `nowMs`, each made when it is read: most content names none. Undefined where none are made. */
  urlsOf(recipient: LinkRecipient, nowMs: number): RecipientUrls | undefined {
    if (this.missing !== undefined) return undefined;
    let token: string | undefined;
    const to = (path: string) => `${this.publicUrl}/${path}/${(token ??= this.tokenOf(recipient, nowMs))}`;
    return {
      get unsubscribe() {
        return to(RECIPIENT_PATHS.unsubscribe);
      },
      get preferences() {
        return to(RECIPIENT_PATHS.preferences);
      },
    };
  }

  /** The recipient whom the token names. `invalid`: this installation did not make it, or a key is missing. */
  open(token: string, nowMs: number): OpenedLink {
    if (token.length > LINK_TOKEN_LENGTH_MAX) return 'invalid';
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length <= BOX_START || bytes[0] !== VERSION || bytes.toString('base64url') !== token) return 'invalid';
    const workspace = bytes.toString('hex', 1, HEAD_BYTES);
    for (const keys of this.keys.memo(workspace)) {
      const text = decrypt(bytes, keys);
      if (text === undefined) continue;
      const [week, messageId, channel, ...rest] = JSON.parse(text) as [number, string, string, ...(string | null)[]];
      if (nowMs > (week + 1) * WEEK_MS + LINK_VALID_MS) return 'expired';
      const [userId, tenantId, topicId, address, brandId] = rest.map((value) => value ?? undefined);
      const brand = brandId === NO_BRAND ? null : brandId;
      return { recipient: { workspaceId: toUuid(workspace), messageId, channel, userId, tenantId, topicId, address, brandId: brand } };
    }
    return 'invalid';
  }

  private tokenOf({ workspaceId, messageId, channel, userId, tenantId, topicId, address, brandId }: LinkRecipient, nowMs: number) {
    const workspace = workspaceId.replaceAll('-', '');
    const [keys] = this.keys.memo(workspace) as [LinkKeys];
    const brand = brandId === null ? NO_BRAND : brandId;
    const fields = [Math.floor(nowMs / WEEK_MS), messageId, channel, userId, tenantId, topicId, address, brand];
    while (fields.at(-1) === undefined) fields.pop();
    return encrypt(JSON.stringify(fields), workspace, keys).toString('base64url');
  }
}

/** An id of a brand is never empty. */
const NO_BRAND = '';

function deriveKeys(secretKey: Buffer, workspace: string): LinkKeys {
  const derived = Buffer.from(hkdfSync(HASH, secretKey, Buffer.from(workspace, 'hex'), 'tidings recipient links', 2 * KEY_BYTES));
  return { cipher: derived.subarray(0, KEY_BYTES), nonce: derived.subarray(KEY_BYTES) };
}

/** The nonce is a MAC of the text: equal texts make equal tokens, and two texts share one by a collision of 96 bits only. */
function encrypt(text: string, workspace: string, { cipher: key, nonce: nonceKey }: LinkKeys) {
  const head = Buffer.concat([Buffer.of(VERSION), Buffer.from(workspace, 'hex')]);
  const nonce = createHmac(HASH, nonceKey).update(text).digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(head);
  const box = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), box]);
}

function decrypt(bytes: Buffer, { cipher: key }: LinkKeys) {
  const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(bytes.subarray(0, HEAD_BYTES))
    .setAuthTag(bytes.subarray(HEAD_BYTES + NONCE_BYTES, BOX_START));
  try {
    return decipher.update(bytes.subarray(BOX_START), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined; // made with another key, or changed
  }
}

function toUuid(hex: string) {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
