import { randomBytes } from 'node:crypto';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { CapturingSmtp, EVERYBODY } from '@tidings/testing/capturing-smtp';
import type { Teardown } from '@tidings/runtime/teardown';
import { waitUntil } from '@tidings/testing/wait-until';
import type { ApiClient } from './api-client';
import type { Way } from './installation';
import { MessagingTables, type Unfinished } from './messaging-tables';
import type { MixedOutcome } from './mixed-outcome';
import { type MixSizes, MixedWork } from './mixed-work';
import { System } from './system';

/** Slow enough that a kill meets mails on the wire. */
const MAIL_MS = 15;
/** A mail that gets no answer is on the wire for as long as anything is waited for. */
const MAIL_TIMEOUT_MS = 300_000;
const MIDST_MS_MAX = 90_000;

export interface MixedWorld extends MixedOutcome {
  system: System;
  client: ApiClient;
}

/**
 * Of a list with more subscribers than messages of one kind may wait at a time: no mail is answered, so it cannot come to its end.
 * Resolves in the midst of it, with mails on the wire and other messages that wait for their time or turn. From then on mails are answered.
 */
export async function inTheMidst({ tables, receivers: { mail } }: MixedWorld): Promise<Unfinished> {
  const midst = async (): Promise<Unfinished | undefined> => {
    const left = await tables.unfinished();
    return mail.mails.length > 0 && left.expansions > 0 && left.waiting > 0 ? left : undefined;
  };
  const left = await waitUntil(midst, { what: 'the midst of the work', timeoutMs: MIDST_MS_MAX });
  mail.treat(EVERYBODY, { slowMs: MAIL_MS });
  return left;
}

/** The product on one of its ways of running, with its receivers, and with everything made that the work needs. */
export async function startMixedWorld(teardown: Teardown, way: Way, sizes: MixSizes): Promise<MixedWorld> {
  const mail = await CapturingSmtp.start({ withoutContent: true });
  teardown.add('the mail server', () => mail.close());
  mail.treat(EVERYBODY, { hang: true });
  const [refusing, taking] = [await CapturingHttp.start(), await CapturingHttp.start()];
  for (const receiver of [refusing, taking]) teardown.add('a receiver of texts', () => receiver.stop());
  const environment = {
    TIDINGS_SECRET_KEY: randomBytes(32).toString('base64'),
    TIDINGS_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
  };
  const system = await System.start({ way, smtpUrl: `${mail.url}?timeout=${MAIL_TIMEOUT_MS}`, environment });
  teardown.add('the product', () => system.stop());
  const receivers = { mail, refusing, taking };
  const work = await MixedWork.prepare(system.client, receivers, sizes);
  return { system, client: system.client, work, receivers, tables: new MessagingTables(system) };
}
