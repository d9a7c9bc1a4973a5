import { randomBytes } from 'node:crypto';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { CapturingSmtp, EVERYBODY } from '@tidings/testing/capturing-smtp';
import type { Teardown } from '@tidings/runtime/teardown';
import type { ApiClient } from './api-client';
import type { Way } from './installation';
import { MessagingTables } from './messaging-tables';
import type { MixedOutcome } from './mixed-outcome';
import { type MixSizes, MixedWork } from './mixed-work';
import { System } from './system';

/** Slow enough that a kill meets mails on the wire. */
const MAIL_MS = 15;

export interface MixedWorld extends MixedOutcome {
  system: System;
  client: ApiClient;
}

/** The product on one of its ways of running, with its receivers, and with everything made that the work needs. */
export async function startMixedWorld(teardown: Teardown, way: Way, sizes: MixSizes): Promise<MixedWorld> {
  const mail = await CapturingSmtp.start({ withoutContent: true });
  teardown.add('the mail server', () => mail.close());
  mail.treat(EVERYBODY, { slowMs: MAIL_MS });
  const [refusing, taking] = [await CapturingHttp.start(), await CapturingHttp.start()];
  for (const receiver of [refusing, taking]) teardown.add('a receiver of texts', () => receiver.stop());
  const environment = {
    TIDINGS_SECRET_KEY: randomBytes(32).toString('base64'),
    TIDINGS_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
  };
  const system = await System.start({ way, smtpUrl: mail.url, environment });
  teardown.add('the product', () => system.stop());
  const receivers = { mail, refusing, taking };
  const work = await MixedWork.prepare(system.client, receivers, sizes);
  return { system, client: system.client, work, receivers, tables: new MessagingTables(system) };
}
