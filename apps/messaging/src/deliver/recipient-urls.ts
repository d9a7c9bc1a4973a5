import { suppressionAddress, type SuppressionChannel } from '@tidings/contracts/messaging/suppression-address';
import { addressesOf, type Recipient } from '@tidings/providers/recipient';
import type { RecipientLinks, RecipientUrls } from '@tidings/runtime/recipient-links';
import type { Prepared } from '../context/preparation';
import type { RoutingContext } from '../plan/routing-context';

/** Channels whose addresses fit into a link. */
const IN_LINKS: readonly SuppressionChannel[] = ['email', 'sms'];

/**
 * The links of a message to this recipient: they opt its user out of its topic; without user or topic they suppress the address. Undefined
 * where no links are made, or a link could change nothing.
 */
export function recipientUrls(
  links: RecipientLinks,
  { request, context, ts }: Pick<Prepared, 'request' | 'context' | 'ts'>,
  recipient: Recipient,
  brandId: string | null | undefined,
): RecipientUrls | undefined {
  if (links.missing !== undefined) return undefined;
  const { workspaceId, id: messageId, userId, tenantId } = request;
  const { channel } = recipient;
  const topicId = context.topic?.topic_id;
  const optsOut = userId !== undefined && topicId !== undefined;
  const [address] = optsOut ? [] : suppressible(recipient);
  if (userId === undefined && address === undefined) return undefined;
  return links.urlsOf({ workspaceId, messageId, channel, userId, tenantId, topicId, address, brandId }, ts);
}

/** The address, in its one spelling, where it can be suppressed. */
function suppressible(recipient: Recipient) {
  const channel = IN_LINKS.find((one) => one === recipient.channel);
  return channel ? addressesOf(recipient).flatMap((address) => suppressionAddress(channel, address) ?? []) : [];
}

/** The page of `List-Unsubscribe` of an e-mail whose topic requests the header, or a warning why it is sent without. */
export function listUnsubscribe(
  links: RecipientLinks,
  urls: RecipientUrls | undefined,
  context: RoutingContext,
): { page?: string; warning?: string } {
  const { topic } = context;
  if (!topic?.include_unsubscribe_header) return {};
  const insecure = links.areSecure ? undefined : 'TIDINGS_PUBLIC_URL is not https';
  const cause = isRequired(context) ? 'the topic is REQUIRED' : (links.missing ?? insecure);
  if (cause === undefined) return { page: urls?.unsubscribe };
  const name = JSON.stringify(topic.name);
  return { warning: `The topic ${name} requests include_unsubscribe_header: the e-mail is sent without List-Unsubscribe, as ${cause}` };
}

/** Whether the default of the topic, or that of the nearest tenant, forbids opting out: of a user, or of an address, which a link would suppress. */
function isRequired({ topic, tenant }: RoutingContext) {
  const ofTenant = tenant?.defaults.find(({ topic_id }) => topic_id === topic?.topic_id);
  return topic?.default_status === 'REQUIRED' || ofTenant?.status === 'REQUIRED';
}
