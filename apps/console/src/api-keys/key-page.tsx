import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiKey } from '../api/types';
import { apiKeys as words } from '../screen-texts/api-keys';
import { texts } from '../texts';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Time } from '../ui/time';
import { KeyActions } from './key-actions';
import { endOf, KeyStatus, titleOf } from './key-table';
import { keyQuery, type Keys } from './queries';

const { facts, columns } = words;

interface KeyPageProps {
  keys: Keys;
  keyId: string;
  /** A link to the page of a key that replaces it. */
  link: (keyId: string) => ReactNode;
  /** A link to all keys. */
  toAll: ReactNode;
  /** Links beside the actions. */
  more?: ReactNode;
}

/** One API key: what it may do, when it was last used; rotate and revoke. */
export function KeyPage({ keys, keyId, link, toAll, more }: KeyPageProps) {
  const query = useQuery(keyQuery(keys, keyId));
  return (
    <>
      <Heading title={query.data ? titleOf(query.data) : keyId} />
      <Loaded query={query}>
        {(key) =>
          key ? (
            <>
              <KeyActions keys={keys} apiKey={key} link={link} more={more} />
              <Details apiKey={key} />
            </>
          ) : (
            <Empty title={words.unknown} hint={texts.problems.notFound}>
              {toAll}
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

function Details({ apiKey }: { apiKey: ApiKey }) {
  const { key_id: id, mode, status, scopes, recipients, rate_limit: rate } = apiKey;
  const time = (at: string | null | undefined) => at && <Time at={Date.parse(at)} />;
  return (
    <>
      <Facts
        facts={[
          [columns.status, <KeyStatus status={status} />],
          [columns.end, endOf(apiKey)],
          [columns.mode, words.modes[mode]],
          [columns.used, time(apiKey.last_used_at) ?? words.never],
          [columns.created, time(apiKey.created_at)],
          [facts.expires, time(apiKey.expires_at)],
          [facts.until, status === 'ending' && time(apiKey.valid_until)],
          [facts.revoked, time(apiKey.revoked_at)],
          [facts.rate, rate],
          [facts.id, id],
        ]}
      />
      <Section title={columns.scopes}>
        <ul>
          {scopes.map((scope) => (
            <li key={scope}>{scope === '*' ? words.everything : <code>{scope}</code>}</li>
          ))}
        </ul>
      </Section>
      {recipients && (
        <Section title={facts.recipients}>
          <ul>
            {recipients.map((recipient) => (
              <li key={recipient}>{recipient}</li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
