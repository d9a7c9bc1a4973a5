/** Channels of every configurable provider, by its key; in the order of the catalog. */
export const PROVIDER_CHANNELS = {
  smtp: ['email'],
  http: ['email', 'sms', 'push', 'direct_message', 'webhook'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Keys of the configurable providers of a channel. */
export function providersOn(channel: string): string[] {
  return Object.entries<readonly string[]>(PROVIDER_CHANNELS).flatMap(([key, channels]) => (channels.includes(channel) ? [key] : []));
}

/**
 * Provider names of clients for each channel, beside the configurable providers: content is written for them, and an operator
 * connects them through an endpoint of their own.
 */
export const VENDORS_ON = {
  email: ['sendgrid', 'aws-ses', 'mailgun', 'postmark', 'resend', 'gmail', 'mandrill', 'sparkpost', 'mailjet', 'mailersend'],
  sms: ['twilio', 'vonage', 'messagebird', 'aws-sns', 'plivo', 'telnyx', 'sinch'],
  push: ['apn', 'firebase-fcm', 'expo', 'onesignal', 'aws-sns', 'custom'],
  direct_message: ['slack', 'msteams', 'discord', 'whatsapp'],
  webhook: ['pagerduty', 'opsgenie'],
  inbox: [],
  banner: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Further names of older clients; like `VENDORS_ON` they are accepted without a configuration. */
const OTHER_VENDORS =
  'airship africastalking azure-communication-services beamer braze chat-api clicksend courier customerio drift drip ' +
  'facebook-messenger fb-messenger gupshup infobip intercom iterable line magicbell mailtrap messagebird-sms messagemedia nexmo nowpush ' +
  'onesignal-email onesignal-push onesignal-sms outlook pushbullet pusher pusher-beams sendbird sendinblue smsapi smscentral sns ' +
  'splunk-on-call stream-chat streamchat sunshine-conversations telegram textus twilio-whatsapp viber wonderpush';

/** Every provider that a client may name without a configuration. */
export const VENDORS: readonly string[] = [...Object.values(VENDORS_ON).flat(), ...OTHER_VENDORS.split(' ')];
