import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { referenceRoutes } from './api-reference/routes';
import { messagesSearch } from './messages/message-filter';
import { parseSearch, textFields, writeSearch } from './search-params';
import { NotFound } from './shell/not-found';
import { Shell } from './shell/shell';
import { texts } from './texts';
import { Problem } from './ui/problem';

/** What every page knows: why the code of the address signed no one in. */
interface Context {
  refusal: string | undefined;
}

const root = createRootRouteWithContext<Context>()({ component: Shell, notFoundComponent: NotFound });
const under = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path });

const home = createRoute({
  ...under('/'),
  beforeLoad: () => {
    throw redirect({ to: '/overview', replace: true });
  },
});
const overview = createRoute({
  ...under('/overview'),
  validateSearch: textFields('range'),
  component: lazyRouteComponent(() => import('./overview/overview-screen'), 'OverviewScreen'),
});
const messages = createRoute({
  ...under('/messages'),
  validateSearch: messagesSearch,
  component: lazyRouteComponent(() => import('./messages/messages-screen'), 'MessagesScreen'),
});
const message = createRoute({
  ...under('/messages/$messageId'),
  validateSearch: textFields('output', 'part', 'images'),
  component: lazyRouteComponent(() => import('./message/message-screen'), 'MessageScreen'),
});
const compare = createRoute({
  ...under('/messages/$messageId/compare'),
  validateSearch: textFields('with'),
  component: lazyRouteComponent(() => import('./compare/compare-screen'), 'CompareScreen'),
});
const users = createRoute({
  ...under('/users'),
  validateSearch: textFields('query', 'cursor'),
  component: lazyRouteComponent(() => import('./users/users-screen'), 'UsersScreen'),
});
const user = createRoute({
  ...under('/users/$userId'),
  validateSearch: textFields('view', 'cursor', 'since', 'tenant'),
  component: lazyRouteComponent(() => import('./user/user-screen'), 'UserScreen'),
});
const lists = createRoute({
  ...under('/lists'),
  validateSearch: textFields('query', 'cursor'),
  component: lazyRouteComponent(() => import('./lists/lists-screen'), 'ListsScreen'),
});
const list = createRoute({
  ...under('/lists/$listId'),
  validateSearch: textFields('view', 'cursor'),
  component: lazyRouteComponent(() => import('./lists/list-screen'), 'ListScreen'),
});
const audiences = createRoute({
  ...under('/audiences'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./audiences/audiences-screen'), 'AudiencesScreen'),
});
const audience = createRoute({
  ...under('/audiences/$audienceId'),
  validateSearch: textFields('view', 'form', 'cursor'),
  component: lazyRouteComponent(() => import('./audiences/audience-screen'), 'AudienceScreen'),
});
const templates = createRoute({
  ...under('/templates'),
  validateSearch: textFields('query', 'cursor'),
  component: lazyRouteComponent(() => import('./templates/templates-screen'), 'TemplatesScreen'),
});
const template = createRoute({
  ...under('/templates/$templateId'),
  validateSearch: textFields('version', 'against', 'channel', 'part', 'locale', 'brand_id', 'tenant_id', 'images', 'cursor'),
  component: lazyRouteComponent(() => import('./templates/template-screen'), 'TemplateScreen'),
});
const templateEditor = createRoute({
  ...under('/templates/$templateId/edit'),
  validateSearch: textFields('channel', 'part', 'locale', 'brand_id', 'tenant_id', 'images', 'language'),
  component: lazyRouteComponent(() => import('./template-editor/editor-screen'), 'EditorScreen'),
});
const brands = createRoute({
  ...under('/brands'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./brands/brands-screen'), 'BrandsScreen'),
});
const brand = createRoute({
  ...under('/brands/$brandId'),
  validateSearch: textFields('view', 'template', 'images'),
  component: lazyRouteComponent(() => import('./brands/brand-screen'), 'BrandScreen'),
});
const translations = createRoute({
  ...under('/translations'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./translations/translations-screen'), 'TranslationsScreen'),
});
const catalogue = createRoute({
  ...under('/translations/$domain/$locale'),
  validateSearch: textFields('compare'),
  component: lazyRouteComponent(() => import('./translations/catalogue-screen'), 'CatalogueScreen'),
});
const preferences = createRoute({
  ...under('/preferences'),
  component: lazyRouteComponent(() => import('./preferences/preferences-screen'), 'PreferencesScreen'),
});
const preferenceSection = createRoute({
  ...under('/preferences/$sectionId'),
  component: lazyRouteComponent(() => import('./preferences/section-screen'), 'SectionScreen'),
});
const preferenceTopic = createRoute({
  ...under('/preferences/$sectionId/$topicId'),
  component: lazyRouteComponent(() => import('./preferences/topic-screen'), 'TopicScreen'),
});
/** For links that know the topic alone. */
const anyPreferenceTopic = createRoute({
  ...under('/preferences/topics/$topicId'),
  component: lazyRouteComponent(() => import('./preferences/topic-screen'), 'TopicScreen'),
});
const providers = createRoute({
  ...under('/providers'),
  component: lazyRouteComponent(() => import('./providers/providers-screen'), 'ProvidersScreen'),
});
const provider = createRoute({
  ...under('/providers/$id'),
  component: lazyRouteComponent(() => import('./providers/provider-screen'), 'ProviderScreen'),
});
const routingStrategies = createRoute({
  ...under('/routing-strategies'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./routing-strategies/strategies-screen'), 'StrategiesScreen'),
});
const routingStrategy = createRoute({
  ...under('/routing-strategies/$strategyId'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./routing-strategies/strategy-screen'), 'StrategyScreen'),
});
const bulkJobs = createRoute({
  ...under('/bulk-jobs'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./bulk-jobs/bulk-jobs-screen'), 'BulkJobsScreen'),
});
const bulkJob = createRoute({
  ...under('/bulk-jobs/$jobId'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./bulk-jobs/bulk-job-screen'), 'BulkJobScreen'),
});
const suppressions = createRoute({
  ...under('/suppressions'),
  validateSearch: textFields('address', 'channel', 'reason', 'cursor'),
  component: lazyRouteComponent(() => import('./suppressions/suppressions-screen'), 'SuppressionsScreen'),
});
const suppression = createRoute({
  ...under('/suppressions/$channel/$address'),
  component: lazyRouteComponent(() => import('./suppressions/suppression-screen'), 'SuppressionScreen'),
});
const webhooks = createRoute({
  ...under('/webhooks'),
  component: lazyRouteComponent(() => import('./webhooks/webhooks-screen'), 'WebhooksScreen'),
});
const webhook = createRoute({
  ...under('/webhooks/$id'),
  validateSearch: textFields('result', 'message', 'delivery', 'cursor'),
  component: lazyRouteComponent(() => import('./webhooks/webhook-screen'), 'WebhookScreen'),
});
const deadLetters = createRoute({
  ...under('/dead-letters'),
  validateSearch: textFields('topic', 'cursor'),
  component: lazyRouteComponent(() => import('./dead-letters/dead-letters-screen'), 'DeadLettersScreen'),
});
const deadLetter = createRoute({
  ...under('/dead-letters/$id'),
  component: lazyRouteComponent(() => import('./dead-letters/dead-letter-screen'), 'DeadLetterScreen'),
});
const apiKeys = createRoute({
  ...under('/api-keys'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./api-keys/api-keys-screen'), 'ApiKeysScreen'),
});
const apiKey = createRoute({
  ...under('/api-keys/$keyId'),
  component: lazyRouteComponent(() => import('./api-keys/api-key-screen'), 'ApiKeyScreen'),
});
const auditLog = createRoute({
  ...under('/audit-log'),
  validateSearch: textFields('type', 'actor', 'target', 'before', 'cursor'),
  component: lazyRouteComponent(() => import('./audit-log/audit-log-screen'), 'AuditLogScreen'),
});
const auditEvent = createRoute({
  ...under('/audit-log/$eventId'),
  component: lazyRouteComponent(() => import('./audit-log/audit-event-screen'), 'AuditEventScreen'),
});
const workspaces = createRoute({
  ...under('/workspaces'),
  validateSearch: textFields('name', 'cursor'),
  component: lazyRouteComponent(() => import('./workspaces/workspaces-screen'), 'WorkspacesScreen'),
});
const workspace = createRoute({
  ...under('/workspaces/$workspaceId'),
  validateSearch: textFields('cursor'),
  component: lazyRouteComponent(() => import('./workspaces/workspace-screen'), 'WorkspaceScreen'),
});
const workspaceKey = createRoute({
  ...under('/workspaces/$workspaceId/keys/$keyId'),
  component: lazyRouteComponent(() => import('./workspaces/workspace-key-screen'), 'WorkspaceKeyScreen'),
});
const whatIf = createRoute({
  ...under('/what-if'),
  validateSearch: textFields('message', 'recipient', 'channel', 'part', 'images'),
  component: lazyRouteComponent(() => import('./what-if/what-if-screen'), 'WhatIfScreen'),
});
const apiReference = [
  createRoute({ getParentRoute: () => root, ...referenceRoutes.operations }),
  createRoute({ getParentRoute: () => root, ...referenceRoutes.operation }),
  createRoute({ getParentRoute: () => root, ...referenceRoutes.topics }),
  createRoute({ getParentRoute: () => root, ...referenceRoutes.topic }),
] as const;

const routeTree = root.addChildren([
  home,
  overview,
  messages,
  message,
  compare,
  users,
  user,
  lists,
  list,
  audiences,
  audience,
  templates,
  template,
  templateEditor,
  brands,
  brand,
  translations,
  catalogue,
  preferences,
  preferenceSection,
  preferenceTopic,
  anyPreferenceTopic,
  providers,
  provider,
  routingStrategies,
  routingStrategy,
  bulkJobs,
  bulkJob,
  suppressions,
  suppression,
  webhooks,
  webhook,
  deadLetters,
  deadLetter,
  apiKeys,
  apiKey,
  auditLog,
  auditEvent,
  workspaces,
  workspace,
  workspaceKey,
  whatIf,
  ...apiReference,
]);

/** The pages below `/console`; each screen is loaded when it is first opened, or pointed at. */
export function createConsoleRouter() {
  return createRouter({
    routeTree,
    basepath: '/console',
    context: { refusal: undefined },
    parseSearch,
    stringifySearch: writeSearch,
    defaultPreload: 'intent',
    defaultErrorComponent: ({ error }) => <Problem error={error} title={texts.problems.broken} onRetry={() => location.reload()} />,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
