import { DomainError, notFound, StatePending, unavailable } from '../../shared/domain/errors.ts';
import { parseOutputPosition } from '../../shared/domain/state-versions/state-outputs.ts';
import type { StateVersion } from '../../shared/domain/state-versions/state-version.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { stateOutputResource } from '../../shared/resources/state-versions/response.ts';
import { findCurrent, findStateVersion, type StateDependencies } from './versions.ts';

const READ = 'state-output.read';

type ListRequest = Pick<OperationRequest<'state-versions.outputs'>, 'query' | 'url'>;

/** @throws DomainError 422 if the outputs are too large to be stored, 404 if the content is deleted. */
const readOutputs = (store: StateDependencies['store'], version: StateVersion) => {
  if (version.backingData !== undefined) throw notFound('The content of the state version is deleted.');
  if (version.content?.outputs.count === -1) {
    throw new DomainError('unprocessable', 'The outputs are larger than 5 MB. Download the state to read them.');
  }
  return store.stateVersions.readOutputs(version);
};

const list = async (
  store: StateDependencies['store'],
  version: StateVersion | undefined,
  request: ListRequest,
): Promise<Document> => {
  const all = version
    ? (await readOutputs(store, version)).map((output, index) => stateOutputResource(version.id, output, index))
    : [];
  return listDocument(all, request, (resource) => resource);
};

/** Checks for a version that becomes current once its content is read, so the version before it is outdated. */
const requireProcessed = ({ pending, lock }: Workspace): void => {
  if (pending === undefined || pending.until < now() || lock?.id === pending.lock) return;
  throw new StatePending(pending, unavailable('The outputs are being processed. Try again shortly.'));
};

export const outputOperations = {
  /** `GET /state-versions/:state_version_id/outputs` (STATE-14). */
  'state-versions.outputs': async ({ digest, parameters: { state_version_id: id }, ...request }, dependencies) => {
    const { version } = await findStateVersion(dependencies, digest, id, READ);
    return list(dependencies.store, version, request);
  },

  /** `GET /workspaces/:workspace_id/current-state-version-outputs` (STATE-14, STATE-15): empty without a state. */
  'state-versions.current-outputs': async ({ digest, parameters: { workspace_id: id }, ...request }, dependencies) => {
    const { access, version } = await findCurrent(dependencies, digest, id, READ);
    requireProcessed(access.workspace);
    return list(dependencies.store, version, request);
  },

  /** `GET /state-version-outputs/:state_version_output_id` (STATE-14): the only response with a sensitive value. */
  'state-outputs.show': async ({ digest, parameters: { state_version_output_id: id } }, dependencies) => {
    const { version } = await findStateVersion(dependencies, digest, id, READ);
    const position = parseOutputPosition(id) ?? -1;
    const output = (await readOutputs(dependencies.store, version))[position];
    if (output === undefined) throw notFound();
    return { data: stateOutputResource(version.id, output, position, { reveal: true }) };
  },
} satisfies Partial<Operations<'state-versions', StateDependencies>>;
