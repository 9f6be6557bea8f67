import { Writable } from 'node:stream';
import { command, type Group } from '../command.ts';
import { formatSuggestions, readWords } from '../completion/format.ts';
import { type Shell, scripts, shells } from '../completion/scripts.ts';
import { suggest } from '../completion/suggest.ts';
import { openContext } from '../context/context.ts';
import { openInvocation } from '../invocation.ts';
import type { Io } from '../io.ts';
import { defineView } from '../output/view.ts';
import { choice, remainingArguments } from '../parameters.ts';

/** Time for the values of the service, in milliseconds. A user who waits longer types them. */
const TIME_LIMIT = 2_000;

/** Returns the suggestions as lines. They are empty if the service fails or is slow, because an error would destroy the prompt. */
const complete = async (io: Io, table: readonly Group[], shell: Shell, words: readonly string[]): Promise<string> => {
  const silent: Io = {
    ...io,
    stderr: new Writable({ write: (_, __, done) => done() }),
    progress: () => undefined,
    signal: AbortSignal.any([io.signal, AbortSignal.timeout(TIME_LIMIT)]),
  };
  try {
    const suggestions = await suggest(table, readWords(shell, words), ({ url, org }) =>
      openInvocation(silent, openContext(silent, { url, org }), {
        isForProgram: true,
        isShown: false,
        reportFailure: () => undefined,
      }),
    );
    return formatSuggestions(shell, words, suggestions);
  } catch {
    return '';
  }
};

/**
 * Completion of the command line in shells.
 * @param table returns the commands, to which this one belongs.
 */
export const completionCommands = (table: () => readonly Group[]): Group => ({
  title: 'Completion',
  commands: [
    command({
      name: 'completion',
      summary: 'Print the completion script of a shell',
      description:
        'bash: add "source <(holdfast completion bash)" to ~/.bashrc. zsh: add "source <(holdfast completion zsh)" to ~/.zshrc, ' +
        'after compinit. fish: write the script to ~/.config/fish/completions/holdfast.fish. ' +
        'The script passes the words up to the cursor as WORD, and gets suggestions.',
      arguments: {
        shell: choice('The shell.', shells),
        word: { ...remainingArguments('Words of a command line, for the script.'), isOptional: true },
      },
      routes: [],
      result: { kind: 'text', view: defineView(['shell'], ['script']), field: 'script' },
      examples: ['completion bash', 'completion fish > ~/.config/fish/completions/holdfast.fish'],
      run: async ({ io }, { shell = 'bash', word }) => ({
        shell,
        script: word.length === 0 ? scripts[shell] : await complete(io, table(), shell, word),
      }),
    }),
  ],
});
