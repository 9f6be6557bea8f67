import { isDeepStrictEqual } from 'node:util';
import { all, equals, merge } from '../../changes/conditions.ts';
import type { Inactivity } from '../../directory/records.ts';
import { type Binding, checkCount, replaceBindings, type Tags } from '../../tags/tag.ts';
import { computeDueTime, inactivityChange, inactivityDuration } from '../../workspace/auto-destroy.ts';
import type {
  Configuration,
  ConfigurationContext,
  ConfigurationRequest,
} from '../../workspace/configuration/configuration.ts';
import { configure } from '../../workspace/configuration/configure.ts';
import { isProtected, type Workspace } from '../../workspace/workspace-record.ts';
import {
  ALIVE,
  type ClaimWrite,
  isScopedAs,
  MovedMeanwhile,
  type RequestContext,
  requireAlive,
  type Transition,
} from '../transition.ts';

/** A request for an update: settings, and optionally tag bindings and another project. */
export interface UpdateRequest {
  readonly configuration: ConfigurationRequest;
  /** Replaces all bindings that have a value. */
  readonly bindings?: readonly Binding[] | undefined;
  /** Checks the tags after the change; it throws for an override that the organization forbids. */
  readonly checkTags?: (before: Tags, after: Tags) => void;
  /** Id of the project in which the rights of the caller were checked. */
  readonly from: string;
  /** The workspace for which a move was decided; needed for a move. */
  readonly decided?: Workspace;
  /** Id of the target project; equal to `from` if the workspace is not moved. */
  readonly to: string;
  /** Deletion protection that the workspace inherits in `from` and in `to`; needed for a move. */
  readonly protection?: { readonly from: boolean; readonly to: boolean };
}

/** Returns the names of the attributes that differ. */
const differences = (before: Configuration, after: Configuration): string[] => {
  const flat = ({ settings, text, ...rest }: Configuration): Record<string, unknown> => ({
    ...rest,
    ...settings,
    ...text,
  });
  const [old, young] = [flat(before), flat(after)];
  return Object.keys(young).filter((key) => !isDeepStrictEqual(old[key], young[key]));
};

/**
 * Removes the auto-destroy attributes if a request sends back what a response shows (DESTROY-8): the next due time and the
 * duration, which requests cannot set together.
 */
const withoutShownAutoDestroy = (
  image: Workspace,
  request: ConfigurationRequest,
  projectInactivity: Inactivity | undefined,
): ConfigurationRequest => {
  const { autoDestroyAt, autoDestroyActivityDuration, inheritsProjectAutoDestroy: inherits, ...others } = request;
  const shown = { ...image, projectInactivity };
  const isSentBack =
    autoDestroyAt === (computeDueTime(shown) ?? null) &&
    autoDestroyActivityDuration === inactivityDuration(shown) &&
    (inherits ?? image.settings.inheritsProjectAutoDestroy) === image.settings.inheritsProjectAutoDestroy;
  return isSentBack ? others : request;
};

/**
 * Changes settings, name, tag bindings and project of a workspace in one write (WS-23). Of two concurrent updates, the
 * second fails because the revision has changed. It is then merged into the new image, so both take effect. An update that
 * changes nothing writes nothing (WS-25).
 *
 * `plan` throws `MovedMeanwhile`, or a `DomainError`: 404 for a deleted workspace, 422 for an invalid request.
 */
export const update = (
  request: RequestContext,
  { configuration, bindings, checkTags, from, decided, to, protection }: UpdateRequest,
  configurationContext: ConfigurationContext,
): Transition => ({
  type: changeType(from, to),
  plan: (read) => {
    const image = requireAlive(read);
    if (image.project !== from || (to !== from && decided && !isScopedAs(decided, image))) throw new MovedMeanwhile();
    const after = configure(
      image,
      withoutShownAutoDestroy(image, configuration, configurationContext.inactivity),
      configurationContext,
    );
    const tags = bindings ? replaceBindings(image.tags, bindings, configurationContext.now) : image.tags;
    checkCount('workspace', tags);
    checkTags?.(image.tags, tags);
    const isTagged = !isDeepStrictEqual(tags, image.tags);
    const moves = to !== from;
    const inherits = after.settings.inheritsProjectAutoDestroy;
    // When a workspace begins to inherit, its earlier inactivity does not count (DESTROY-3).
    const begins = inherits && (moves || !image.settings.inheritsProjectAutoDestroy);
    const changesProtection =
      protection !== undefined && isProtected(image, protection.from) !== isProtected(after, protection.to);
    const changedKeys = [
      ...new Set([
        ...differences(image, after),
        ...(isTagged ? ['tags'] : []),
        ...(moves ? ['project', ...(changesProtection ? ['deletionProtection'] : [])] : []),
      ]),
    ];
    return {
      isUnneeded: changedKeys.length === 0,
      condition: all(ALIVE, equals('revision', image.revision)),
      change: merge(
        {
          set: {
            ...changed(image, after),
            ...(isTagged && { tags }),
            ...(moves && { project: to }),
            updatedAt: configurationContext.now,
            revision: image.revision + 1,
          },
        },
        inactivityChange(image, configurationContext.inactivity, begins ? configurationContext.now : undefined),
      ),
      claims: claims(image, after.name, to),
      keys: changedKeys,
      ...((moves || after.name !== image.name) && {
        previous: { ...(after.name !== image.name && { name: image.name }), ...(moves && { project: from }) },
      }),
    };
  },
  applied: ({ change }) => change.request === request.id && change.type === changeType(from, to),
  counter: 'revision',
});

/** An update that also moves the workspace is published as a move. */
const changeType = (from: string, to: string) => (from === to ? 'workspace.updated' : 'workspace.moved');

/** Returns the parts that differ. Only these are written, because unchanged long text would cost write units. */
const changed = (image: Workspace, after: Configuration): Partial<Configuration> =>
  Object.fromEntries(
    (['name', 'settings', 'text', 'overwrites', 'vcsRepo'] as const)
      .filter((part) => !isDeepStrictEqual(image[part], after[part]))
      .map((part) => [part, after[part]]),
  );

/** A rename takes the claim of the new name and gives up the old one. A move updates the project in the claim. */
const claims = (image: Workspace, name: string, project: string): ClaimWrite[] => {
  if (name !== image.name) {
    return [
      { kind: 'give-up', name: image.name, project: image.project },
      { kind: 'take', name, project },
    ];
  }
  return project === image.project ? [] : [{ kind: 'take', name, project }];
};
