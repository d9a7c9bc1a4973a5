import { Logger } from '@nestjs/common';
import { type Refusal, RefusedRecords } from './refused-records';

afterEach(() => jest.restoreAllMocks());

it.each<[Refusal, string]>([
  ['unsigned', 'It has no signature. '],
  ['wrong mac', 'Its signature does not fit it, so another client wrote or changed it: let the processes of Tidings alone write'],
  ['unknown key', 'The secret that signed it is not in TIDINGS_RPC_SECRET: give all processes the same secrets'],
  ['outside the time window', 'It was sent more than a minute ago'],
])('warns once of records that are refused, with the reason and what to do: %s', (reason, sentence) => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const counted = jest.fn();
  const records = new RefusedRecords<Refusal>(counted);

  records.note('tidings.profiles.v1', reason);
  records.note('tidings.profiles.v1', reason);

  expect(counted).toHaveBeenCalledTimes(2);
  const start = `A record of tidings.profiles.v1 was refused: ${reason}. ${sentence}`;
  expect(warned.mock.calls).toEqual([[expect.stringContaining(start)]]);
});
