import { type ChannelAddress, type FoundSuppressions, isSuppression, routeAddresses } from '../suppressions/found-suppressions';
import type { FoundSuppression } from '../suppressions/suppression-store';
import type { LeasedDelivery } from './leased-delivery';

/** Every address that a delivery goes to, with those of copies. */
export function addressesOf({ recipient, rendered }: Pick<LeasedDelivery, 'recipient' | 'rendered'>): ChannelAddress[] {
  const { cc = [], bcc = [] } = rendered.kind === 'email' ? rendered.email : {};
  return [...routeAddresses(recipient), ...[...cc, ...bcc].map(copyOf)];
}

/** The delivery without suppressed push tokens and copies; the suppression where no address is left. */
export function withoutSuppressed(delivery: LeasedDelivery, found: FoundSuppressions): LeasedDelivery | FoundSuppression {
  const recipient = found.applyTo(delivery, delivery.recipient);
  if (isSuppression(recipient)) return recipient;
  const { rendered } = delivery;
  if (rendered.kind !== 'email') return recipient === delivery.recipient ? delivery : { ...delivery, recipient };
  const { cc, bcc } = rendered.email;
  const allowed = (texts?: readonly string[]) => texts?.filter((text) => !found.of(delivery, copyOf(text)));
  return cc || bcc
    ? { ...delivery, rendered: { ...rendered, email: { ...rendered.email, cc: allowed(cc), bcc: allowed(bcc) } } }
    : delivery;
}

const copyOf = (address: string): ChannelAddress => ({ channel: 'email', address });
