import { defineOperations } from '../core/operation';
import { ResealedSecrets, ResealSecrets } from '../core/reseal';

/**
 * Secrets that messaging stores for longer than a message: those of provider configurations and webhooks, and keys of erased suppressed
 * addresses.
 */
export const messagingSecrets = defineOperations('messaging.secrets', 'internal', {
  reseal: {
    audit: 'own',
    summary: 'Seal stored secrets of messaging again with the first secret key',
    request: ResealSecrets,
    response: ResealedSecrets,
  },
});
