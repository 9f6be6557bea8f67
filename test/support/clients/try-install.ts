import { findCommand } from './programs.ts';

/** Returns the line of an error that names the cause. The `go` command prints it as JSON. */
const reasonOf = (error: unknown): string => {
  const { stdout = '', stderr = '', message } = error as Error & { readonly stdout?: string; readonly stderr?: string };
  const lines = `${stdout}\n${stderr}\n${message}`.split('\n').map((line) => line.trim());
  return lines.find((line) => line.includes('Error')) ?? message;
};

/**
 * Installs or builds a client, and prints why that is not possible.
 * @param needs command without which it cannot be done.
 */
export const tryInstall = (title: string, needs: string, how: () => void): void => {
  try {
    if (findCommand(needs) === undefined) throw new Error(`It needs ${needs}, which is not installed.`);
    console.log(`Installing ${title} unless it is there. This can take minutes.`);
    how();
  } catch (error) {
    console.log(`Skipped: ${title}. ${reasonOf(error)}`);
  }
};

/** Requires the command with which the tests create a certificate for localhost. */
export const requireOpenssl = (): void => {
  if (findCommand('openssl') === undefined) {
    throw new Error('openssl is not installed. The checks need it to create a certificate for localhost.');
  }
};
