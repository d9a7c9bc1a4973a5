import { defineOperations } from '../core/operation';
import { ResealedSecrets, ResealSecrets } from '../core/reseal';

/** Secrets that messaging stores for longer than a message: those of provider configurations. */
export const messagingSecrets = defineOperations('messaging.secrets', 'internal', {
  reseal: {
    summary: 'Seal stored secrets of messaging again with the first secret key',
    request: ResealSecrets,
    response: ResealedSecrets,
  },
});
