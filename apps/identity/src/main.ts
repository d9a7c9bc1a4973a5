import 'reflect-metadata';
import { runService } from '@tidings/runtime/run-service';
import { IdentityModule } from './identity.module';
import { ensureFirstWorkspace } from './workspaces/first-workspace';
import { WorkspacesHandlers } from './workspaces/workspaces.handlers';

/** identity in a process of its own. With `TIDINGS_API_KEY` it makes the first workspace, whichever replica comes first. */
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
