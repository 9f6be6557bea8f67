import { usageError } from './failure.ts';
import { readText } from './input.ts';
import type { Invocation } from './invocation.ts';
import { text } from './parameters.ts';

/** The flag that names the file of a secret. */
export const secretFile = (label: string) => text(`File with the ${label}. Default: standard input.`, 'FILE');

/**
 * Reads a secret from a file, from standard input if it is not a terminal, or as the hidden response to a question. A secret
 * is never an argument, which other users of the computer can see.
 * @param label such as `private key`.
 * @throws Failure `usage` if it is empty, no text, or cannot be read.
 */
export const readSecret = async ({ io, ask }: Invocation, label: string, file: string | undefined): Promise<string> => {
  const hint = `Pass the ${label} by --file or standard input.`;
  const secret =
    file === undefined && io.stdin.isTTY === true
      ? await ask({ message: `Enter the ${label}.`, isSecret: true, hint })
      : await readText(io, file);
  if (secret.trim() === '') throw usageError(`The ${label} is empty.`, hint);
  return secret;
};
