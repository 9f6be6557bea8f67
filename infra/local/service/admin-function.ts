/** Response of the admin function, or the error of Lambda when the function failed. */
export type AdminResponse = {
  readonly organization?: object;
  /** The token of a new organization. It is returned only once. */
  readonly token?: string;
  /** Amount of work that a long job has left; 0 when it is complete. */
  readonly left?: number;
  /** Start of the next part, if the response is a part of the result. */
  readonly cursor?: string;
  readonly errors?: readonly { readonly title?: string; readonly detail?: string }[];
  readonly errorMessage?: string;
  readonly message?: string;
} | null;

/** Finds the name of the admin function of a deployment. */
export const findAdminFunction = (names: readonly string[]): string | undefined =>
  names.find((name) => /(^|-)admin$/.test(name));

/** Joins the details of the errors of a response; returns undefined when there are no errors. */
export const joinErrors = (response: AdminResponse): string | undefined =>
  response?.errors?.map(({ detail, title }) => detail ?? title).join('; ');
