import 'reflect-metadata';
import { runService } from '@tidings/runtime/run-service';
import { IdentityModule } from './identity.module';

/** The process of identity. With `TIDINGS_API_KEY` its first replica creates the first workspace. */
runService({
  name: 'identity',
  module:
    ({ secretKeys, apiKey, accountEmail, rateLimit, messageRetentionMs }) =>
    (resources) =>
      IdentityModule.register({
        ...resources,
        secretKeys,
        rateLimit,
        messageRetentionMs,
        firstKey: apiKey ? { key: apiKey, accountEmail } : undefined,
      }),
});
