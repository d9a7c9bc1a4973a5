import type { JsonSchema, VendorOperation } from '../vendor/operation';

const TEXT = { type: 'string', minLength: 1 };
const VERSION = { const: '2010-03-31' };

/** The attributes of a message: name, type and value of each. */
const ATTRIBUTES = Object.fromEntries(
  [1, 2, 3].flatMap((number): [name: string, schema: JsonSchema][] => [
    [`MessageAttributes.entry.${number}.Name`, { enum: ['AWS.SNS.SMS.SMSType', 'AWS.SNS.SMS.SenderID', 'AWS.SNS.SMS.MaxPrice'] }],
    [`MessageAttributes.entry.${number}.Value.DataType`, { enum: ['String', 'Number'] }],
    [`MessageAttributes.entry.${number}.Value.StringValue`, TEXT],
  ]),
);

/** The operations of Amazon SNS that are called: forms, answered in XML. */
export const SNS_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/',
    encoding: 'form',
    request: {
      type: 'object',
      required: ['Action', 'Version', 'PhoneNumber', 'Message', 'MessageAttributes.entry.1.Name'],
      additionalProperties: false,
      properties: {
        Action: { const: 'Publish' },
        Version: VERSION,
        PhoneNumber: { type: 'string', pattern: '^\\+?[0-9]{5,15}$' },
        Message: { type: 'string', minLength: 1, maxLength: 1_600 },
        ...ATTRIBUTES,
      },
    },
    answer: { type: 'object', properties: { MessageId: { type: 'string' } } },
    described: 'aws/sns.service-2.json#/operations/Publish',
  },
  /** The settings of the account for SMS. */
  attributes: {
    method: 'POST',
    path: '/',
    encoding: 'form',
    request: {
      type: 'object',
      required: ['Action', 'Version'],
      additionalProperties: false,
      properties: { Action: { const: 'GetSMSAttributes' }, Version: VERSION },
    },
    described: 'aws/sns.service-2.json#/operations/GetSMSAttributes',
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
