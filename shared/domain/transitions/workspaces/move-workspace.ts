import { all, equals, merge } from '../../changes/conditions.ts';
import type { Inactivity } from '../../directory/records.ts';
import type { Tags } from '../../tags/tag.ts';
import { inactivityChange } from '../../workspace/auto-destroy.ts';
import { isProtected, type Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, beingMoved, isScopedAs, type RequestContext, requireAlive, type Transition } from '../transition.ts';

/**
 * Moves a workspace to another project (WS-28). Its own settings do not change.
 *
 * `plan` throws a `DomainError`: 404 for a deleted workspace, 503 if it is not as the move was decided.
 * @param from the workspace, in the project in which the rights of the caller were checked.
 * @param to the target project, and the auto-destroy duration that it passes on.
 * @param protection deletion protection that the workspace inherits in both projects.
 * @param checkTags throws for a tag that overrides a binding of the target project against the rules (TAG-21).
 */
export const move = (
  request: RequestContext,
  from: Pick<Workspace, 'project' | 'settings' | 'vcsRepo'>,
  { id: to, inactivity }: { readonly id: string; readonly inactivity: Inactivity | undefined },
  protection: { readonly from: boolean; readonly to: boolean },
  checkTags: (tags: Tags) => void,
  at: number,
): Transition => ({
  type: 'workspace.moved',
  plan: (read) => {
    const image = requireAlive(read);
    if (image.project !== from.project || !isScopedAs(from, image)) throw beingMoved();
    checkTags(image.tags);
    return {
      condition: all(ALIVE, equals('revision', image.revision)),
      change: merge(
        { set: { project: to, updatedAt: at, revision: image.revision + 1 } },
        // Inactivity in the previous project does not count (DESTROY-3).
        inactivityChange(image, inactivity, image.settings.inheritsProjectAutoDestroy ? at : undefined),
      ),
      claims: [{ kind: 'take', name: image.name, project: to }],
      keys:
        isProtected(image, protection.from) === isProtected(image, protection.to)
          ? ['project']
          : ['project', 'deletionProtection'],
      previous: { project: from.project },
    };
  },
  applied: (image) => image.change.request === request.id && image.change.type === 'workspace.moved',
  counter: 'revision',
});
