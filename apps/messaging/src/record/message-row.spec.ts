import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { type MessageRow, toMessageRecord } from './message-row';

it('shows the error of each provider without its reason, with the template of the message', () => {
  const id = newMessageId(Date.now());
  const leaf = { provider: 'http', status: 'UNDELIVERABLE', error: 'no' };
  const row = { id: messageIdToUuid(id), notification: 'nt_1', providers: [{ channel: { key: 'sms' }, ...leaf, reason: 'BOUNCED' }] };

  const record = toMessageRecord(row as unknown as MessageRow);

  expect(record).toMatchObject({ id });
  expect(record.providers).toEqual([{ channel: { key: 'sms', template: 'nt_1' }, ...leaf }]);
});

it('counts one attempt of a route that stores no count, except in older records', () => {
  const leaf = { channel: { key: 'sms' }, provider: 'http', status: 'SENT' };
  const stored = [leaf, { ...leaf, configuration_id: 'prv_1' }, { ...leaf, configuration_id: 'prv_1', attempts: 3 }];

  const { providers } = toMessageRecord({ id: messageIdToUuid(newMessageId(Date.now())), providers: stored } as unknown as MessageRow);

  expect(providers!.map(({ attempts }) => attempts)).toEqual([undefined, 1, 3]);
});
