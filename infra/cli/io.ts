import { once } from 'node:events';

/** A stream of the process that can be a terminal. */
interface TerminalState {
  readonly isTTY?: boolean;
}

export type Input = NodeJS.ReadableStream & TerminalState;
export type Output = NodeJS.WritableStream & TerminalState & { readonly columns?: number };

/** Everything through which a command reaches the outside, so that tests run commands in their own process. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Shows how far long work is, in a line of `stderr` that the next output replaces. An empty text removes it. */
  readonly progress: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of the file that is running. */
  readonly program: string;
  /** Working directory. */
  readonly cwd: string;
  readonly fetch: typeof fetch;
  /** Waits for so many milliseconds. @throws the reason of the signal as soon as it is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Replaces what the signals of the process do, for `exec`, which passes them on to its program. */
  readonly onSignals: (listener: (signal: NodeJS.Signals) => void) => void;
}

/** Returns whether the command can ask the user a question: both streams are terminals, and no script waits for the result. */
export const canAsk = ({ stdin, stderr, env }: Io, isForProgram: boolean): boolean =>
  stdin.isTTY === true && stderr.isTTY === true && !isForProgram && !env['CI'];

/** Writes a text and waits until the stream has room for more, so that a list of any length needs constant memory. */
export const writeTo = async (stream: Output, text: string | Uint8Array): Promise<void> => {
  if (!stream.write(text)) await once(stream, 'drain');
};
