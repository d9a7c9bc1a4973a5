import { useQuery } from '@tanstack/react-query';
import type { components } from '../api/schema';
import { user as words } from '../screen-texts/user';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Status } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { userPath } from './paths';
import { tokensQuery } from './queries';

type Token = components['schemas']['UserToken'];
const { tokenColumns: headers } = words;

const COLUMNS: readonly Column<Token>[] = [
  { header: headers.token, cell: ({ token }) => <code>{token}</code> },
  { header: headers.provider, cell: ({ provider_key: provider }) => provider },
  {
    header: headers.status,
    cell: ({ status, status_reason: reason }) => (
      <>
        <Status value={status} /> {reason}
      </>
    ),
  },
  { header: headers.device, cell: ({ device }) => [device?.manufacturer, device?.model, device?.platform].filter(Boolean).join(' ') },
  {
    header: headers.expires,
    cell: ({ expiry_date: date }) => (typeof date === 'string' ? <Time at={Date.parse(date)} /> : words.never),
  },
];

/** The push tokens of a user. */
export function TokensView({ userId }: { userId: string }) {
  const query = useQuery(tokensQuery(userId));
  const command = curl('PUT', `${userPath(userId)}/tokens/TOKEN`, { provider_key: 'firebase-fcm' });
  return (
    <Loaded query={query}>
      {({ tokens }) =>
        tokens.length > 0 ? (
          <Table name={words.tabs.tokens} columns={COLUMNS} rows={tokens} keyOf={({ token }) => token} />
        ) : (
          <Empty title={words.noTokens} hint={words.noTokensHint} command={command} />
        )
      }
    </Loaded>
  );
}
