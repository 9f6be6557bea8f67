/** Characters of names of workspaces and organizations, as in the schemas of the API. */
const NAME = /^[\w-]+$/;

/** Returns what is wrong with the name of a workspace or an organization; undefined if nothing is, or if it is empty. */
export const nameProblem = (name: string): string | undefined =>
  name === '' || NAME.test(name) ? undefined : 'A name contains only letters, numbers, - and _.';
