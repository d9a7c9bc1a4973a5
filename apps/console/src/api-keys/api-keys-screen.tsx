import { getRouteApi, Link } from '@tanstack/react-router';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Heading } from '../ui/heading';
import { KeyList } from './key-list';
import { ownKeys } from './queries';

const route = getRouteApi('/api-keys');

/** The API keys of the workspace. */
export function ApiKeysScreen() {
  const { cursor } = route.useSearch();
  return (
    <>
      <Heading title={texts.screens.apiKeys} />
      <KeyList
        keys={ownKeys}
        cursor={cursor}
        command={curl('POST', '/console/api/keys', { mode: 'production', name: 'Shop backend', scopes: ['write:send'] })}
        link={(keyId, title) => (
          <Link to="/api-keys/$keyId" params={{ keyId }}>
            {title}
          </Link>
        )}
      />
    </>
  );
}
