import { apnKind } from './apn/apn';
import { awsSesKind } from './aws-ses/aws-ses';
import { awsSnsKind } from './aws-sns/aws-sns';
import { discordKind } from './discord/discord';
import { expoKind } from './expo/expo';
import { firebaseFcmKind } from './firebase-fcm/firebase-fcm';
import { httpKind } from './http/http-kind';
import { mailgunKind } from './mailgun/mailgun';
import { messagebirdKind } from './messagebird/messagebird';
import { msteamsKind } from './msteams/msteams';
import { onesignalKind } from './onesignal/onesignal';
import { pagerdutyKind } from './pagerduty/pagerduty';
import { postmarkKind } from './postmark/postmark';
import type { ProviderKind } from './provider-kind';
import { resendKind } from './resend/resend';
import { sendgridKind } from './sendgrid/sendgrid';
import { slackKind } from './slack/slack';
import { smtpKind } from './smtp/smtp-kind';
import { teamsWorkflowsKind } from './teams-workflows/teams-workflows';
import { telegramKind } from './telegram/telegram';
import { twilioKind } from './twilio/twilio';
import type { VendorKind } from './vendor/vendor';
import { vonageKind } from './vonage/vonage';
import { webPushKind } from './web-push/web-push';
import { webhookKind } from './webhook/webhook';
import { whatsappKind } from './whatsapp/whatsapp';

/** The vendors, in the order of the catalog. */
export const VENDOR_KINDS: readonly VendorKind[] = [
  ...[sendgridKind, postmarkKind, mailgunKind, resendKind, awsSesKind],
  ...[twilioKind, vonageKind, messagebirdKind, awsSnsKind],
  ...[firebaseFcmKind, apnKind, expoKind, onesignalKind, webPushKind],
  ...[slackKind, discordKind, telegramKind, whatsappKind, msteamsKind, teamsWorkflowsKind],
  pagerdutyKind,
];

/** All kinds of providers, in the order of the catalog. */
export const PROVIDER_KINDS: readonly ProviderKind[] = [smtpKind, httpKind, webhookKind, ...VENDOR_KINDS];

/** The kind of a key, or undefined. */
export function kindOf(key: string): ProviderKind | undefined {
  return PROVIDER_KINDS.find((kind) => kind.key === key);
}
