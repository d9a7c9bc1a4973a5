import { defineOperations } from '../core/operation';
import { ResealedSecrets, ResealSecrets } from '../core/reseal';

/** Secrets that content stores: credentials in overrides of routing strategies and of tenants' templates. */
export const contentSecrets = defineOperations('content.secrets', 'internal', {
  reseal: {
    audit: 'own',
    summary: 'Seal stored secrets of content again with the first secret key',
    request: ResealSecrets,
    response: ResealedSecrets,
  },
});
