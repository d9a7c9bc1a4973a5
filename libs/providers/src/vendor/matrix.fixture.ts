import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { waitUntil } from '@tidings/testing/wait-until';
import { attempt, cleanUp, cleanUps, LOOPBACK } from '../http/receiver.fixture';
import type { Attempt, Outcome } from '../provider';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { type PeerAnswer, type PeerServer, type Script, VendorPeer } from './peer.fixture';
import type { VendorKind, VendorSurroundings } from './vendor';

/** A message for one recipient. */
export interface MatrixMessage {
  readonly rendered: Rendered;
  readonly recipient: Recipient;
}

/** An answer of the sending operation, and (part of) the outcome that it must have. */
export interface Row {
  readonly answer: PeerAnswer;
  readonly outcome: Partial<Outcome> | object;
}

/** What every vendor must do; `badAddress` or `deadToken`, and `tooLarge`, as far as the vendor has an answer for it. */
export interface VendorMatrix {
  readonly kind: VendorKind;
  /** Settings beside `base_url`. */
  settings(peer: VendorPeer): JsonObject;
  readonly message: MatrixMessage;
  /** The operation that sends. Default `send`. */
  readonly sends?: string;
  /** Scripts of the operations before it: a lookup, a token. */
  readonly before?: Readonly<Record<string, PeerAnswer>>;
  readonly rows: {
    /** The outcome names the reference. */
    readonly accepted: Row;
    readonly badAddress?: Row;
    readonly deadToken?: Row;
    readonly badCredentials: Row;
    readonly tooLarge?: Row;
    readonly [name: string]: Row | undefined;
  };
  /** Bodies of an answer 429 and of an answer 503. */
  readonly throttled?: unknown;
  readonly failing?: unknown;
  /** A message beyond the limits, and a part of the reason; it is not sent. */
  readonly unfit: MatrixMessage & { readonly reason: string };
  /** The answer to `test` with good and with wrong credentials, and the operation; a text: why they cannot be tested. */
  readonly test: string | { readonly operation: string; readonly good: PeerAnswer; readonly wrong: PeerAnswer };
  /** Another server than one of HTTP/1. */
  start?(): Promise<PeerServer>;
}

/** Starts a vendor's peer that accepts every message, until `cleanUp`; `settings` make a provider use it. */
export async function startVendor({ kind, settings, before = {}, sends = 'send', rows, start }: VendorMatrix) {
  const peer = await VendorPeer.start(kind.page.operations, start);
  for (const [name, script] of Object.entries(before)) peer.scripts.set(name, script);
  peer.scripts.set(sends, rows.accepted.answer);
  const used: JsonObject = { ...('base_url' in kind.fields && { base_url: peer.url }), ...settings(peer) };
  return { peer, settings: used };
}

/** A provider of a vendor and its peer, both ended by `cleanUp`. */
export async function openVendor(matrix: VendorMatrix, options: Partial<VendorSurroundings> = {}) {
  const { kind, sends = 'send' } = matrix;
  const { peer, settings } = await startVendor(matrix);
  const provider = kind.open(kind.parseSettings(settings), { guard: LOOPBACK, ...options });
  cleanUps.push(() => provider.close());
  const send = ({ rendered, recipient }: MatrixMessage = matrix.message, more: Partial<Attempt> = {}) =>
    provider.send(rendered, recipient, attempt(more));
  /** Scripts the sending operation. */
  const script = (one: Script) => void peer.scripts.set(sends, one);
  return { peer, provider, send, script };
}

/** As `openVendor`, with an open connection, so that the time of the next call includes no connecting. */
export async function openConnected(matrix: VendorMatrix, timeoutMs: number) {
  const vendor = await openVendor(matrix, { timeoutMs });
  await waitUntil(async () => (await vendor.send()).kind === 'accepted', { what: 'a connection' });
  return vendor;
}

/** A signal that never aborts. */
export const UNLIMITED: AbortSignal = new AbortController().signal;

/** Long enough for an answer of a busy machine. */
const TIMEOUT_MS = 250;

/** Scripts of a peer that does not answer in time. */
export const HANGING: Readonly<Record<string, Script>> = {
  'that never comes': () => undefined,
  'whose body does not end': (answer) => void answer.writeHead(200).write('{'),
};

/** Tests a vendor by its rows, and by those that all vendors have in common. */
export function describeVendor(matrix: VendorMatrix): void {
  const { rows, throttled, failing, unfit, test, sends = 'send' } = matrix;
  const common: Record<string, Row> = {
    throttled: {
      answer: { status: 429, body: throttled, headers: { 'retry-after': '7' } },
      outcome: { kind: 'retry', retryAfterMs: 7_000 },
    },
    failing: { answer: { status: 503, body: failing }, outcome: { kind: 'retry', outage: true } },
    redirect: { answer: { status: 307, headers: { location: '/' } }, outcome: { kind: 'failed', cause: 'configuration' } },
    garbage: { answer: { status: rows.accepted.answer.status, body: '\u0000<html>' }, outcome: { kind: 'accepted', reference: {} } },
    'failing with garbage': { answer: { status: 502, body: '<html>' }, outcome: { kind: 'retry', outage: true } },
  };
  afterEach(cleanUp);

  it.each(Object.entries({ ...common, ...rows } as Record<string, Row>))('an answer: %s', async (_name, { answer, outcome }) => {
    const { peer, send, script } = await openVendor(matrix);
    script(answer);

    const got = await send();

    expect(peer.problems).toEqual([]);
    expect(got).toMatchObject(outcome);
    if (got.kind !== 'retry') expect(got.response?.status).toBe(answer.status);
    expect(peer.received(sends)).toHaveLength(1);
  });

  it.each(Object.entries(HANGING))('an answer %s may come later', async (_name, hanging) => {
    const { send, script } = await openConnected(matrix, TIMEOUT_MS);
    script(hanging);

    expect(await send()).toMatchObject({ kind: 'retry', hung: true });
  });

  it('a connection that is cut is no answer', async () => {
    const { send, script } = await openVendor(matrix);
    script((answer) => void answer.socket?.destroy());

    expect(await send()).toMatchObject({ kind: 'retry', outage: true });
  });

  it('a message beyond its limits is not sent, with the reason', async () => {
    const { peer, send } = await openVendor(matrix);

    expect(await send(unfit)).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining(unfit.reason) as string });
    expect(peer.received(sends)).toEqual([]);
  });

  it('a message of another channel is not sent', async () => {
    const { peer, send } = await openVendor(matrix);
    const webhook = {
      rendered: { kind: 'webhook', webhook: { title: '', body: '', blocks: [] } },
      recipient: { channel: 'webhook' },
    } as const;
    const sms = { rendered: { kind: 'sms', sms: { text: '' } }, recipient: { channel: 'sms', phone_number: '12345' } } as const;

    expect(await send(matrix.kind.channels.includes('webhook') ? sms : webhook)).toMatchObject({ kind: 'failed', cause: 'permanent' });
    expect(peer.server.received).toEqual([]);
  });

  it('proves its credentials without a message', async () => {
    const { peer, provider } = await openVendor(matrix);
    if (typeof test === 'string') {
      expect(await provider.test(UNLIMITED)).toEqual({ ok: false, message: test });
      expect(peer.server.received).toEqual([]);
      return;
    }
    peer.scripts.set(test.operation, test.good);
    expect(await provider.test(UNLIMITED)).toEqual({ ok: true });

    peer.scripts.set(test.operation, test.wrong);
    expect(await provider.test(UNLIMITED)).toMatchObject({ ok: false, status: test.wrong.status });
    expect(peer.problems).toEqual([]);
    expect(peer.received(sends)).toHaveLength(test.operation === sends ? 2 : 0);
  });

  it('shows no secret of its settings that the vendor repeats', async () => {
    const { peer, provider, send, script } = await openVendor(matrix);
    const secrets = secretsOf(matrix, peer);
    script({ status: 401, body: secrets.join(' ') });
    if (typeof test !== 'string') peer.scripts.set(test.operation, { status: 401, body: secrets.join(' ') });

    const shown = JSON.stringify([await send(), await provider.test(UNLIMITED)]);

    expect(secrets.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });
}

function secretsOf({ kind, settings }: VendorMatrix, peer: VendorPeer) {
  const values = settings(peer);
  return Object.entries(kind.fields).flatMap(([name, { secret }]) => (secret && typeof values[name] === 'string' ? [values[name]] : []));
}
