import { defineOperations } from '../core/operation';
import { ResealedSecrets, ResealSecrets } from '../core/reseal';

/** Secrets that identity stores: signing keys, and credentials in profiles. */
export const identitySecrets = defineOperations('identity.secrets', 'internal', {
  reseal: {
    audit: 'own',
    summary: 'Seal stored secrets of identity again with the first secret key',
    request: ResealSecrets,
    response: ResealedSecrets,
  },
});
