import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { type MessageRow, toMessageRecord } from './message-row';

it('shows what each provider said, and not what the message’s own reason is made of', () => {
  const id = newMessageId(Date.now());
  const place = { channel: { key: 'sms', template: '' }, provider: 'http' };
  const row = { id: messageIdToUuid(id), providers: [{ ...place, status: 'UNDELIVERABLE', error: 'no', reason: 'BOUNCED' }] };

  const record = toMessageRecord(row as unknown as MessageRow);

  expect(record).toMatchObject({ id });
  expect(record.providers).toEqual([{ ...place, status: 'UNDELIVERABLE', error: 'no' }]);
});
