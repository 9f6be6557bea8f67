import { mintToken, newToken } from '../../../shared/access/credentials.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { show, showOrganization } from './show.ts';

type OrganizationCommand = 'createOrganization' | 'updateOrganization' | 'deleteOrganization';

/** Creates the handlers of the commands for organizations. */
export const organizations = ({
  directory,
  removal,
}: AdminDependencies): Pick<CommandHandlers, OrganizationCommand> => ({
  createOrganization: async ({ name, email, owner: username, shards, ...settings }) => {
    const { allowForceDeleteWorkspaces } = settings;
    const token = mintToken('user');
    const request = adminRequest();
    const { organization, created, owner } = await directory.organizations.create(request, {
      name,
      email,
      ...(username !== undefined && { owner: { username } }),
      ...(shards !== undefined && { shards: Number(shards) }),
      defaultExecutionMode: settings.defaultExecutionMode ?? 'remote',
      defaultAgentPool: settings.defaultAgentPool || null,
      ...(allowForceDeleteWorkspaces !== undefined && { allowForceDeleteWorkspaces }),
      assessmentsEnforced: settings.assessmentsEnforced ?? false,
      plan: settings.plan ?? 'free',
      token: newToken(request, token, { description: 'First token of the first owner' }),
    });
    if (!created || owner === undefined) return { organization: showOrganization(organization) };
    return { organization: showOrganization(organization), user: show(owner), token };
  },

  updateOrganization: async ({ name, defaultAgentPool, ...settings }) => {
    const pool = defaultAgentPool === undefined ? {} : { defaultAgentPool: defaultAgentPool || null };
    return {
      organization: showOrganization(
        await directory.organizations.update(adminRequest(), name, { ...settings, ...pool }),
      ),
    };
  },

  deleteOrganization: async ({ name }) => {
    await removal.removeOrganization(adminRequest(), name);
    return { deleted: name };
  },
});
