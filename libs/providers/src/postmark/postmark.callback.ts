import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { instantOf, objectBody, objectIn } from '../callback/bodies';
import type { ProviderEvent, VendorCallback } from '../callback/callback';

const HARD = new Set<unknown>(['HardBounce', 'BadEmailAddress', 'ManuallyDeactivated', 'Unconfirmed']);
const SOFT = new Set<unknown>(['SoftBounce', 'Blocked', 'DMARCPolicy', 'VirusNotification', 'Unknown', 'SMTPApiError']);

/** The webhooks of a stream: one event in each request. It signs none, so the secret of the address is the proof. */
export const postmarkCallback: VendorCallback = {
  methods: ['POST'],
  setup: `_Servers_, the server, its stream, _Webhooks_, _Add webhook_: give it the address and choose the events _Delivery_,
_Bounce_, _Spam complaint_, _Open_, _Link click_ and _Subscription change_. Postmark signs nothing: the secret in
the address is what proves that an event is Postmark's.`,
  settings: [],
  reports: ['DELIVERED', 'BOUNCED', 'OPENED', 'CLICKED', 'COMPLAINED', 'UNSUBSCRIBED'],
  verify: () => undefined,
  parse(request, nowMs) {
    const event = objectBody(request);
    const outcome = outcomeOf(event);
    if (!outcome) return [];
    const { RecordType, MessageID, ID, Metadata, Recipient, Email, Description, Details, Type, OriginalLink } = event;
    const time = event.DeliveredAt ?? event.BouncedAt ?? event.ReceivedAt ?? event.ChangedAt;
    const common = {
      eventId: [RecordType, MessageID, ID ?? time].map(String).join(' '),
      atMs: instantOf(time, nowMs),
      delivery: objectIn(Metadata).tidings_delivery,
      reference: MessageID,
      address: Recipient ?? Email,
    };
    if (outcome.kind === 'CLICKED') return [{ ...common, url: OriginalLink, ...outcome }];
    return [{ ...common, details: Details || Description, code: Type, ...outcome }];
  },
};

function outcomeOf({
  RecordType,
  Type,
  SuppressSending,
  SuppressionReason,
}: JsonObject): Pick<ProviderEvent, 'kind' | 'reasonCode'> | undefined {
  switch (RecordType) {
    case 'Delivery':
      return { kind: 'DELIVERED' };
    case 'Bounce':
      if (HARD.has(Type)) return { kind: 'BOUNCED', reasonCode: 'HARD' };
      if (SOFT.has(Type)) return { kind: 'BOUNCED', reasonCode: 'SOFT' };
      if (Type === 'SpamNotification') return { kind: 'COMPLAINED' };
      return Type === 'Unsubscribe' ? { kind: 'UNSUBSCRIBED' } : undefined;
    case 'SpamComplaint':
      return { kind: 'COMPLAINED' };
    case 'Open':
      return { kind: 'OPENED' };
    case 'Click':
      return { kind: 'CLICKED' };
    case 'SubscriptionChange':
      // Those that follow from a bounce or a complaint are reported as such.
      return SuppressSending === true && SuppressionReason === 'ManualSuppression' ? { kind: 'UNSUBSCRIBED' } : undefined;
    default:
      return undefined;
  }
}
