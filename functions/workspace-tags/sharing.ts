import type { AuthorizationReader } from '../../shared/access/authorize/reader.ts';

/** Caches the results of a read by its arguments. */
export const once = <A extends readonly unknown[], R>(
  read: (...args: A) => Promise<R>,
): ((...args: A) => Promise<R>) => {
  const results = new Map<string, Promise<R>>();
  return (...args) => {
    const key = JSON.stringify(args);
    const found = results.get(key) ?? read(...args);
    results.set(key, found);
    return found;
  };
};

/** Wraps a reader for several decisions in one request: each item is read once. */
export const sharing = (reader: AuthorizationReader): AuthorizationReader => ({
  ...reader,
  identities: {
    findToken: once(reader.identities.findToken),
    findCallerMemberships: once(reader.identities.findCallerMemberships),
  },
  organizations: { find: once(reader.organizations.find) },
  projects: { find: once(reader.projects.find) },
});
