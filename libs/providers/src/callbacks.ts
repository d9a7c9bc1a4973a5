import { awsSesCallback } from './aws-ses/aws-ses.callback';
import type { VendorCallback } from './callback/callback';
import { mailgunCallback } from './mailgun/mailgun.callback';
import { messagebirdCallback } from './messagebird/messagebird.callback';
import { postmarkCallback } from './postmark/postmark.callback';
import { resendCallback } from './resend/resend.callback';
import { sendgridCallback } from './sendgrid/sendgrid.callback';
import { twilioCallback } from './twilio/twilio.callback';
import { vonageCallback } from './vonage/vonage.callback';
import { whatsappCallback } from './whatsapp/whatsapp.callback';

/** By the keys of their kinds. Apart from `kinds.ts`, so that a gateway loads no provider. */
const CALLBACKS: Readonly<Record<string, VendorCallback>> = {
  'aws-ses': awsSesCallback,
  mailgun: mailgunCallback,
  messagebird: messagebirdCallback,
  postmark: postmarkCallback,
  resend: resendCallback,
  sendgrid: sendgridCallback,
  twilio: twilioCallback,
  vonage: vonageCallback,
  whatsapp: whatsappCallback,
};

/** How a kind reports what became of messages; undefined for one that reports nothing. */
export function callbackOf(kind: string): VendorCallback | undefined {
  return Object.hasOwn(CALLBACKS, kind) ? CALLBACKS[kind] : undefined;
}

/** Keys of the kinds that report. */
export const CALLBACK_KINDS = Object.keys(CALLBACKS);
