/** What may happen to a workspace that others hear of: the types of its events, each with a schema of its own. */
export const changeTypes = [
  'workspace.created',
  'workspace.updated',
  'workspace.moved',
  'workspace.locked',
  'workspace.unlocked',
  'workspace.force-unlocked',
  'workspace.deleted',
  'workspace.tags-changed',
  'workspace.consumers-changed',
  'workspace.access-changed',
  'workspace.retention-policy-changed',
  'workspace.variable-created',
  'workspace.variable-updated',
  'workspace.variable-deleted',
  'workspace.state-version-created',
  'workspace.state-version-finalized',
  'workspace.state-version-deleted',
  'workspace.run-updated',
  'workspace.configuration-version-updated',
  'workspace.destroy-requested',
] as const;
export type ChangeType = (typeof changeTypes)[number];

/**
 * What a change record says beside what the workspace is afterwards. It lies on the workspace's item and goes to
 * everybody who follows its changes: ids, names and counts, never a value of a variable or of a state.
 */
export interface Details {
  /** The attributes that changed, by their names in the domain or on the wire; of changed tags, their keys. */
  readonly keys?: readonly string[];
  /** What the workspace was called, and where it was, where that is another now. */
  readonly previous?: { readonly name?: string; readonly project?: string };
  /** The variable that it is about. */
  readonly variable?: VariableName;
  /** The team whose access changed, with the level that it has now; null: none. */
  readonly team?: { readonly id: string; readonly access: string | null };
  readonly consumers?: ConsumersChange;
  /** The state version that it is about, or that an unlock made the current one; a new one may discard another. */
  readonly stateVersion?: { readonly id: string; readonly serial?: number; readonly supersedes?: string };
  /** The run that it is about, with its status then. */
  readonly run?: { readonly id: string; readonly status: string };
  readonly configurationVersion?: { readonly id: string; readonly status: string };
  /** Of a deletion: whether it asked nothing of what the workspace manages. */
  readonly forced?: boolean;
  /** The due time at which a destroy run is asked for, in milliseconds. */
  readonly due?: number;
}

/** The names of `Details`, for who picks them out of something larger. */
const detailNames = [
  'keys',
  'previous',
  'variable',
  'team',
  'consumers',
  'stateVersion',
  'run',
  'configurationVersion',
  'forced',
  'due',
] as const satisfies readonly (keyof Details)[];

export const pickDetails = (from: Details): Details =>
  Object.fromEntries(detailNames.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));

/** What happened last, by whom, in which request. */
export interface ChangeRecord extends Details {
  readonly id: string;
  readonly type: ChangeType;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly at: number;
  readonly request: string;
}

/** A variable by what may be told of it to everyone: never its value. */
export interface VariableName {
  readonly id: string;
  readonly category: string;
  readonly key: string;
}

/** A request may name as many consumers as it likes: more than a few are counted and not named. */
export interface ConsumersChange {
  readonly change: 'added' | 'removed' | 'replaced';
  /** How many the request named. */
  readonly count: number;
  readonly ids?: readonly string[];
}

const NAMED_CONSUMERS = 20;

export const consumersChange = (change: ConsumersChange['change'], ids: readonly string[]): ConsumersChange => ({
  change,
  count: ids.length,
  ...(ids.length <= NAMED_CONSUMERS && { ids }),
});
