import type { VendorOperation } from '../vendor/operation';

const TEXT = { type: 'string', minLength: 1 } as const;
const ADDRESSES = { type: 'array', items: TEXT } as const;
const CONTENT = {
  type: 'object',
  required: ['Data', 'Charset'],
  additionalProperties: false,
  properties: { Data: { type: 'string' }, Charset: { const: 'UTF-8' } },
} as const;

const FAILURE = {
  type: 'object',
  properties: { message: { type: 'string' }, Message: { type: 'string' }, __type: { type: 'string' } },
} as const;

/** The operations of Amazon SES that are called. */
export const SES_OPERATIONS = {
  /** Sends one mail, which Amazon SES composes. */
  send: {
    method: 'POST',
    path: '/v2/email/outbound-emails',
    request: {
      type: 'object',
      required: ['FromEmailAddress', 'Destination', 'Content'],
      additionalProperties: false,
      properties: {
        FromEmailAddress: TEXT,
        Destination: {
          type: 'object',
          required: ['ToAddresses'],
          additionalProperties: false,
          properties: { ToAddresses: ADDRESSES, CcAddresses: ADDRESSES, BccAddresses: ADDRESSES },
        },
        ReplyToAddresses: ADDRESSES,
        ConfigurationSetName: TEXT,
        EmailTags: {
          type: 'array',
          items: {
            type: 'object',
            required: ['Name', 'Value'],
            additionalProperties: false,
            properties: { Name: TEXT, Value: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,256}$' } },
          },
        },
        Content: {
          type: 'object',
          required: ['Simple'],
          additionalProperties: false,
          properties: {
            Simple: {
              type: 'object',
              required: ['Subject', 'Body'],
              additionalProperties: false,
              properties: {
                Subject: CONTENT,
                Body: { type: 'object', minProperties: 1, additionalProperties: false, properties: { Text: CONTENT, Html: CONTENT } },
                Headers: {
                  type: 'array',
                  maxItems: 15,
                  items: {
                    type: 'object',
                    required: ['Name', 'Value'],
                    additionalProperties: false,
                    properties: {
                      Name: { type: 'string', pattern: '^[!-9;-@A-~]{1,126}$' },
                      Value: { type: 'string', pattern: '^[ -~]{1,995}$' },
                    },
                  },
                },
                Attachments: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['FileName', 'RawContent'],
                    additionalProperties: false,
                    properties: {
                      FileName: { ...TEXT, maxLength: 255 },
                      RawContent: { type: 'string' },
                      ContentType: { ...TEXT, maxLength: 78 },
                      ContentDisposition: { const: 'ATTACHMENT' },
                      ContentTransferEncoding: { const: 'BASE64' },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    answer: { type: 'object', required: ['MessageId'], properties: { MessageId: TEXT } },
    failure: FAILURE,
    described: 'aws/sesv2.service-2.json#/operations/SendEmail',
  },
  /** What the account may send; proves the credentials. */
  account: {
    method: 'GET',
    path: '/v2/email/account',
    answer: { type: 'object', properties: { SendingEnabled: { type: 'boolean' } } },
    failure: FAILURE,
    described: 'aws/sesv2.service-2.json#/operations/GetAccount',
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
