import { applyChange } from '../../domain/changes/conditions.ts';
import { nameTaken, type Transition } from '../../domain/transitions/transition.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Workspaces } from './workspace-store.ts';

/**
 * Plans a transition without writing it (EDIT-6). Names that the transition takes are looked up with strong consistency,
 * because the write would check them.
 * @param image the workspace, read with strong consistency.
 * @returns the workspace as it would be; `image` itself if the transition would change nothing.
 * @throws DomainError that the transition would be rejected with.
 */
export const previewTransition = async (
  { findClaim }: Pick<Workspaces, 'findClaim'>,
  image: Workspace,
  transition: Transition,
): Promise<Workspace> => {
  const { isUnneeded, claims = [], change } = transition.plan(image);
  if (isUnneeded) return image;
  const taken = claims.filter(({ kind }) => kind === 'take');
  const found = await Promise.all(taken.map(({ name }) => findClaim(image.organization, name)));
  if (found.some((claim) => claim !== undefined && claim.workspace !== image.id)) throw nameTaken();
  return applyChange(change, image);
};
