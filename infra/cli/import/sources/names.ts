import type { InventoryWriter, WorkspaceFilter } from '../source.ts';

/** Longest name of a workspace (WS-2). */
const LONGEST_NAME = 90;

/** Longest path of a state. It has to fit into `imported-from`, with the id of a version. */
const LONGEST_PLACE = 900;

/** Place of a state at a source that has no organization. */
export interface Place {
  /** Path or key of the state of the default workspace, such as `network/terraform.tfstate`. */
  readonly path: string;
  /** Workspace of terraform, unless it is the default one. */
  readonly workspace?: string | undefined;
}

/**
 * Names the Holdfast workspace of a state.
 * @param root name for a path that has no other part than `terraform.tfstate`.
 * @returns an empty text if nothing of the path can be part of a name.
 * @example
 * toName({ path: 'network/terraform.tfstate', workspace: 'prod' }, 'acme'); // network-prod
 */
export const toName = ({ path, workspace = '' }: Place, root: string): string => {
  const stem = path.replace(/((^|\/)terraform)?\.tfstate$/, '');
  return `${stem === '' ? root : stem}-${workspace}`.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '');
};

/** A state with a name that no other one has. */
interface Named<T> {
  readonly name: string;
  /** Path or key of the state. */
  readonly place: string;
  readonly found: T;
}

/** States of a source by the names of their workspaces. */
export interface Names<T> {
  readonly add: (place: string, name: string, found: T) => Promise<void>;
  /** Yields the states in the order of their names. Those that lead to one name are refused. */
  readonly unique: () => AsyncGenerator<Named<T>>;
}

/** Returns why a state cannot have its name. */
const findProblem = (place: string, name: string): string | undefined => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are looked for.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(place)) return 'Its path has a control character.';
  if (/(^|\/)\.\.?(\/|$)/.test(place)) return 'Its path has a part of dots, which programs resolve.';
  if (name === '') return 'Its path has no character that the name of a workspace can have.';
  if (name.length > LONGEST_NAME)
    return `The name of its workspace would be ${name}, which is longer than 90 characters.`;
  return place.length > LONGEST_PLACE ? `Its path is longer than ${LONGEST_PLACE} characters.` : undefined;
};

/** Collects the states of a source by their names, in constant memory. States that the filter leaves out are ignored. */
export const openNames = <T>({ createSorter, addNotCarried }: InventoryWriter, includes: WorkspaceFilter): Names<T> => {
  const sorter = createSorter('names', (line) => (JSON.parse(line) as Named<T>).name);
  const refuse = (place: string, detail: string): Promise<void> =>
    addNotCarried({ type: 'states', name: place, reason: 'not-supported', detail });

  return {
    add: async (place, name, found) => {
      if (!includes(name)) return;
      const problem = findProblem(place, name);
      if (problem !== undefined) await refuse(place, `${problem} Move it at the source.`);
      else await sorter.add(JSON.stringify({ name, place, found } satisfies Named<T>));
    },
    async *unique() {
      let group: Named<T>[] = [];
      const refuseGroup = async (): Promise<void> => {
        const places = group.map(({ place }) => place).sort();
        const detail = `${places.join(' and ')} lead to the same workspace, ${group[0]?.name}. Move one of them at the source, or import it by itself and rename its workspace.`;
        for (const place of places) await refuse(place, detail);
      };
      for await (const line of sorter.sorted()) {
        const named = JSON.parse(line) as Named<T>;
        if (group[0] !== undefined && group[0].name !== named.name) {
          if (group.length === 1) yield group[0];
          else await refuseGroup();
          group = [];
        }
        group.push(named);
      }
      if (group.length > 1) await refuseGroup();
      else yield* group;
    },
  };
};
