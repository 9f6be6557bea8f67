/** What the admin function answers, or Lambda in its place when it failed. */
export type AdminAnswer = {
  readonly organization?: object;
  /** Shown once, when it is made. */
  readonly token?: string;
  readonly errors?: readonly { readonly title?: string; readonly detail?: string }[];
  readonly errorMessage?: string;
  readonly message?: string;
} | null;

/** The function that administers the service, invoked by operators only. */
export const adminFunctionIn = (names: readonly string[]): string | undefined =>
  names.find((name) => /(^|-)admin$/.test(name));

/** Why a command was refused, in one line; undefined when it was not. */
export const refusalIn = (answer: AdminAnswer): string | undefined =>
  answer?.errors?.map(({ detail, title }) => detail ?? title).join('; ');
