import { isDeepStrictEqual } from 'node:util';
import { all, equals, merge } from '../changes/conditions.ts';
import { ALIVE, type ClaimWrite, type RequestContext, type Transition } from '../changes/transitions.ts';
import { notFound } from '../errors.ts';
import { type Binding, checkCount, replaceBindings } from '../tags/tag.ts';
import { inactivityChange } from './auto-destroy.ts';
import { type Configuration, type ConfigurationContext, type ConfigurationRequest, configure } from './configure.ts';
import { isAlive, type Workspace } from './workspace-record.ts';

/** What an update asks for: settings, perhaps other tag bindings, and perhaps another project. */
export interface UpdateRequest {
  readonly configuration: ConfigurationRequest;
  /** In place of all bindings with a value. */
  readonly bindings?: readonly Binding[] | undefined;
  /** The project that the caller's rights were found in. */
  readonly from: string;
  /** The project to be in afterwards; the same: no move. */
  readonly to: string;
}

/**
 * The workspace is in another project than the one that the caller's rights were found in: they are to be found anew.
 */
export class MovedMeanwhile extends Error {
  override readonly name = 'MovedMeanwhile';
}

/** The attributes of a configuration that differ, by their names in the domain. */
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
 * Changes settings, name and project in one write (WS-23). The request is merged into the newest image: of two
 * updates at once, the second finds that the revision has moved on and is merged again, so both survive.
 * Its plan throws MovedMeanwhile.
 */
export const update = (
  request: RequestContext,
  { configuration, bindings, from, to }: UpdateRequest,
  configurationContext: ConfigurationContext,
): Transition => ({
  type: typeOf(from, to),
  plan: (image) => {
    if (!isAlive(image)) throw notFound();
    if (image.project !== from) throw new MovedMeanwhile();
    const after = configure(image, configuration, configurationContext);
    const tags = bindings ? replaceBindings(image.tags, bindings, configurationContext.now) : image.tags;
    checkCount('workspace', tags);
    const isTagged = !isDeepStrictEqual(tags, image.tags);
    const moves = to !== from;
    const inherits = after.settings.inheritsProjectAutoDestroy;
    // Where it inherits anew, what it did before counts for nothing: nobody has asked it to be destroyed for that.
    const begins = inherits && (moves || !image.settings.inheritsProjectAutoDestroy);
    return {
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
      keys: [...differences(image, after), ...(isTagged ? ['tags'] : []), ...(moves ? ['project'] : [])],
      ...((moves || after.name !== image.name) && {
        previous: { ...(after.name !== image.name && { name: image.name }), ...(moves && { project: from }) },
      }),
    };
  },
  applied: ({ change }) => change.request === request.id && change.type === typeOf(from, to),
  counter: 'revision',
});

/** A move is what it is announced as, whatever else changes with it. */
const typeOf = (from: string, to: string) => (from === to ? 'workspace.updated' : 'workspace.moved');

/** Only what differs is written: a name or a long text that stays costs nothing. */
const changed = (image: Workspace, after: Configuration): Partial<Configuration> =>
  Object.fromEntries(
    (['name', 'settings', 'text', 'overwrites', 'vcsRepo'] as const)
      .filter((part) => !isDeepStrictEqual(image[part], after[part]))
      .map((part) => [part, after[part]]),
  );

/** A rename takes the new name and gives up the old; a move tells the name's claim where the workspace now is. */
const claims = (image: Workspace, name: string, project: string): ClaimWrite[] => {
  if (name !== image.name) {
    return [
      { kind: 'give-up', name: image.name, project: image.project },
      { kind: 'take', name, project },
    ];
  }
  return project === image.project ? [] : [{ kind: 'take', name, project }];
};
