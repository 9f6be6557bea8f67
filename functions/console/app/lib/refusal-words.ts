/** Reasons of refused sign-ins in words (SIGNIN-14). */
export const signInRefusals: Readonly<Record<string, string>> = {
  clock: 'The clocks of this service and of the identity provider differ',
  'malformed-groups': 'The identity token has groups of an unknown form',
  'missing-acr': 'The identity provider did not confirm the required level of authentication',
  'missing-claim': 'The identity token lacks a claim',
  'missing-group': 'The person is in none of the groups that may sign in',
  'provider-disabled': 'The identity provider is disabled',
  suspended: 'The user is suspended',
  'too-many-groups': 'The person is in too many groups',
};

/** Adds the code of a reason to its explanation, so that people can search for it. */
export const withCode = (words: string | undefined, code: string): string =>
  words === undefined ? code : `${words} (${code})`;
