/** Checks histories of workspace names: at no time may two workspaces have the same name. */

export interface NameCall {
  readonly action: 'create' | 'rename' | 'delete' | 'move';
  /** Id of the workspace. Undefined when a creation did not return one. */
  readonly workspace?: string;
  /** Requested name. */
  readonly name?: string;
  readonly invokedAt: number;
  readonly completedAt: number;
  readonly status: number;
}

interface Tenure {
  readonly name: string;
  readonly workspace: string;
  readonly from: number;
  readonly to: number;
}

const isDone = ({ status }: NameCall): boolean => status === 200 || status === 201 || status === 204;
const mayBeDone = (call: NameCall): boolean => isDone(call) || call.status === 503;

/** Returns whether a call releases a name of its workspace. */
const ends = (call: NameCall, name: string): boolean =>
  call.action === 'delete' || (call.action === 'rename' && call.name !== name);

/** Computes when each workspace certainly had a name: from the response until the next call that may release the name. */
const certain = (calls: readonly NameCall[]): Tenure[] =>
  calls.flatMap((call) => {
    const { workspace, name, invokedAt, completedAt: from } = call;
    if (workspace === undefined || name === undefined || !isDone(call)) return [];
    const others = calls.filter(
      (it) =>
        it.workspace === workspace && it !== call && mayBeDone(it) && ends(it, name) && it.completedAt > invokedAt,
    );
    const to = Math.min(Number.POSITIVE_INFINITY, ...others.map((it) => it.invokedAt));
    return to > from ? [{ name, workspace, from, to }] : [];
  });

/** Returns whether a workspace may have had the requested name at some moment of a rejected call. */
const couldBeTaken = (rejected: NameCall, calls: readonly NameCall[]): boolean =>
  calls.some((call) => {
    if (call === rejected || call.name !== rejected.name || !mayBeDone(call)) return false;
    if (call.invokedAt > rejected.completedAt) return false;
    const after = calls.filter(
      (it) =>
        it.workspace === call.workspace &&
        it !== call &&
        isDone(it) &&
        ends(it, call.name ?? '') &&
        it.invokedAt >= call.completedAt,
    );
    return call.workspace === undefined || after.every((it) => it.completedAt >= rejected.invokedAt);
  });

/** Checks a history of workspace names. @returns descriptions of the contradictions. */
export const checkNames = (calls: readonly NameCall[]): string[] => {
  const tenures = certain(calls).sort((a, b) => a.from - b.from);
  const doubles = tenures.flatMap((a, index) =>
    tenures
      .slice(index + 1)
      .filter((b) => b.name === a.name && b.workspace !== a.workspace && b.from < a.to)
      .map((b) => `${a.workspace} and ${b.workspace} were both called ${a.name} from ${b.from}`),
  );
  const refusals = calls
    .filter((call) => call.status === 422 && !couldBeTaken(call, calls))
    .map(({ action, name, invokedAt }) => `${action} at ${invokedAt} was rejected ${name}, which nobody can have had`);
  return [...doubles, ...refusals];
};
