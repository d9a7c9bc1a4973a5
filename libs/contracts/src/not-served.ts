import type { NotServedRoute } from './core/openapi';
import { type Generation, type Route, splitRoute } from './core/operation';

/** By generation, with the summary of each. */
const ROUTES: Partial<Record<Generation, Record<Route, string>>> = {
  base: {
    'GET /automations': 'List automations',
    'POST /automations/invoke': 'Run an automation given with the call',
    'POST /automations/:templateId/invoke': 'Run an automation',
    'GET /journeys': 'List journeys',
    'POST /journeys/:templateId/invoke': 'Run a journey',
  },
  later: {
    'GET /digests/schedules/:schedule_id/instances': 'List the open digests of a schedule',
    'POST /digests/schedules/:schedule_id/trigger': 'Release the digests of a schedule',
    'GET /automations/runs': 'List the runs of automations',
    'GET /automations/runs/:run_id/steps': "List the steps of an automation's run",
    'POST /journeys': 'Create a journey',
    'GET /journeys/:templateId': 'Get a journey',
    'PUT /journeys/:templateId': 'Replace a journey',
    'DELETE /journeys/:templateId': 'Delete a journey',
    'POST /journeys/:templateId/publish': 'Publish a journey',
    'GET /journeys/:templateId/versions': 'List the versions of a journey',
    'POST /journeys/cancel': 'Cancel runs of a journey',
    'POST /journeys/:templateId/templates': 'Create a template of a journey',
    'GET /journeys/:templateId/templates': 'List the templates of a journey',
    'GET /journeys/:templateId/templates/:notificationId': 'Get a template of a journey',
    'PUT /journeys/:templateId/templates/:notificationId': 'Replace a template of a journey',
    'DELETE /journeys/:templateId/templates/:notificationId': 'Delete a template of a journey',
    'GET /journeys/:templateId/templates/:notificationId/versions': "List the versions of a journey's template",
    'POST /journeys/:templateId/templates/:notificationId/publish': "Publish a journey's template",
    'GET /journeys/:templateId/templates/:notificationId/content': "Get the content of a journey's template",
    'PUT /journeys/:templateId/templates/:notificationId/content': "Replace the content of a journey's template",
    'PUT /journeys/:templateId/templates/:notificationId/locales/:localeId': "Replace the texts of a journey's template in a language",
    'GET /journeys/runs': 'List the runs of journeys',
    'GET /journeys/runs/:run_id': "Get a journey's run",
    'GET /journeys/runs/:run_id/steps': "List the steps of a journey's run",
    'POST /broadcasts': 'Create a broadcast',
    'GET /broadcasts': 'List broadcasts',
    'GET /broadcasts/:broadcastId': 'Get a broadcast',
    'PUT /broadcasts/:broadcastId': 'Rename a broadcast',
    'DELETE /broadcasts/:broadcastId': 'Archive a broadcast',
    'POST /broadcasts/:broadcastId/cancel': 'Cancel a scheduled broadcast',
    'POST /broadcasts/:broadcastId/duplicate': 'Copy a broadcast',
    'PUT /broadcasts/:broadcastId/content': 'Replace the content of a broadcast',
    'GET /broadcasts/:broadcastId/content': 'Get the content of a broadcast',
    'POST /broadcasts/:broadcastId/schedule': 'Schedule a broadcast',
    'POST /broadcasts/:broadcastId/send': 'Send a broadcast',
  },
  python: {
    'GET /notifications/:id/metrics': 'Get the figures of a template',
    'POST /notifications/:id/previews/runs': 'Start a preview of a template',
    'GET /notifications/:id/previews/runs': 'List the previews of a template',
    'GET /notifications/:id/previews/runs/:preview_run_id': 'Get a preview of a template',
    'DELETE /preferences/sections/:section_id/topics/:topic_id/digest': "Remove a topic's digest",
    'POST /preferences/sections/:section_id/topics/:topic_id/digest/release': "Release a user's digest",
    'GET /previews/devices': 'List the devices of previews',
    'GET /previews/device-sets': 'List sets of devices',
    'POST /previews/device-sets': 'Create a set of devices',
    'GET /previews/device-sets/:id': 'Get a set of devices',
    'PUT /previews/device-sets/:id': 'Replace a set of devices',
    'DELETE /previews/device-sets/:id': 'Archive a set of devices',
  },
  legacy: {
    'POST /send/:event/routing': 'Try out the routing of a send',
    'GET /automations/runs/:run_id': "Get an automation's run",
  },
};

/** Routes of the interface that no operation serves yet; the gateway answers 501. */
export const notServed: readonly (NotServedRoute & { readonly generation: Generation })[] = Object.entries(ROUTES).flatMap(
  ([generation, routes]) =>
    Object.entries(routes).map(([route, summary]) => ({ ...splitRoute(route as Route), summary, generation: generation as Generation })),
);
