import { randomBytes } from 'node:crypto';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { CapturingSmtp, EVERYBODY } from '@tidings/testing/capturing-smtp';
import type { Teardown } from '@tidings/runtime/teardown';
import { waitUntil } from '@tidings/testing/wait-until';
import type { ApiClient } from './api-client';
import type { Topology } from './installation';
import { MessagingTables, type Unfinished } from './messaging-tables';
import type { MixedOutcome } from './mixed-outcome';
import { type MixSizes, MixedWork } from './mixed-work';
import { System } from './system';

/** Slow enough that a kill interrupts mails in flight. */
const MAIL_MS = 15;
/** Longer than every wait of a test, so that an unanswered mail stays in flight. */
const MAIL_TIMEOUT_MS = 300_000;
const HALFWAY_MS_MAX = 90_000;

export interface MixedFixture extends MixedOutcome {
  system: System;
  client: ApiClient;
}

/**
 * Waits until mails are in flight while expansions and open messages remain. The mail server answers none before, so a list with
 * more subscribers than may wait at a time cannot finish. Resolves with the unfinished work; mails are answered from then on.
 */
export async function untilHalfway({ tables, receivers: { mail } }: MixedFixture): Promise<Unfinished> {
  const halfway = async (): Promise<Unfinished | undefined> => {
    const left = await tables.unfinished();
    return mail.mails.length > 0 && left.expansions > 0 && left.waiting > 0 ? left : undefined;
  };
  const left = await waitUntil(halfway, { what: 'work in progress of every kind', timeoutMs: HALFWAY_MS_MAX });
  mail.treat(EVERYBODY, { slowMs: MAIL_MS });
  return left;
}

/** Starts the product in a topology with its receivers and prepared work; `teardown` ends them. */
export async function startMixedFixture(teardown: Teardown, topology: Topology, sizes: MixSizes): Promise<MixedFixture> {
  const mail = await CapturingSmtp.start({ withoutContent: true });
  teardown.add('the mail server', () => mail.close());
  mail.treat(EVERYBODY, { hang: true });
  const [refusing, succeeding] = [await CapturingHttp.start(), await CapturingHttp.start()];
  for (const receiver of [refusing, succeeding]) teardown.add('a receiver of texts', () => receiver.stop());
  const environment = {
    TIDINGS_SECRET_KEY: randomBytes(32).toString('base64'),
    TIDINGS_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
  };
  const system = await System.start({ topology, smtpUrl: `${mail.url}?timeout=${MAIL_TIMEOUT_MS}`, environment });
  teardown.add('the product', () => system.stop());
  const receivers = { mail, refusing, succeeding };
  const work = await MixedWork.prepare(system.client, receivers, sizes);
  return { system, client: system.client, work, receivers, tables: new MessagingTables(system) };
}
