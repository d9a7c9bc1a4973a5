import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { parseMailboxes } from '@tidings/contracts/messaging/mailbox';
import { addresseeOf, type Verdict } from '../plan/decide';
import type { PipelineItem } from '../plan/plan';
import { configurationOf, overridesOf, type RoutingContext, settingsOfLeaf } from '../plan/routing-context';
import { type ChannelAddress, routeAddresses } from '../suppressions/found-suppressions';

type Decided = Pick<PipelineItem, 'request'> & { readonly context: RoutingContext; readonly verdict: Verdict };

/** Every address that a route of the message may be sent to, with those of copies; some may not be used. */
export function addressesToTry({ request, context, verdict }: Decided): ChannelAddress[] {
  if (verdict.kind !== 'routes') return [];
  const { profiles, tree } = verdict;
  const addressee = addresseeOf(request, context, profiles);
  const waiting = tree.leaves.filter((_leaf, number) => tree.states[number] === 'waiting');
  return waiting.flatMap((leaf) => {
    const recipient = configurationOf(leaf.integration, context)?.needs(addressee);
    if (!recipient) return [];
    const layers = leaf.channel === 'email' ? [context.template?.email, ...overridesOf(settingsOfLeaf(leaf, request, context))] : [];
    return [...routeAddresses(recipient), ...layers.filter(isJsonObject).flatMap(copiesIn)];
  });
}

/** The copies of an e-mail; texts that are no addresses fail later, when the e-mail is made. */
function copiesIn({ cc, bcc }: JsonObject) {
  const texts = [cc, bcc].flat().filter((text) => typeof text === 'string');
  const found = texts.map((text) => parseMailboxes(text)).flatMap((parsed) => ('wrong' in parsed ? [] : parsed));
  return found.map(({ address }) => ({ channel: 'email', address }));
}
