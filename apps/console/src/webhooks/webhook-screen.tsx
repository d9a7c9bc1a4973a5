import { useIsMutating, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Webhook } from '../api/types';
import { webhooks as words } from '../screen-texts/webhooks';
import { texts } from '../texts';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Time } from '../ui/time';
import { Deliveries } from './deliveries';
import { removalKey, webhooksQuery } from './queries';
import { WebhookActions } from './webhook-actions';
import { WebhookState } from './webhook-state';

const route = getRouteApi('/webhooks/$id');
const { columns, facts } = words;

/** One webhook: whether events reach its receiver, and what became of each. */
export function WebhookScreen() {
  const { id } = route.useParams();
  const query = useQuery(webhooksQuery);
  const found = query.data?.find((one) => one.id === id);
  return (
    <>
      <Heading title={found?.url ?? id} />
      <Loaded query={query}>{() => (found ? <Details key={id} webhook={found} /> : <Unknown />)}</Loaded>
    </>
  );
}

function Unknown() {
  return (
    <Empty title={words.unknown} hint={texts.problems.notFound}>
      <Link to="/webhooks" className="button">
        {texts.screens.webhooks}
      </Link>
    </Empty>
  );
}

function Details({ webhook }: { webhook: Webhook }) {
  const { id, description, event_types: types, state_reason: reason, created, updated } = webhook;
  const search = route.useSearch();
  const isRemoving = useIsMutating({ mutationKey: removalKey(id) }) > 0;
  return (
    <>
      <WebhookActions webhook={webhook} />
      <Facts
        facts={[
          [columns.state, <WebhookState webhook={webhook} />],
          [facts.reason, reason],
          [columns.description, description],
          [columns.events, types.join(', ')],
          [columns.created, <Time at={created} />],
          [facts.changed, updated && <Time at={updated} />],
          [facts.id, id],
        ]}
      />
      {!isRemoving && <Deliveries id={id} {...search} />}
    </>
  );
}
