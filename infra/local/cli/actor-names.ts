import type { LocalAccess } from '../service/data-folder.ts';

/** Looks up the name of a user or a team; returns its id when the name cannot be found. */
export type ActorNames = (kind: string, id: string) => Promise<string>;

const resources: Readonly<Record<string, readonly [path: string, attribute: string]>> = {
  user: ['users', 'username'],
  team: ['teams', 'name'],
};
const TIMEOUT_MILLIS = 2_000;

/** Creates a lookup that requests each name once from the running service, with the token of the first start. */
export const createActorNames = (access: LocalAccess | undefined): ActorNames => {
  const cached = new Map<string, Promise<string>>();
  const fetchName = async (kind: string, id: string): Promise<string> => {
    const [path, attribute] = resources[kind] ?? [];
    if (access?.token === undefined || path === undefined || attribute === undefined) return id;
    try {
      const response = await fetch(`${access.baseUrl}/${path}/${id}`, {
        headers: { authorization: `Bearer ${access.token}` },
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      });
      const { data } = (await response.json()) as { data?: { attributes?: Record<string, unknown> } };
      return String(data?.attributes?.[attribute] ?? id);
    } catch {
      return id;
    }
  };
  return (kind, id) => {
    const name = cached.get(id) ?? fetchName(kind, id);
    cached.set(id, name);
    return name;
  };
};
