import { ABOUT_AWS, AWS_FIELDS, awsSigner, awsUrl, problemsOfAws } from '../aws/aws-account';
import { addressText } from '../header-text';
import { failed, type Outcome, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { ABOUT_FROM, FROM_FIELD, mailOf, problemOfAscii, problemOfFrom, type VendorMail } from '../vendor/mail';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { awsSesCallback } from './aws-ses.callback';
import { SES_OPERATIONS } from './aws-ses.operations';

const NAME = 'Amazon SES';
const REQUEST_BYTES_MAX = 40 * 1024 * 1024;
const HEADER_CHARS_MAX = 995;
/** Pause after the day's quota was used up: it is free again bit by bit. */
const DAILY_QUOTA_MS = 10 * 60_000;
/** The tag of each mail with its delivery, which reports about it repeat. */
const DELIVERY_TAG = 'tidings_delivery';

/** E-mail by Amazon Simple Email Service, version 2 of its interface. */
export const awsSesKind = defineVendor({
  key: 'aws-ses',
  channel: 'email',
  title: NAME,
  description: 'Sends e-mail through Amazon Simple Email Service (SES), version 2 of its interface',
  setup: `1. Verify the domain of your senders: AWS console, _Amazon SES_, in your region, _Identities_.
2. Leave the sandbox: _Account dashboard_, _Request production access_. Before that it sends 200 mails a day, to
   verified addresses alone.
3. Make a key: _IAM_, _Users_, a user with an access key and a policy that allows \`ses:SendEmail\`, and
   \`ses:GetAccount\` for the test of the credentials.

Each mail has the tag \`tidings_delivery\`: the id of its message and the number of its route.`,
  example: { access_key_id: 'AKIA…', secret_access_key: '…', region: 'eu-central-1', from_address: 'Example <news@example.com>' },
  fields: {
    ...AWS_FIELDS,
    ...FROM_FIELD,
    configuration_set: { type: 'string', required: false, lengthMax: 64 },
    sns_topic_arn: { type: 'string', required: false, lengthMax: 512 },
    sns_signature_version: { type: 'number', required: false, min: 1, max: 2 },
  },
  about: {
    ...ABOUT_AWS,
    from_address: ABOUT_FROM,
    configuration_set: 'configuration set that publishes events about the mails',
    sns_topic_arn: 'topic to which they are published',
    sns_signature_version: '1 accepts the older signature of topics as well; default 2',
  },
  callback: awsSesCallback,
  overridable: ['from_address', 'configuration_set'],
  check: ({ configuration_set, sns_topic_arn, ...given }) => [
    ...problemsOfAws(given),
    problemOfFrom(given),
    configuration_set !== undefined &&
      !/^[\w-]+$/.test(configuration_set) && ['configuration_set', 'must be letters, digits, hyphens and underscores'],
    sns_topic_arn !== undefined &&
      !/^arn:[\w-]+:sns:[\w-]+:\d+:[\w.-]+$/.test(sns_topic_arn) && ['sns_topic_arn', 'must be the ARN of a topic, as arn:aws:sns:…'],
  ],
  baseUrl: (account) => awsUrl('email', account),
  operations: SES_OPERATIONS,
  limits: { requestBytes: REQUEST_BYTES_MAX, addresses: 50 },
  signer: (account, { now }) => awsSigner('ses', account, now),
  request(message, { from_address, configuration_set }) {
    const mail = mailOf(message, from_address);
    if ('kind' in mail) return mail;
    const { from, to, replyTo, cc, bcc, subject, text, html, headers, attachments } = mail;
    const problem = problemOfAscii(mail, NAME);
    if (problem) return problem;
    return {
      operation: SES_OPERATIONS.send,
      body: {
        FromEmailAddress: addressText(from),
        Destination: {
          ToAddresses: [addressText(to)],
          ...(cc.length > 0 && { CcAddresses: cc.map(addressText) }),
          ...(bcc.length > 0 && { BccAddresses: bcc.map(addressText) }),
        },
        ...(replyTo.length > 0 && { ReplyToAddresses: replyTo.map(addressText) }),
        ConfigurationSetName: configuration_set,
        EmailTags: [{ Name: DELIVERY_TAG, Value: message.attempt.idempotencyKey.replace(/[^\w-]/g, '_') }],
        Content: {
          Simple: {
            Subject: contentOf(subject),
            Body: { ...(text !== undefined && { Text: contentOf(text) }), ...(html !== undefined && { Html: contentOf(html) }) },
            ...(Object.keys(headers).length > 0 && { Headers: Object.entries(headers).map(toHeader) }),
            ...(attachments.length > 0 && { Attachments: attachments.map(toAttachment) }),
          },
        },
      },
    };
  },
  words: ({ message, Message }) => message ?? Message,
  read: (answer) => (isSuccess(answer) ? accepted(answer.json.MessageId, false) : failureOf(answer)),
  test: {
    request: () => ({ operation: SES_OPERATIONS.account }),
    read: ({ json, status }) =>
      json.SendingEnabled === false ? { ok: false, message: `${NAME} has paused the sending of this account`, status } : undefined,
  },
});

/** The failure by the name of the error. */
function failureOf(answer: VendorAnswer): Outcome | undefined {
  const { error, retryAfterMs } = answer;
  switch (errorNameOf(answer)) {
    case 'TooManyRequestsException':
    case 'ThrottlingException':
    case 'Throttling':
      return retry(error, { retryAfterMs: retryAfterMs ?? (/daily/i.test(error) ? DAILY_QUOTA_MS : undefined), outage: true });
    case 'MessageRejected':
      return failed(error, /not verified/i.test(error) ? 'configuration' : 'permanent');
    case 'MailFromDomainNotVerifiedException':
    case 'AccountSuspendedException':
    case 'SendingPausedException':
    case 'LimitExceededException':
    case 'NotFoundException':
      return failed(error, 'configuration');
    default:
      return undefined;
  }
}

/** `MessageRejected`, …: in a header, or as the type of the body. */
function errorNameOf({ headers, json }: VendorAnswer) {
  const name = headers['x-amzn-errortype'] ?? json.__type;
  return typeof name === 'string' ? name.replace(/:.*$/s, '').replace(/^.*#/s, '') : undefined;
}

/** Of a value that is too long the first address, which is the page. */
function toHeader([name, value]: [string, string]) {
  return { Name: name, Value: value.length <= HEADER_CHARS_MAX ? value : value.split(', ')[0]! };
}

function toAttachment({ filename, contentType, content }: VendorMail['attachments'][number]) {
  return {
    FileName: filename,
    ContentType: contentType,
    ContentDisposition: 'ATTACHMENT',
    ContentTransferEncoding: 'BASE64',
    RawContent: content,
  };
}

const contentOf = (text: string) => ({ Data: text, Charset: 'UTF-8' });
