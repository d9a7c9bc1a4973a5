import { APN } from '../apn/apn.fixture';
import { AWS_SES } from '../aws-ses/aws-ses.fixture';
import { AWS_SNS } from '../aws-sns/aws-sns.fixture';
import { DISCORD } from '../discord/discord.fixture';
import { EXPO } from '../expo/expo.fixture';
import { FCM } from '../firebase-fcm/firebase-fcm.fixture';
import { MAILGUN } from '../mailgun/mailgun.fixture';
import { MESSAGEBIRD } from '../messagebird/messagebird.fixture';
import { MSTEAMS } from '../msteams/msteams.fixture';
import { ONESIGNAL } from '../onesignal/onesignal.fixture';
import { PAGERDUTY } from '../pagerduty/pagerduty.fixture';
import { POSTMARK } from '../postmark/postmark.fixture';
import { RESEND } from '../resend/resend.fixture';
import { SENDGRID } from '../sendgrid/sendgrid.fixture';
import { SLACK } from '../slack/slack.fixture';
import { TEAMS_WORKFLOWS } from '../teams-workflows/teams-workflows.fixture';
import { TELEGRAM } from '../telegram/telegram.fixture';
import { TWILIO } from '../twilio/twilio.fixture';
import { VONAGE } from '../vonage/vonage.fixture';
import { WEB_PUSH } from '../web-push/web-push.fixture';
import { WHATSAPP } from '../whatsapp/whatsapp.fixture';
import type { VendorMatrix } from './matrix.fixture';

/** One of each vendor. */
export const MATRICES: readonly VendorMatrix[] = [
  ...[SENDGRID, POSTMARK, MAILGUN, RESEND, AWS_SES],
  ...[TWILIO, VONAGE, MESSAGEBIRD, AWS_SNS],
  ...[FCM, APN, EXPO, ONESIGNAL, WEB_PUSH],
  ...[SLACK, DISCORD, TELEGRAM, WHATSAPP, MSTEAMS, TEAMS_WORKFLOWS],
  PAGERDUTY,
];
