/**
 * Builds the environment with which a child process uses the compiled modules that the processes of the tests share
 * (`global-setup.ts`). It is for children that must not inherit the rest of the environment.
 */
export const compileCache = (): Readonly<Record<string, string>> => {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
};
