import { getRouteApi, Link } from '@tanstack/react-router';
import { apiKeys as words } from '../screen-texts/api-keys';
import { texts } from '../texts';
import { KeyPage } from './key-page';
import { ownKeys } from './queries';

const route = getRouteApi('/api-keys/$keyId');

/** An API key of the workspace. */
export function ApiKeyScreen() {
  const { keyId } = route.useParams();
  return (
    <KeyPage
      key={keyId}
      keys={ownKeys}
      keyId={keyId}
      link={(made) => (
        <Link to="/api-keys/$keyId" params={{ keyId: made }}>
          {words.toMade}
        </Link>
      )}
      toAll={
        <Link to="/api-keys" className="button">
          {texts.screens.apiKeys}
        </Link>
      }
      more={
        <>
          <Link to="/audit-log" search={{ actor: keyId }} className="button">
            {words.did}
          </Link>
          <Link to="/audit-log" search={{ target: keyId }} className="button">
            {words.changes}
          </Link>
        </>
      }
    />
  );
}
