import '@tidings/testing/quiet';
import { ServiceError } from '@tidings/contracts/core/errors';
import { DeliveryLeases } from '../record/delivery-store';
import { OpenMessages } from '../record/open-store';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';

/** Rows that the database of this test can return in time. */
const ROWS_MAX = 3;
const MANY = 12;

it('claims large messages in small batches when the database times out on large ones', async () => {
  const messaging = await Messaging.create();
  await messaging.start();
  const { claim: claimOpen } = OpenMessages.prototype;
  const { claim: claimDue } = DeliveryLeases.prototype;
  const tooMany = () => Promise.reject(new ServiceError('deadline_exceeded', 'The database took too long to answer'));
  jest.spyOn(OpenMessages.prototype, 'claim').mockImplementation(function (this: OpenMessages, limit) {
    return limit > ROWS_MAX ? tooMany() : claimOpen.call(this, limit);
  });
  jest.spyOn(DeliveryLeases.prototype, 'claim').mockImplementation(function (this: DeliveryLeases, limit, leased, full) {
    return limit > ROWS_MAX ? tooMany() : claimDue.call(this, limit, leased, full);
  });

  try {
    const emails = Array.from({ length: MANY }, (_, n) => `u${n}@example.com`);
    for (const email of emails) messaging.smtp.treat(email, { deferFirst: 1 }); // so that each delivery is also leased from the table
    const ids = await messaging.send(...emails.map((email) => ({ recipient: email, profile: { email }, delay: untilMadeDue() })));
    for (const id of ids) await messaging.waitForStatus(id, 'DELAYED');
    await makeDue(messaging, ids);
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
  } finally {
    jest.restoreAllMocks();
    await messaging.end();
  }
  expect(messaging.smtp.copies().size).toBe(MANY);
});
