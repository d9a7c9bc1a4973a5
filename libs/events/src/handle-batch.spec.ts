import timersPromises from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { handleBatch } from './handle-batch';
import type { EventRecord } from './event-log';

it('says now and then that a batch is still handed over again and again, and not each time', async () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  const waits = jest.spyOn(timersPromises, 'setTimeout').mockResolvedValue(undefined);
  const record = { id: '1', key: 'k', payload: {}, position: '1' } as unknown as EventRecord<object>;
  let attempts = 0;
  const never = new AbortController().signal;

  await handleBatch([{ record, text: '{}' }], {
    handler: () => {
      attempts += 1;
      return attempts <= 30 ? Promise.reject(new ServiceError('unavailable', 'The database cannot be reached')) : Promise.resolve();
    },
    bury: () => Promise.reject(new Error('Not to be buried')),
    onHandled: () => {},
    stopping: never,
    left: never,
  });

  const said = warned.mock.calls.map(([text]) => String(text).replace(/^.*\(attempt (\d+) failed\).*$/, '$1'));
  expect(waits).toHaveBeenCalledTimes(30);
  jest.restoreAllMocks();
  expect(said).toEqual(['1', '13', '25']);
});
