import { mintToken, newToken } from '../../shared/access/credentials.ts';
import type { CommandHandlers } from './handler.ts';
import { invalidParameter } from './parameters.ts';
import type { AdminServices } from './services.ts';
import { showOrganization, showUser } from './show.ts';

type Commands = 'createOrganization' | 'updateOrganization' | 'reshardOrganization' | 'deleteOrganization';

export const organizations = ({ directory, removal, spread }: AdminServices): Pick<CommandHandlers, Commands> => ({
  createOrganization: async ({ name, email, owner: username, ...settings }) => {
    const token = mintToken('user');
    const { organization, owner } = await directory.createOrganization({
      name,
      email,
      ...(username !== undefined && { owner: username }),
      defaultExecutionMode: settings.defaultExecutionMode ?? 'remote',
      defaultAgentPool: settings.defaultAgentPool || null,
      allowForceDeleteWorkspaces: settings.allowForceDeleteWorkspaces ?? false,
      assessmentsEnforced: settings.assessmentsEnforced ?? false,
      plan: settings.plan ?? 'free',
      token: newToken(token, { description: 'First token of the first owner' }),
    });
    if (owner === undefined) return { organization: showOrganization(organization) };
    return { organization: showOrganization(organization), user: showUser(owner), token };
  },

  updateOrganization: async ({ name, newName, defaultAgentPool, ...settings }) => {
    if (newName !== undefined) throw invalidParameter('newName', 'The name of an organization never changes');
    const pool = defaultAgentPool === undefined ? {} : { defaultAgentPool: defaultAgentPool || null };
    return { organization: showOrganization(await directory.updateOrganization(name, { ...settings, ...pool })) };
  },

  reshardOrganization: ({ organization, shards }, { remaining }) => spread(organization, Number(shards), remaining),

  deleteOrganization: async ({ name }) => {
    await removal.removeOrganization(name);
    return { deleted: name };
  },
});
