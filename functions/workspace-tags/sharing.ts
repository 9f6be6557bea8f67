import type { AuthorizationReader } from '../../shared/access/authorize/reader.ts';

const once = <A extends readonly unknown[], R>(read: (...of: A) => Promise<R>): ((...of: A) => Promise<R>) => {
  const made = new Map<string, Promise<R>>();
  return (...of) => {
    const key = JSON.stringify(of);
    const found = made.get(key) ?? read(...of);
    made.set(key, found);
    return found;
  };
};

/** A reader for several decisions in one request: what one of them has read serves the others. */
export const sharing = (reader: AuthorizationReader): AuthorizationReader => ({
  ...reader,
  findToken: once(reader.findToken),
  findTeams: once(reader.findTeams),
  findOrganization: once(reader.findOrganization),
  findProject: once(reader.findProject),
});
