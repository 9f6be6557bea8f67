/** What clients saw of names, and whether any moment had two workspaces of one name. */

export interface NameCall {
  readonly action: 'create' | 'rename' | 'delete' | 'move';
  /** Unknown where a creation was not answered with one. */
  readonly workspace?: string;
  /** The name that it asks for. */
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

/** Whether it takes the name from a workspace that has it. */
const ends = (call: NameCall, name: string): boolean =>
  call.action === 'delete' || (call.action === 'rename' && call.name !== name);

/** When each workspace had each name for certain: from the answer on, until anything that could have ended it began. */
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

/** Whether anybody could have had the name at some moment of a call that was told so. */
const couldBeTaken = (refused: NameCall, calls: readonly NameCall[]): boolean =>
  calls.some((call) => {
    if (call === refused || call.name !== refused.name || !mayBeDone(call)) return false;
    if (call.invokedAt > refused.completedAt) return false;
    const after = calls.filter(
      (it) =>
        it.workspace === call.workspace &&
        it !== call &&
        isDone(it) &&
        ends(it, call.name ?? '') &&
        it.invokedAt >= call.completedAt,
    );
    return call.workspace === undefined || after.every((it) => it.completedAt >= refused.invokedAt);
  });

/** @returns in words, what cannot have been. */
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
    .map(({ action, name, invokedAt }) => `${action} at ${invokedAt} was refused ${name}, which nobody can have had`);
  return [...doubles, ...refusals];
};
