import type { Suppression } from '../api/types';
import { suppressions as words } from '../screen-texts/suppressions';
import { Badge } from '../ui/status';

/** Reasons for which sending again does harm. */
const STRONG: readonly Suppression['reason'][] = ['hard_bounce', 'complaint'];

export const isStrong = ({ reason }: Suppression): boolean => STRONG.includes(reason);

/** Why an address is suppressed, as written in the interface. */
export function ReasonBadge({ suppression }: { suppression: Suppression }) {
  const { reason } = suppression;
  return (
    <Badge tone={isStrong(suppression) ? 'bad' : 'neutral'} hint={words.reasonHints[reason]}>
      {words.reasons[reason]}
    </Badge>
  );
}

/** Where a suppression comes from: a client, an import, a link, or the provider that reported it. */
export const sourceText = ({ source }: Suppression): string => words.sources[source] ?? source;
