import 'reflect-metadata';
import { runService } from '@tidings/runtime/run-service';
import { IdentityModule } from './identity.module';
import { ensureFirstWorkspace } from './workspaces/first-workspace';
import { WorkspacesHandlers } from './workspaces/workspaces.handlers';

/** The process of identity. With `TIDINGS_API_KEY` its first replica creates the first workspace. */
runService({
  name: 'identity',
  module:
    ({ secretKeys }) =>
    (resources) =>
      IdentityModule.register({ ...resources, secretKeys }),
  prepare: async (service, { configuration, waitFor }) => {
    const { apiKey, accountEmail } = configuration;
    if (!apiKey) return;
    const handlers = service.get(WorkspacesHandlers);
    await waitFor('the first workspace', () => ensureFirstWorkspace(handlers, apiKey, accountEmail));
  },
});
