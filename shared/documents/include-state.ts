import { atLeast, effectiveRights } from '../access/rights.ts';
import { DomainError } from '../domain/errors.ts';
import type { StateVersion } from '../domain/state-versions/state-version.ts';
import { now } from '../lib/clock.ts';
import { stateVersionResource, workspaceOutputResource } from '../resources/state-versions/response.ts';
import { BASE_PATH } from '../routes/api.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import type { Found } from '../store/directory/directory-reader.ts';
import { type Inclusion, of, type Presenting, related, type Seen } from './inclusion.ts';

/** Includes the current state version and its outputs, each for callers who may read it (HTTP-30). */

const mayReadState = ({ caller, organization, project, workspace }: Seen, level: 'read' | 'read-outputs'): boolean =>
  atLeast(effectiveRights(caller, organization, project, workspace), 'stateVersions', level);

const stateOf = ({ workspace: { id: workspace, current } }: Seen) =>
  current === null ? undefined : ({ kind: 'stateVersion', id: current.id, workspace, at: current.at } as const);

/** Returns the current state version. One without content was read too early, and is read again. */
const readState = async (seen: Seen, found: Found, store: Presenting['store']): Promise<StateVersion | undefined> => {
  const place = stateOf(seen);
  const version = place && found('stateVersion', place.id);
  return place && version?.content === undefined ? store.readStateVersion(place) : version;
};

const tooManyOutputs = () =>
  new DomainError(
    'unprocessable',
    'The outputs of a workspace are larger than 5 MB. Download its state to read them.',
    {
      source: { parameter: 'include' },
    },
  );

export const stateInclusions = {
  current_state_version: {
    needs: (seen) => (mayReadState(seen, 'read') ? stateOf(seen) : undefined),
    of: async (seen, found, { store, origin }) => {
      const version = mayReadState(seen, 'read') ? await readState(seen, found, store) : undefined;
      return of(version, (it) => stateVersionResource({ version: it, origin, now: now() }));
    },
  },
  outputs: {
    needs: (seen) => (mayReadState(seen, 'read-outputs') ? stateOf(seen) : undefined),
    of: async (seen, found, { store, budget }) => {
      if (!mayReadState(seen, 'read-outputs')) return { resources: [] };
      const outputs = await budget.runExclusive(async () => {
        const version = await readState(seen, found, store);
        if (version?.content === undefined) return [];
        if (version.content.outputs.count === -1) throw tooManyOutputs();
        const all = await store.readStateOutputs(version);
        for (const { value } of all) budget.take(JSON.stringify(value ?? null).length);
        return all.map((output, position) => workspaceOutputResource(version.id, output, position));
      });
      return related('outputs', `${BASE_PATH}/workspaces/${seen.workspace.id}/current-state-version-outputs`, outputs);
    },
  },
} as const satisfies { readonly [N in WorkspaceInclude]?: Inclusion };
