import { atLeast, effectiveRights } from '../access/rights.ts';
import { DomainError } from '../domain/errors.ts';
import type { StateVersion } from '../domain/state-versions/state-version.ts';
import { now } from '../lib/clock.ts';
import { stateVersionResource, workspaceOutputResource } from '../resources/state-versions/response.ts';
import { BASE_PATH } from '../routes/api.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import type { RecordReference } from '../store/directory/directory-reader.ts';
import { fromRecord, type Inclusion, inclusion, type Presenting, related, type Seen } from './inclusion.ts';

/** Includes the current state version and its outputs, each for callers who may read it (HTTP-30). */

type StateReference = Extract<RecordReference, { readonly kind: 'stateVersion' }>;

const mayReadState = ({ caller, organization, project, workspace }: Seen, level: 'read' | 'read-outputs'): boolean =>
  atLeast(effectiveRights(caller, organization, project, workspace), 'stateVersions', level);

/** Returns the reference of the current state version, for callers who have the permission. */
const currentState = (seen: Seen, level: 'read' | 'read-outputs'): StateReference | undefined => {
  const { id: workspace, current } = seen.workspace;
  return current !== null && mayReadState(seen, level)
    ? { kind: 'stateVersion', id: current.id, workspace, at: current.at }
    : undefined;
};

/** Reads a state version again if it has no content, because it was then read too early. */
const withContent = async (
  reference: StateReference | undefined,
  version: StateVersion | undefined,
  store: Presenting['store'],
): Promise<StateVersion | undefined> =>
  reference && version?.content === undefined ? store.stateVersions.find(reference) : version;

const tooManyOutputs = () =>
  new DomainError(
    'unprocessable',
    'The outputs of a workspace are larger than 5 MB. Download its state to read them.',
    {
      source: { parameter: 'include' },
    },
  );

export const stateInclusions = {
  current_state_version: inclusion({
    needs: (seen) => ({ version: currentState(seen, 'read') }),
    build: async ({ version }, seen, { store, origin }) => {
      const current = await withContent(currentState(seen, 'read'), version, store);
      return fromRecord(current, (it) => stateVersionResource({ version: it, origin, now: now() }));
    },
  }),
  outputs: inclusion({
    needs: (seen) => ({ version: currentState(seen, 'read-outputs') }),
    build: async ({ version }, seen, { store, budget }) => {
      if (!mayReadState(seen, 'read-outputs')) return { resources: [] };
      const outputs = await budget.runExclusive(async () => {
        const current = await withContent(currentState(seen, 'read-outputs'), version, store);
        if (current?.content === undefined) return [];
        if (current.content.outputs.count === -1) throw tooManyOutputs();
        const all = await store.stateVersions.readOutputs(current);
        for (const { value } of all) budget.take(JSON.stringify(value ?? null).length);
        return all.map((output, position) => workspaceOutputResource(current.id, output, position));
      });
      return related('outputs', `${BASE_PATH}/workspaces/${seen.workspace.id}/current-state-version-outputs`, outputs);
    },
  }),
} as const satisfies { readonly [N in WorkspaceInclude]?: Inclusion };
