import { lazyRouteComponent } from '@tanstack/react-router';
import { textFields } from '../search-params';

/** The pages of the reference, for the console and for the reference alone. */
export const referenceRoutes = {
  operations: {
    path: '/api-reference',
    validateSearch: textFields('query'),
    component: lazyRouteComponent(() => import('./reference-screen'), 'ReferenceScreen'),
  },
  operation: {
    path: '/api-reference/$operation',
    validateSearch: textFields('code'),
    component: lazyRouteComponent(() => import('./operation-screen'), 'OperationScreen'),
  },
  topics: {
    path: '/api-reference/events',
    validateSearch: textFields('query'),
    component: lazyRouteComponent(() => import('./topics-screen'), 'TopicsScreen'),
  },
  topic: {
    path: '/api-reference/events/$topic',
    component: lazyRouteComponent(() => import('./topic-screen'), 'TopicScreen'),
  },
} as const;
