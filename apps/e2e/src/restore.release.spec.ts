import Courier from '@trycourier/courier';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { describeWithKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { untilAllDelivered } from './testing/delivered';
import { report } from './testing/report';
import { RestorablePostgres } from './testing/restorable-postgres';
import { SendLoad } from './testing/send-load';
import { System } from './testing/system';
import { withTeardown } from './testing/tear-down';

jest.setTimeout(900_000);

const SEND_EVERY_MS = 10;
/** Accepted sends before the backup, and between its end and the loss of the database. */
const BEFORE = 400;
const AFTER = 600;
const DELIVERY_TIMEOUT_MS = 300_000;

describeWithKafka('A base backup of PostgreSQL, taken under load and restored behind the topics', () => {
  it('loses nothing that was accepted after it, and repeats no mail that was sent before it', () =>
    withTeardown(async (teardown) => {
      const postgres = await RestorablePostgres.start();
      teardown.add('PostgreSQL', () => postgres.remove());
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      teardown.add('the mail server', () => smtp.close());
      const system = await System.start({ topology: 'kafka', databaseUrl: postgres.adminUrl, smtpUrl: smtp.url });
      teardown.add('the product', () => system.stop());
      const sdk = new Courier({ apiKey: system.key, baseURL: system.url });
      const setTitle = (title: string) => sdk.profiles.replace('ada', { profile: { title } });
      await sdk.audiences.update('pilots', { filter: { filters: [{ operator: 'EQ', path: 'title', value: 'Pilot' }] } });
      await setTitle('Admiral');

      const load = new SendLoad(system.client, 'restored');
      const ended = new AbortController();
      const sending = load.trickle(SEND_EVERY_MS, ended.signal);
      const untilAccepted = (count: number) => waitUntil(() => load.accepted.length >= count, { what: `${count} accepted sends` });
      await untilAccepted(BEFORE);
      const mailsBefore = smtp.mails.length;
      const backup = await postgres.backUp();
      const acceptedBefore = load.accepted.length;
      // Identity draws numbers that the backup does not have, and the topic keeps them.
      for (const title of ['Captain', 'Commodore', 'Captain', 'Commodore']) await setTitle(title);
      await untilAccepted(acceptedBefore + AFTER);
      const mailsLost = smtp.mails.length - mailsBefore;

      await system.kill();
      await postgres.crash();
      const mailsAtEnd = smtp.mails.length - mailsBefore;
      ended.abort();
      await sending;
      await postgres.restore(backup);
      await system.restart();

      const { accepted } = load;
      await untilAllDelivered(
        system.client,
        accepted.map(({ id }) => id),
        DELIVERY_TIMEOUT_MS,
      );
      const perMessage = [...smtp.copies().values()];
      const secondCopies = perMessage.reduce((sum, count) => sum + count - 1, 0);
      report(
        `restore: ${JSON.stringify(load.tally)}, ${accepted.length - acceptedBefore} accepted after the backup, ` +
          `${mailsLost} mails since its beginning, second copies ${secondCopies}`,
      );
      expect(accepted.length).toBeGreaterThanOrEqual(BEFORE + AFTER);
      const received = new Set(smtp.mails.flatMap(({ envelope }) => envelope.to));
      expect(accepted.filter(({ email }) => !received.has(email))).toEqual([]);
      expect(Math.max(...perMessage)).toBeLessThanOrEqual(2);
      expect(secondCopies).toBeGreaterThan(0);
      expect(secondCopies).toBeLessThanOrEqual(mailsAtEnd);
      expect(system.output).toContain('records behind the offset');

      // Its number is above those that audience has seen and identity has lost.
      await setTitle('Pilot');
      await waitUntil(async () => (await sdk.audiences.listMembers('pilots')).items.length === 1, { what: 'the member of the audience' });
    }));
});
