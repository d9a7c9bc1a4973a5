import '@tidings/testing/quiet';
import { ServiceError } from '@tidings/contracts/core/errors';
import { DeliveryLeases } from '../store/lease-store';
import { OpenMessages } from '../store/open-store';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';

/** Rows that the database of this story can answer in its time. */
const ROWS_MAX = 3;
const MANY = 12;

it('messages so large that the database cannot give many at once are taken up few at a time', async () => {
  const messaging = await Messaging.create();
  await messaging.start();
  const { take: takeOpen } = OpenMessages.prototype;
  const { take: takeDue } = DeliveryLeases.prototype;
  const tooMany = () => Promise.reject(new ServiceError('deadline_exceeded', 'The database took too long to answer'));
  jest.spyOn(OpenMessages.prototype, 'take').mockImplementation(function (this: OpenMessages, limit) {
    return limit > ROWS_MAX ? tooMany() : takeOpen.call(this, limit);
  });
  jest.spyOn(DeliveryLeases.prototype, 'take').mockImplementation(function (this: DeliveryLeases, limit, held, full) {
    return limit > ROWS_MAX ? tooMany() : takeDue.call(this, limit, held, full);
  });

  try {
    const emails = Array.from({ length: MANY }, (_, n) => `u${n}@example.com`);
    for (const email of emails) messaging.smtp.treat(email, { deferFirst: 1 }); // so that each is leased from the table as well
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
