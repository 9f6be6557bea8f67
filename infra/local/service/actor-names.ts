import type { LocalAccess } from './data-folder.ts';

/** Who an id stands for, in a word; the id where nobody says. */
export type ActorNames = (kind: string, id: string) => Promise<string>;

const paths: Readonly<Record<string, readonly [path: string, attribute: string]>> = {
  user: ['users', 'username'],
  team: ['teams', 'name'],
};
const PATIENCE_MILLIS = 2_000;

/** Asks the running service, once for each, with the token of the first start. */
export const openActorNames = (access: LocalAccess | undefined): ActorNames => {
  const known = new Map<string, Promise<string>>();
  const ask = async (kind: string, id: string): Promise<string> => {
    const [path, attribute] = paths[kind] ?? [];
    if (access?.token === undefined || path === undefined || attribute === undefined) return id;
    try {
      const answer = await fetch(`${access.baseUrl}/${path}/${id}`, {
        headers: { authorization: `Bearer ${access.token}` },
        signal: AbortSignal.timeout(PATIENCE_MILLIS),
      });
      const { data } = (await answer.json()) as { data?: { attributes?: Record<string, unknown> } };
      return String(data?.attributes?.[attribute] ?? id);
    } catch {
      return id;
    }
  };
  return (kind, id) => {
    const name = known.get(id) ?? ask(kind, id);
    known.set(id, name);
    return name;
  };
};
