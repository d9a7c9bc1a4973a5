/** Channels of every configurable provider, by its key; in the order of the catalog. */
export const PROVIDER_CHANNELS = {
  smtp: ['email'],
  http: ['email', 'sms', 'push', 'direct_message', 'webhook'],
  webhook: ['webhook'],
  sendgrid: ['email'],
  postmark: ['email'],
  mailgun: ['email'],
  resend: ['email'],
  'aws-ses': ['email'],
  twilio: ['sms'],
  vonage: ['sms'],
  messagebird: ['sms'],
  'aws-sns': ['sms'],
  'firebase-fcm': ['push'],
  apn: ['push'],
  expo: ['push'],
  onesignal: ['push'],
  'web-push': ['push'],
  slack: ['direct_message'],
  discord: ['direct_message'],
  telegram: ['direct_message'],
  whatsapp: ['direct_message'],
  msteams: ['direct_message'],
  'teams-workflows': ['direct_message'],
  pagerduty: ['webhook'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Those that are no vendor: a send may name them in every workspace without a warning. */
export const GENERAL_PROVIDERS = ['smtp', 'http', 'webhook'] as const satisfies readonly (keyof typeof PROVIDER_CHANNELS)[];

/** Keys of the configurable providers of a channel. */
export function providersOn(channel: string): string[] {
  return Object.entries<readonly string[]>(PROVIDER_CHANNELS).flatMap(([key, channels]) => (channels.includes(channel) ? [key] : []));
}

/**
 * Provider names of clients for each channel, beside the configurable providers: content is written for them, and an operator
 * connects them through an endpoint of their own.
 */
export const VENDORS_ON = {
  email: ['gmail', 'mandrill', 'sparkpost', 'mailjet', 'mailersend'],
  sms: ['plivo', 'telnyx', 'sinch'],
  push: ['aws-sns', 'custom'],
  direct_message: [],
  webhook: ['opsgenie'],
  inbox: [],
  banner: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Further names of older clients; like `VENDORS_ON` they are accepted without a configuration. */
const OTHER_VENDORS =
  'airship africastalking azure-communication-services beamer braze chat-api clicksend courier customerio drift drip ' +
  'facebook-messenger fb-messenger gupshup infobip intercom iterable line magicbell mailtrap messagebird-sms messagemedia nexmo nowpush ' +
  'onesignal-email onesignal-push onesignal-sms outlook pushbullet pusher pusher-beams sendbird sendinblue smsapi smscentral sns ' +
  'splunk-on-call stream-chat streamchat sunshine-conversations textus twilio-whatsapp viber wonderpush';

/** Every provider that a client may name without a configuration. */
export const VENDORS: readonly string[] = [...Object.values(VENDORS_ON).flat(), ...OTHER_VENDORS.split(' ')];
