import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { type MessageRow, toMessageRecord } from './message-row';

it('shows the error of each provider without its reason', () => {
  const id = newMessageId(Date.now());
  const leaf = { channel: { key: 'sms', template: '' }, provider: 'http' };
  const row = { id: messageIdToUuid(id), providers: [{ ...leaf, status: 'UNDELIVERABLE', error: 'no', reason: 'BOUNCED' }] };

  const record = toMessageRecord(row as unknown as MessageRow);

  expect(record).toMatchObject({ id });
  expect(record.providers).toEqual([{ ...leaf, status: 'UNDELIVERABLE', error: 'no' }]);
});

it('counts one attempt of a route that stores no count, except in older records', () => {
  const leaf = { channel: { key: 'sms', template: '' }, provider: 'http', status: 'SENT' };
  const stored = [leaf, { ...leaf, configuration_id: 'prv_1' }, { ...leaf, configuration_id: 'prv_1', attempts: 3 }];

  const { providers } = toMessageRecord({ id: messageIdToUuid(newMessageId(Date.now())), providers: stored } as unknown as MessageRow);

  expect(providers!.map(({ attempts }) => attempts)).toEqual([undefined, 1, 3]);
});
