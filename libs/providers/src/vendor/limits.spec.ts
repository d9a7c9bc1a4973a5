import type { Rendered } from '../rendered';
import { problemOf, smsSize } from './limits';

it.each([
  ['', 'GSM-7', 0],
  ['a'.repeat(160), 'GSM-7', 1],
  ['a'.repeat(161), 'GSM-7', 2],
  ['a'.repeat(306), 'GSM-7', 2],
  ['a'.repeat(307), 'GSM-7', 3],
  ['€'.repeat(80), 'GSM-7', 1],
  ['€'.repeat(81), 'GSM-7', 2],
  // 152 septets and one of two: it does not fit into the first segment.
  [`${'a'.repeat(152)}€${'a'.repeat(10)}`, 'GSM-7', 2],
  ['ç'.repeat(70), 'UCS-2', 1],
  ['ç'.repeat(71), 'UCS-2', 2],
  ['😀'.repeat(35), 'UCS-2', 1],
  // 66 units and a pair, which is not divided.
  [`${'ç'.repeat(66)}😀${'ç'.repeat(66)}`, 'UCS-2', 3],
])('%j is sent in %s, in %i segments', (text, encoding, segments) => {
  expect(smsSize(text)).toEqual({ encoding, segments });
});

const EMAIL = { subject: 'Hi', text: 'Hello', cc: ['a@b.c, d@e.f', 'g@h.i'], bcc: ['j@k.l'] };
const attachments = [{ filename: 'ä.txt', contentType: 'text/plain', content: Buffer.alloc(10) }];

it.each<[Rendered, object, string | undefined]>([
  [{ kind: 'email', email: EMAIL }, { addresses: 5 }, undefined],
  [{ kind: 'email', email: EMAIL }, { addresses: 4 }, 'accepts 4 recipients of a mail, copies included, not 5'],
  [{ kind: 'email', email: { ...EMAIL, text: 'é' } }, { bodyBytes: 2 }, undefined],
  [{ kind: 'email', email: { ...EMAIL, text: 'a', html: 'éa' } }, { bodyBytes: 2 }, 'accepts 2 bytes of text or of HTML, not 3'],
  [{ kind: 'email', email: { ...EMAIL, attachments } }, { attachmentBytes: 10 }, undefined],
  [{ kind: 'email', email: { ...EMAIL, attachments } }, { attachmentBytes: 9 }, 'accepts 9 bytes of attachments, not 10'],
  [
    { kind: 'email', email: { ...EMAIL, attachments } },
    { asciiAttachmentNames: true },
    'accepts names of attachments in ASCII alone, not "ä.txt"',
  ],
  [{ kind: 'sms', sms: { text: 'ä€' } }, { textChars: 1 }, 'accepts texts of 1 characters, not 2 characters (1 segments of GSM-7)'],
  [{ kind: 'sms', sms: { text: 'ç'.repeat(71) } }, { segments: 1 }, 'accepts texts of 1 segments, not 71 characters (2 segments of UCS-2)'],
  [{ kind: 'direct_message', directMessage: { text: 'abc' } }, { textChars: 2 }, 'accepts texts of 2 characters, not 3'],
  [{ kind: 'push', push: { title: 'a', body: 'b', data: {} } }, {}, undefined],
])('of %#, what does not fit is named', (rendered, limits, problem) => {
  expect(problemOf(rendered, limits)).toBe(problem);
});
