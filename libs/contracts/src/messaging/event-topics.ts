import { RepublishedPage, RepublishPage } from '../identity/event-topics';
import { defineOperations } from '../core/operation';

/** Topics of messaging's events over Kafka. */
export const messagingEventTopics = defineOperations('messaging.event-topics', 'internal', {
  republishStatuses: {
    audit: 'own',
    summary: 'Publish the records of a page of messages anew',
    request: RepublishPage,
    response: RepublishedPage,
  },
});
