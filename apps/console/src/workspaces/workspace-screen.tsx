import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { KeyList } from '../api-keys/key-list';
import { keysOf } from '../api-keys/queries';
import type { Workspace } from '../api/types';
import { workspaces as words } from '../screen-texts/workspaces';
import { OperatorsOnly } from '../shell/operators-only';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Time } from '../ui/time';
import { LimitsForm } from './limits-form';
import { workspaceQuery } from './queries';
import { SendersForm } from './senders-form';

const route = getRouteApi('/workspaces/$workspaceId');
const { columns } = words;

/** One workspace, for operators: its keys, its limits and its sender domains. */
export function WorkspaceScreen() {
  const { workspaceId } = route.useParams();
  return (
    <OperatorsOnly title={texts.screens.workspaces} words={words} command="tidings workspaces list">
      <Found key={workspaceId} id={workspaceId} />
    </OperatorsOnly>
  );
}

function Found({ id }: { id: string }) {
  const query = useQuery(workspaceQuery(id));
  return (
    <>
      <Heading title={query.data?.name ?? id} />
      <Loaded query={query}>
        {(workspace) =>
          workspace ? (
            <Details workspace={workspace} />
          ) : (
            <Empty title={words.unknown}>
              <Link to="/workspaces" className="button">
                {texts.screens.workspaces}
              </Link>
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

function Details({ workspace }: { workspace: Workspace }) {
  const { workspace_id: id, account_email: email, created_at: created } = workspace;
  const { cursor } = route.useSearch();
  return (
    <>
      <Facts
        facts={[
          [columns.email, email],
          [columns.created, <Time at={Date.parse(created)} />],
          [columns.id, id],
        ]}
      />
      <Section title={texts.screens.apiKeys}>
        <KeyList
          keys={keysOf(id)}
          cursor={cursor}
          command={curl('POST', `/admin/workspaces/${id}/keys`, { mode: 'production', name: 'Shop backend' }, 'TIDINGS_ADMIN_KEY')}
          link={(keyId, title) => (
            <Link to="/workspaces/$workspaceId/keys/$keyId" params={{ workspaceId: id, keyId }}>
              {title}
            </Link>
          )}
        />
      </Section>
      <LimitsForm id={id} />
      <SendersForm id={id} />
    </>
  );
}
