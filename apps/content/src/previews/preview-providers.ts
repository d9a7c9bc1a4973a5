import type { PreviewChannel } from '@tidings/contracts/content/previews';
import { ServiceError } from '@tidings/contracts/core/errors';
import { providersOn } from '@tidings/contracts/messaging/provider-names';

/**
 * Providers that content is written for, in elements that name them, beside those that can be configured: of those an operator reaches
 * by an endpoint of their own.
 */
const ALSO_NAMED: Readonly<Record<PreviewChannel, readonly string[]>> = {
  email: ['sendgrid', 'aws-ses', 'mailgun', 'postmark', 'resend', 'gmail', 'mandrill', 'sparkpost', 'mailjet', 'mailersend'],
  sms: ['twilio', 'vonage', 'messagebird', 'aws-sns', 'plivo', 'telnyx', 'sinch'],
  push: ['apn', 'firebase-fcm', 'expo', 'onesignal', 'aws-sns', 'custom'],
  direct_message: ['slack', 'msteams', 'discord', 'whatsapp'],
  webhook: ['pagerduty', 'opsgenie'],
  inbox: [],
  banner: [],
};

/** @throws ServiceError `invalid_request` for a provider that is not one of the channel. */
export function assertProviderOf(channel: PreviewChannel, provider: string): void {
  const known = [...providersOn(channel), ...ALSO_NAMED[channel]];
  if (known.includes(provider) || provider === channel) return;
  const choice = known.length > 0 ? `one of ${known.join(', ')}` : `left out, as ${channel} has none`;
  throw new ServiceError('invalid_request', `provider must be ${choice} where channel is ${channel} (got ${JSON.stringify(provider)})`);
}
