import timersPromises from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { handleBatch } from './consumption';
import type { AnyRecord } from './event-log';

it('logs every twelfth failed attempt at a batch', async () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  const waits = jest.spyOn(timersPromises, 'setTimeout').mockResolvedValue(undefined);
  const record = { id: '1', key: 'k', payload: {}, position: '1' } as unknown as AnyRecord;
  let attempts = 0;
  const never = new AbortController().signal;

  await handleBatch([{ record, text: '{}' }], {
    handler: () => {
      attempts += 1;
      return attempts <= 30 ? Promise.reject(new ServiceError('unavailable', 'The database is unavailable')) : Promise.resolve();
    },
    whereIs: () => 'the topic',
    putDeadLetter: () => Promise.reject(new Error('No dead letter expected')),
    onHandled: () => {},
    stopping: never,
    revoked: never,
  });

  const logged = warned.mock.calls.map(([text]) => String(text).replace(/^.*\(attempt (\d+) failed\).*$/, '$1'));
  expect(waits).toHaveBeenCalledTimes(30);
  jest.restoreAllMocks();
  expect(logged).toEqual(['1', '13', '25']);
});
