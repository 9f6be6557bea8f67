import { prefixes } from '../../../shared/domain/ids.ts';
import { newWorkspace as create } from '../../../shared/domain/transitions/workspaces/create-workspace.ts';
import type {
  ConfigurationContext,
  ConfigurationRequest,
} from '../../../shared/domain/workspace/configuration/configuration.ts';
import { configureNew } from '../../../shared/domain/workspace/configuration/configure.ts';
import * as patterns from '../../../shared/domain/workspace/patterns.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { defaultSettings } from '../../../shared/resources/attribute-table.ts';
import { attributes } from '../../../shared/resources/workspaces/attributes.ts';

/** Context of the configuration rules in which every value is the default. */
export const configurationContext: ConfigurationContext = {
  features: { healthAssessments: false },
  organization: { plan: 'free' },
  identity: { id: 'ws-1111111111111111', project: 'prj-1111111111111111' },
  inherited: { mode: 'remote', agentPool: null },
  releases: ['1.5.7', '1.16.5'],
  globalRemoteState: false,
  now: 1_800_000_000_000,
  patterns,
};

/** Builds a new workspace with the rules of the create operation. */
export const newWorkspace = (
  whose: Pick<Workspace, 'organization' | 'project'>,
  request: ConfigurationRequest & { readonly name: string },
  known: Partial<ConfigurationContext> = {},
): Workspace =>
  create(
    { id: prefixes.workspace + base58(16), ...whose },
    { ...configureNew(defaultSettings(attributes), request, { ...configurationContext, ...known }), tags: [] },
    { id: base58(8), principal: { kind: 'user', id: prefixes.user + base58(16), name: 'somebody' } },
    prefixes.event + base58(16),
    configurationContext.now,
  );
