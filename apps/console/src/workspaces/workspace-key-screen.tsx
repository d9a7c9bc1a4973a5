import { getRouteApi, Link } from '@tanstack/react-router';
import { KeyPage } from '../api-keys/key-page';
import { keysOf } from '../api-keys/queries';
import { apiKeys } from '../screen-texts/api-keys';
import { workspaces as words } from '../screen-texts/workspaces';
import { OperatorsOnly } from '../shell/operators-only';
import { texts } from '../texts';

const route = getRouteApi('/workspaces/$workspaceId/keys/$keyId');

/** An API key of a workspace, for operators. */
export function WorkspaceKeyScreen() {
  const { workspaceId, keyId } = route.useParams();
  const toWorkspace = (
    <Link to="/workspaces/$workspaceId" params={{ workspaceId }} className="button">
      {words.columns.name}
    </Link>
  );
  return (
    <OperatorsOnly title={texts.screens.workspaces} words={words} command="tidings keys list">
      <KeyPage
        key={keyId}
        keys={keysOf(workspaceId)}
        keyId={keyId}
        link={(made) => (
          <Link to="/workspaces/$workspaceId/keys/$keyId" params={{ workspaceId, keyId: made }}>
            {apiKeys.toMade}
          </Link>
        )}
        toAll={toWorkspace}
        more={toWorkspace}
      />
    </OperatorsOnly>
  );
}
