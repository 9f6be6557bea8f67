import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { changedWorkspace } from '../../shared/documents/changed-workspace.ts';
import { DomainError, invalid, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { assignSshKey } from '../../shared/domain/transitions/relationships/assign-ssh-key.ts';
import { whileMatching } from '../../shared/domain/transitions/while-matching.ts';
import type { BodyOf, Operation } from '../../shared/http/operation.ts';
import { requireMatchingId } from '../../shared/http/workspace-target.ts';
import { now } from '../../shared/lib/clock.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

type Assignment = BodyOf<'ssh-key.assign'>['data'];

/** Reads the id of the SSH key from either form of the request; null unassigns the key. */
const keyIn = ({ type, id, attributes }: Assignment): string | null => {
  const blank = "Id can't be blank";
  if (type === 'workspaces') {
    if (attributes?.id === undefined) throw invalid('id', blank);
    return attributes.id;
  }
  if (id === undefined) throw new DomainError('unprocessable', blank, { source: { pointer: '/data/id' } });
  return id;
};

/** `PATCH /workspaces/:workspace_id/relationships/ssh-key` (SSH-1). */
export const assignKey: Operation<'ssh-key.assign', Dependencies> = async (
  { contextFor, digest, parameters, body: { data } },
  dependencies,
) => {
  const { store } = dependencies;
  const key = keyIn(data);
  const references = store.records.findReferences({ sshKey: key !== null && isId('sshKey', key) ? key : undefined });
  const target = { id: parameters.workspace_id };
  const access = await authorizeWorkspace(store, digest, target, 'ssh-key.assign');
  if (data.type === 'workspaces') requireMatchingId(data.id, access.workspace.id);
  const { sshKey } = await references.within(access.organization.name);
  // Keys of other organizations and keys that are being deleted are treated as if they did not exist.
  if (key !== null && sshKey === undefined) throw notFound('There is no such SSH key.');

  const request = contextFor(access.caller);
  const transition = whileMatching(request, assignSshKey(request, key, now()));
  return changedWorkspace(dependencies, access, await store.workspaces.apply(access.workspace, transition, request));
};
