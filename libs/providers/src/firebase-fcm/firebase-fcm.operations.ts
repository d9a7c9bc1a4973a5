import type { VendorOperation } from '../vendor/operation';

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'object', additionalProperties: TEXT } as const;

/** The operations of Firebase Cloud Messaging that are called. */
export const FCM_OPERATIONS = {
  /** Sends one message to one device, or only validates it. */
  send: {
    method: 'POST',
    path: '/v1/projects/{project}/messages:send',
    request: {
      type: 'object',
      required: ['message'],
      additionalProperties: false,
      properties: {
        validateOnly: { type: 'boolean' },
        message: {
          type: 'object',
          oneOf: [{ required: ['token'] }, { required: ['topic'] }],
          additionalProperties: false,
          properties: {
            token: TEXT,
            topic: TEXT,
            data: TEXTS,
            notification: { type: 'object', additionalProperties: false, properties: { title: TEXT, body: TEXT, image: TEXT } },
            android: { type: 'object' },
            apns: { type: 'object' },
            webpush: { type: 'object' },
            fcmOptions: { type: 'object' },
          },
        },
      },
    },
    answer: { type: 'object', required: ['name'], properties: { name: TEXT } },
    failure: {
      type: 'object',
      properties: {
        error: {
          type: 'object',
          properties: {
            message: TEXT,
            details: { type: 'array', items: { type: 'object', properties: { errorCode: TEXT, fieldViolations: { type: 'array' } } } },
          },
        },
      },
    },
    described: 'fcm/fcm.v1.json#/resources/projects/resources/messages/methods/send',
  },
  /** Exchanges an assertion of the service account for an access token (RFC 7523), at the address that its key names. */
  token: {
    method: 'POST',
    path: '/token',
    encoding: 'form',
    request: {
      type: 'object',
      required: ['grant_type', 'assertion'],
      additionalProperties: false,
      properties: {
        grant_type: { const: 'urn:ietf:params:oauth:grant-type:jwt-bearer' },
        assertion: { type: 'string', pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' },
      },
    },
    answer: { type: 'object', required: ['access_token'], properties: { access_token: TEXT, expires_in: { type: 'integer' } } },
    failure: { type: 'object', properties: { error: TEXT, error_description: TEXT } },
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
