import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { parseSearch, writeSearch } from '../search-params';
import { NotFound } from '../shell/not-found';
import { texts } from '../texts';
import { Problem } from '../ui/problem';
import { DocsShell } from './docs-shell';
import { referenceRoutes } from './routes';

const IN_CONSOLE = '/api-reference';
const ALONE = '/docs';

const root = createRootRoute({ component: DocsShell, notFoundComponent: NotFound });
const routes = [
  createRoute({ getParentRoute: () => root, ...referenceRoutes.operations }),
  createRoute({ getParentRoute: () => root, ...referenceRoutes.operation }),
  createRoute({ getParentRoute: () => root, ...referenceRoutes.topics }),
  createRoute({ getParentRoute: () => root, ...referenceRoutes.topic }),
];

/** The reference alone, at `/docs` and below: its pages are those of the console, with other addresses. */
export function createDocsRouter() {
  return createRouter({
    routeTree: root.addChildren(routes),
    rewrite: {
      input: ({ url }) => moved(url, ALONE, IN_CONSOLE),
      output: ({ url }) => moved(url, IN_CONSOLE, ALONE),
    },
    parseSearch,
    stringifySearch: writeSearch,
    defaultPreload: 'intent',
    defaultErrorComponent: ({ error }) => <Problem error={error} title={texts.problems.broken} onRetry={() => location.reload()} />,
    scrollRestoration: true,
  });
}

function moved(url: URL, from: string, to: string): URL {
  if (url.pathname === from || url.pathname.startsWith(`${from}/`)) url.pathname = to + url.pathname.slice(from.length);
  return url;
}
