import { ABOUT_AWS, AWS_FIELDS, awsSigner, awsUrl, problemsOfAws } from '../aws/aws-account';
import { bounced, optedOut, type Outcome, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { withoutSeparators } from '../vendor/phone-number';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { SNS_OPERATIONS } from './aws-sns.operations';

const NAME = 'Amazon SNS';
const VERSION = '2010-03-31';

/** Codes of errors of a parameter; the words name it. */
const OF_PARAMETER = new Set(['InvalidParameter', 'InvalidParameterValue', 'ParameterValueInvalid']);
const THROTTLED = new Set(['Throttling', 'Throttled', 'ThrottlingException', 'KMSThrottling']);

/** SMS by Amazon Simple Notification Service, to phone numbers. */
export const awsSnsKind = defineVendor({
  key: 'aws-sns',
  channel: 'sms',
  title: NAME,
  description: 'Sends SMS through Amazon Simple Notification Service (SNS)',
  setup: `1. Leave the sandbox: AWS console, _Amazon SNS_, in your region, _Text messaging (SMS)_, _Exit SMS sandbox_. Before
   that it sends to verified numbers alone. Countries such as the United States need a number of your own.
2. Make a key: _IAM_, _Users_, a user with an access key and a policy that allows \`sns:Publish\`, and
   \`sns:GetSMSAttributes\` for the test of the credentials.

Numbers of recipients begin with a plus and the country code. A text has at most 1,600 characters; it is not shortened.
The message stays \`SENT\`: AWS writes receipts to CloudWatch alone.`,
  example: { access_key_id: 'AKIA…', secret_access_key: '…', region: 'eu-central-1', sender_id: 'Shop' },
  fields: {
    ...AWS_FIELDS,
    sms_type: { type: 'enum', required: false, values: ['Transactional', 'Promotional'] },
    sender_id: { type: 'string', required: false, lengthMax: 11 },
    max_price: { type: 'string', required: false, lengthMax: 16 },
  },
  about: {
    ...ABOUT_AWS,
    sms_type: 'how AWS routes the messages, default `Transactional`: reliably',
    sender_id: 'name of up to 11 letters and digits that is the sender, where the country allows it',
    max_price: 'price of a message in US dollars above which AWS does not send it, such as `0.50`',
  },
  overridable: ['sender_id', 'max_price'],
  check: ({ sender_id, max_price, ...account }) => [
    ...problemsOfAws(account),
    sender_id !== undefined && !/^[A-Za-z0-9-]{1,11}$/.test(sender_id) && ['sender_id', 'must be up to 11 letters, digits and hyphens'],
    max_price !== undefined && !/^\d+(\.\d+)?$/.test(max_price) && ['max_price', 'must be a price in US dollars, such as 0.50'],
  ],
  baseUrl: (account) => awsUrl('sns', account),
  operations: SNS_OPERATIONS,
  limits: { textChars: 1_600 },
  signer: (account, { now }) => awsSigner('sns', account, now),
  request({ rendered, recipient }, { sms_type = 'Transactional', sender_id, max_price }) {
    return {
      operation: SNS_OPERATIONS.send,
      body: {
        Action: 'Publish',
        Version: VERSION,
        PhoneNumber: withoutSeparators(recipient.phone_number),
        Message: rendered.sms.text,
        ...attributesOf([
          ['AWS.SNS.SMS.SMSType', 'String', sms_type],
          ['AWS.SNS.SMS.SenderID', 'String', sender_id],
          ['AWS.SNS.SMS.MaxPrice', 'Number', max_price],
        ]),
      },
    };
  },
  words(_json, body) {
    const [message, code] = [elementOf(body, 'Message'), elementOf(body, 'Code')];
    return code === undefined ? message : `${message ?? ''} (${code})`.trim();
  },
  read: (answer) => (isSuccess(answer) ? accepted(elementOf(answer.body, 'MessageId'), false) : failureOf(answer)),
  test: { request: () => ({ operation: SNS_OPERATIONS.attributes, body: { Action: 'GetSMSAttributes', Version: VERSION } }) },
});

function failureOf({ body, error, retryAfterMs }: VendorAnswer): Outcome | undefined {
  const code = elementOf(body, 'Code') ?? '';
  if (code === 'OptedOut' || /opted out/i.test(error)) return optedOut(error);
  if (OF_PARAMETER.has(code) && /PhoneNumber/.test(error)) return bounced(error, 'HARD');
  return THROTTLED.has(code) ? retry(error, { retryAfterMs, outage: true }) : undefined;
}

/** The fields of a form for the attributes that have a value, numbered. */
function attributesOf(attributes: readonly (readonly [name: string, type: string, value: string | undefined])[]) {
  const given = attributes.filter(([, , value]) => value !== undefined);
  return Object.fromEntries(
    given.flatMap(([name, type, value], index) => {
      const entry = `MessageAttributes.entry.${index + 1}`;
      return [
        [`${entry}.Name`, name],
        [`${entry}.Value.DataType`, type],
        [`${entry}.Value.StringValue`, value],
      ];
    }),
  ) as Record<string, string>;
}

/** The text of the first element with a name, of an answer in XML. */
function elementOf(xml: string, name: string) {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim();
}
