import { batchLengthMax, isTooLarge } from './record-size';

const MIB = 1024 * 1024;

it('counts the bytes of a record, with room for its headers', () => {
  expect(isTooLarge('x'.repeat(MIB - 4_096), MIB)).toBe(false);
  expect(isTooLarge('x'.repeat(MIB - 4_095), MIB)).toBe(true);
  expect(isTooLarge('ü'.repeat(MIB / 2), MIB)).toBe(true);
});

it('lets batches be as small as the brokers require', () => {
  expect(batchLengthMax(32 * MIB)).toBe(4 * MIB);
  expect(batchLengthMax(MIB)).toBe(MIB / 4);
});
