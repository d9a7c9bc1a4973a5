import { IMPORT_ERRORS_MAX, IMPORT_LINES_MAX } from '@tidings/contracts/messaging/suppressions';
import { parseImport } from './parse-import';

it('reads each line on its own: an error takes no other line along', async () => {
  const csv = [
    '\ufeffAddress, channel,reason,created,note',
    'Ada@Example.com,email,hard_bounce,2026-03-01T10:00:00Z,"a ""quoted"" note, with a comma"',
    '"open,email,complaint,,',
    'bob@example.com,pigeon,,,',
    'bob,email,,,',
    '"+1 555 010 0000",sms,,2026-03-01,',
    '',
    'eve@example.com,email,annoyed,,',
    'eve@example.com,email,,2026-03-01T10:00,',
    'eve@example.com,email,,,,one too many',
    'eve@example.com,email',
    `eve@example.com,email,"${'x'.repeat(10_000)}`,
  ].join('\r\n');

  const { lines, failed, errors } = await parseImport(csv);

  expect(lines).toEqual([
    { channel: 'email', address: 'ada@example.com', reason: 'hard_bounce', createdAt: new Date('2026-03-01T10:00:00Z') },
    { channel: 'sms', address: '+15550100000', reason: 'manual', createdAt: new Date('2026-03-01T00:00:00Z') },
    { channel: 'email', address: 'eve@example.com', reason: 'manual', createdAt: null },
  ]);
  expect(failed).toBe(7);
  expect(errors.map(({ line, field }) => [line, field])).toEqual([
    [3, 'line'],
    [4, 'channel'],
    [5, 'address'],
    [8, 'reason'],
    [9, 'created'],
    [10, 'line'],
    [12, 'line'],
  ]);
  expect(errors[2]!.error).toBe('address must be an e-mail address (got "bob")');
});

it('needs its columns, and accepts a bounded number of lines', async () => {
  await expect(parseImport('email\nada@example.com')).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'The first line must name the columns channel and address (got "email")',
  });
  const lines = (count: number): string => `channel,address\n${'email,ada\n'.repeat(count)}`;
  await expect(parseImport(lines(IMPORT_LINES_MAX + 1))).rejects.toMatchObject({ code: 'invalid_request' });
  const { failed, errors } = await parseImport(lines(IMPORT_LINES_MAX));
  expect([failed, errors.length]).toEqual([IMPORT_LINES_MAX, IMPORT_ERRORS_MAX]);
});
