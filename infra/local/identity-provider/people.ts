/** A person at the embedded identity provider: the claims besides `sub`. */
export type Person = Readonly<Record<string, unknown>> & { readonly name: string; readonly groups?: readonly string[] };

/** People by their `sub`. */
export type People = Readonly<Record<string, Person>>;

const person = (name: string, username: string, groups: readonly string[]): Person => ({
  name,
  preferred_username: username,
  email: `${username}@example.com`,
  email_verified: true,
  groups,
});

/** The people of the embedded identity provider, who are in different groups. */
export const demoPeople = {
  'person-1': person('Ada', 'ada', ['owners']),
  'person-2': person('Grace', 'grace', ['builders']),
  'person-3': person('Joan', 'joan', []),
} as const satisfies People;
