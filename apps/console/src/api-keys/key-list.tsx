import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { apiKeys as words } from '../screen-texts/api-keys';
import { Action, ActionBar } from '../ui/action';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { useKeyAccess } from './key-access';
import { KeyTable } from './key-table';
import { MakeKeyDialog } from './make-key-dialog';
import { type Keys, keysQuery } from './queries';

interface KeyListProps {
  keys: Keys;
  cursor?: string;
  /** The request that makes a key, for an empty list. */
  command: string;
  /** A link to the page of a key. */
  link: (keyId: string, title: string) => ReactNode;
}

/** The keys of a workspace, the newest first, and a new one. */
export function KeyList({ keys, cursor, command, link }: KeyListProps) {
  const [isMaking, setIsMaking] = useState(false);
  const { missing } = useKeyAccess();
  const query = useQuery(keysQuery(keys, cursor));
  return (
    <>
      <ActionBar>
        <Action name={words.make} missing={missing} onPress={() => setIsMaking(true)} />
      </ActionBar>
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <KeyTable keys={results} link={({ key_id: id }, title) => link(id, title)} />
            ) : (
              <Empty title={words.none} hint={words.noneHint} command={command} />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
      {isMaking && <MakeKeyDialog keys={keys} link={(keyId) => link(keyId, words.toMade)} onClose={() => setIsMaking(false)} />}
    </>
  );
}
