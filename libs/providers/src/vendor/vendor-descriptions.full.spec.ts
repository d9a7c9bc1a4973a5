import { existsSync } from 'node:fs';
import path from 'node:path';
import { VENDOR_KINDS } from '../kinds';
import { contradictions } from './compare.fixture';
import { describedAt, type DescribedOperation } from './described.fixture';
import type { VendorOperation } from './operation';

const ROOT = path.resolve(__dirname, '../../../..');
/** The vendors' own descriptions, which are no part of the tree. */
const FOLDER = process.env.TIDINGS_VENDOR_DESCRIPTIONS ?? path.join(ROOT, '../shared/vendors');

const described = VENDOR_KINDS.flatMap(({ key, page }) =>
  Object.entries<VendorOperation>(page.operations).flatMap(([name, operation]) =>
    operation.described === undefined ? [] : [{ name: `${key}: ${name}`, operation, described: operation.described }],
  ),
);

// Where the folder is missing nothing is registered: a skipped test would count as a failure.
if (existsSync(FOLDER)) {
  it.each(described)('agrees with its description: $name', ({ operation, described: reference }) => {
    expect(contradictions(operation, describedAt(FOLDER, reference))).toEqual([]);
  });
}

it('notices what contradicts a description', () => {
  const theirs: DescribedOperation = {
    method: 'POST',
    path: '/messages/{id}',
    request: {
      type: 'object',
      required: ['to', 'token'],
      properties: {
        to: () => ({ type: 'string' }),
        count: () => ({ type: 'integer' }),
        kind: () => ({ type: 'string', values: ['text', 'html'] }),
        parts: () => ({ type: 'array', items: () => ({ type: 'object', properties: { name: () => ({ type: 'string' }) } }) }),
      },
    },
    answer: { type: 'object', properties: { id: () => ({ type: 'string' }) } },
  };
  const parts = (name: string) => ({ type: 'array', items: { type: 'object', properties: { [name]: { type: 'string' } } } });
  const right: VendorOperation = {
    method: 'POST',
    path: '/messages/{message_id}',
    request: {
      type: 'object',
      required: ['to'],
      properties: { to: { type: 'string' }, count: { type: 'integer' }, kind: { const: 'text' }, parts: parts('name') },
    },
    answer: { type: 'object', properties: { id: { type: ['string', 'null'] } } },
  };
  const wrong: VendorOperation = {
    method: 'GET',
    path: '/message',
    request: {
      type: 'object',
      properties: { from: { type: 'string' }, count: { type: 'array' }, kind: { enum: ['text', 'rtf'] }, parts: parts('title') },
    },
    answer: { type: 'object', properties: { key: { type: 'string' } } },
  };

  expect(contradictions(right, theirs)).toEqual([]);
  expect(contradictions(wrong, theirs)).toEqual([
    'is POST, not GET',
    'has the path /messages/{id}, not /message',
    'request.to is required',
    'request.from does not exist',
    'request.count is of type integer, not array',
    'request.kind cannot be "rtf"',
    'request.parts[].title does not exist',
    'answer.key does not exist',
  ]);
});
