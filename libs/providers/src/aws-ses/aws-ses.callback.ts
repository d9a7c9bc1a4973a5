import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { instantOf, objectBody, objectIn } from '../callback/bodies';
import type { ProviderEvent, VendorCallback } from '../callback/callback';
import { isSnsUrl, refusalOfSns } from '../callback/sns-envelope';
import { objectsIn } from '../vendor/objects-in';

/** Events of a configuration set, which a topic of SNS posts. */
export const awsSesCallback: VendorCallback = {
  methods: ['POST'],
  setup: `1. _Amazon SNS_, _Topics_, _Create topic_, type _Standard_; edit its attribute \`SignatureVersion\` to 2, and copy its
   ARN to \`sns_topic_arn\`.
2. _Amazon SES_, _Configuration sets_, a set, _Event destinations_, _Add destination_: the events of deliveries,
   bounces, complaints, opens and clicks, to the topic. Name the set in \`configuration_set\`.
3. _Amazon SNS_, _Subscriptions_, _Create subscription_: protocol _HTTPS_, the address as endpoint, _raw message
   delivery_ off. Tidings confirms it.`,
  settings: ['sns_topic_arn', 'sns_signature_version'],
  reports: ['DELIVERED', 'BOUNCED', 'FAILED', 'OPENED', 'CLICKED', 'COMPLAINED', 'UNSUBSCRIBED'],
  verify(request, { settings: { sns_topic_arn: topicArn, sns_signature_version: version = 2 }, ...proof }) {
    if (typeof topicArn !== 'string') return 'settings.sns_topic_arn is not set';
    return refusalOfSns(objectBody(request), { topicArn, versions: version === 1 ? ['1', '2'] : ['2'], ...proof });
  },
  parse(request, nowMs) {
    const { Type, MessageId, Message } = objectBody(request);
    if (Type !== 'Notification') return [];
    const event = eventIn(Message);
    const { mail: given } = event;
    const mail = objectIn(given);
    const common = { delivery: tagIn(mail.tags), reference: mail.messageId };
    return outcomesOf(event, nowMs).map((outcome, index) => ({ ...common, eventId: `${String(MessageId)} ${index}`, ...outcome }));
  },
  async answer(request, { get }) {
    const { Type, SubscribeURL } = objectBody(request);
    if (Type === 'SubscriptionConfirmation' && isSnsUrl(SubscribeURL)) await get(SubscribeURL);
    return undefined;
  },
};

/** The first message of a subscription is a plain text. */
function eventIn(message: unknown): JsonObject {
  try {
    return objectIn(JSON.parse(String(message)));
  } catch {
    return {};
  }
}

function tagIn(tags: unknown): unknown {
  const { tidings_delivery: values } = objectIn(tags);
  return Array.isArray(values) ? values[0] : undefined;
}

type OutcomeOfAddress = Omit<ProviderEvent, 'eventId' | 'delivery' | 'reference'>;

/** One for each address. */
function outcomesOf({ eventType, notificationType, ...event }: JsonObject, nowMs: number): OutcomeOfAddress[] {
  switch (eventType ?? notificationType) {
    case 'Delivery': {
      const { recipients, timestamp } = objectIn(event.delivery);
      const addresses: unknown[] = Array.isArray(recipients) ? recipients : [];
      return addresses.map((address) => ({ kind: 'DELIVERED', address, atMs: instantOf(timestamp, nowMs) }));
    }
    case 'Bounce': {
      const { bounceType, bounceSubType, bouncedRecipients, timestamp } = objectIn(event.bounce);
      const isHard = bounceType === 'Permanent' || bounceSubType === 'OnAccountSuppressionList' || bounceSubType === 'Suppressed';
      return objectsIn(bouncedRecipients).map(({ emailAddress: address, diagnosticCode: details, status: code }) => {
        return { kind: 'BOUNCED', reasonCode: isHard ? 'HARD' : 'SOFT', address, details, code, atMs: instantOf(timestamp, nowMs) };
      });
    }
    case 'Complaint': {
      const { complainedRecipients, complaintFeedbackType: code, timestamp } = objectIn(event.complaint);
      return objectsIn(complainedRecipients).map(({ emailAddress: address }) => {
        return { kind: 'COMPLAINED', address, code, atMs: instantOf(timestamp, nowMs) };
      });
    }
    case 'Reject':
      return [{ kind: 'FAILED', details: objectIn(event.reject).reason, atMs: nowMs }];
    case 'Open':
      return [{ kind: 'OPENED', atMs: instantOf(objectIn(event.open).timestamp, nowMs) }];
    case 'Click': {
      const { link: url, timestamp } = objectIn(event.click);
      return [{ kind: 'CLICKED', url, atMs: instantOf(timestamp, nowMs) }];
    }
    case 'Subscription': {
      const { newTopicPreferences, timestamp } = objectIn(event.subscription);
      const isLeft = objectIn(newTopicPreferences).unsubscribeAll === true;
      return isLeft ? [{ kind: 'UNSUBSCRIBED', atMs: instantOf(timestamp, nowMs) }] : [];
    }
    default:
      return [];
  }
}
