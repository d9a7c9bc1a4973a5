import type { VendorOperation } from '../vendor/operation';

const TEXT = { type: 'string', minLength: 1 };

const FAILURE = { type: 'object', properties: { ErrorCode: { type: 'integer' }, Message: { type: 'string' } } };

/** The operations of Postmark's interface that are called, with the token of a server. */
export const POSTMARK_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/email',
    request: {
      type: 'object',
      required: ['From', 'To', 'Subject', 'Metadata'],
      anyOf: [{ required: ['TextBody'] }, { required: ['HtmlBody'] }],
      additionalProperties: false,
      properties: {
        From: TEXT,
        To: TEXT,
        Cc: TEXT,
        Bcc: TEXT,
        ReplyTo: TEXT,
        Subject: { type: 'string' },
        TextBody: { type: 'string' },
        HtmlBody: { type: 'string' },
        Headers: {
          type: 'array',
          items: { type: 'object', required: ['Name', 'Value'], additionalProperties: false, properties: { Name: TEXT, Value: TEXT } },
        },
        Attachments: {
          type: 'array',
          items: {
            type: 'object',
            required: ['Name', 'Content', 'ContentType'],
            additionalProperties: false,
            properties: { Name: TEXT, Content: { type: 'string' }, ContentType: TEXT },
          },
        },
        Metadata: { type: 'object', propertyNames: { maxLength: 20 }, additionalProperties: { type: 'string', maxLength: 80 } },
        MessageStream: TEXT,
      },
    },
    answer: {
      type: 'object',
      required: ['ErrorCode', 'MessageID'],
      properties: { ErrorCode: { const: 0 }, Message: { type: 'string' }, MessageID: { type: 'string' } },
    },
    failure: FAILURE,
  },
  /** The server of the token. */
  server: {
    method: 'GET',
    path: '/server',
    answer: { type: 'object', required: ['ID'], properties: { ID: { type: 'integer' } } },
    failure: FAILURE,
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
