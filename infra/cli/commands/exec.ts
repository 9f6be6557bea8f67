import { listVariablesInForce } from '../../../shared/client/variables.ts';
import { command, type Group } from '../command.ts';
import { toEnvironment, type ValuedVariable } from '../exec/environment.ts';
import { type HeldLease, takeLease } from '../exec/lease.ts';
import { forwardSignal, type RunningProgram, startProgram } from '../exec/run-program.ts';
import { type ExitCode, exitCodes, Failure, usageError } from '../failure.ts';
import type { FoundWorkspace, Invocation } from '../invocation.ts';
import { duration, flag, remainingArguments, text } from '../parameters.ts';
import { workspaceArgument } from './workspace-rows.ts';

/** Length of a lease without `--lease`, in seconds. */
const LEASE = 300;
/** Name of a deployment that has no other one (docs/operate/settings.md). */
const DEPLOYMENT = 'holdfast';

/** Lists some names in a sentence. */
const listNames = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 4).join(', ')} and ${names.length - 4} more`;

interface ValueOptions {
  readonly deployment: string | undefined;
  readonly 'without-secrets': boolean;
}

/** Reads the values of the variables in force. @throws Failure if one of them cannot be read. */
const readVariables = async (
  { api, io, context, note }: Invocation,
  { id, name }: FoundWorkspace,
  { deployment, 'without-secrets': isWithoutSecrets }: ValueOptions,
): Promise<readonly ValuedVariable[]> => {
  const { document } = await api.send(listVariablesInForce(id));
  const known = document.data.flatMap(({ attributes: { category, key, value } }) =>
    value === null ? [] : [{ category, key, value }],
  );
  const secrets = document.data.filter(({ attributes }) => attributes.value === null);
  if (secrets.length === 0) return known;
  const names = listNames(secrets.map(({ attributes }) => attributes.key));
  if (isWithoutSecrets) {
    note(`Left out: ${names}.`);
    return known;
  }
  // The library and the AWS SDK are larger than the rest of the command line, and most workspaces do not need them.
  const { readValues } = await import('../exec/aws-part.ts');
  const named = deployment ?? (io.env['HOLDFAST_DEPLOYMENT'] || DEPLOYMENT);
  try {
    return await readValues(io, id, named, await context.emulation());
  } catch (error) {
    io.signal.throwIfAborted();
    // The module is a part of its own, whose classes are others than those of this one.
    const { message, hint } = error as Error & { readonly hint?: string };
    throw new Failure('failed', `The secrets of ${name} cannot be read: ${names}. ${message}`, { hint, cause: error });
  }
};

/** Signals that arrive before the program has started, and the program to which later ones go. */
interface Signals {
  received: NodeJS.Signals | undefined;
  program: RunningProgram | undefined;
}

/** Collects the signals of the process, so that a lock is released before it ends. */
const catchSignals = ({ io }: Invocation): Signals => {
  const signals: Signals = { received: undefined, program: undefined };
  io.onSignals((signal) => {
    if (signals.program === undefined) signals.received = signal;
    else forwardSignal(signals.program, signal);
  });
  return signals;
};

interface LockOptions {
  readonly lock: boolean;
  readonly lease: number | undefined;
}

/** Runs a program, under a lock if the user wants it. @returns its exit code, or that of the lost lock. */
const runProgram = async (
  invocation: Invocation,
  workspace: FoundWorkspace,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  { lock, lease = LEASE }: LockOptions,
): Promise<ExitCode> => {
  const { io, reportFailure } = invocation;
  const signals = catchSignals(invocation);
  let lost: string | undefined;
  const onLost = (reason: string): void => {
    lost = reason;
    reportFailure(new Failure('conflict', `${reason} The program is ended.`));
    signals.program?.kill('SIGTERM');
  };
  const held: HeldLease | undefined = lock
    ? await takeLease(invocation, workspace, { seconds: lease, reason: `holdfast exec ${argv[0]}` }, onLost)
    : undefined;
  let code: ExitCode;
  try {
    if (signals.received !== undefined) throw new Failure('interrupted', 'Interrupted before the program started.');
    if (lost !== undefined) return exitCodes.conflict;
    signals.program = startProgram(io, argv, environment);
    code = await signals.program.ended;
  } finally {
    if (held !== undefined && !(await held.release())) lost ??= 'refused';
  }
  return lost === undefined ? code : exitCodes.conflict;
};

/** Runs programs with the variables of a workspace (docs/concepts/variables.md). */
export const execCommands: Group = {
  title: 'Programs',
  commands: [
    command({
      name: 'exec',
      summary: 'Run a program with the variables in force for a workspace, secrets included',
      description: [
        'Variables of the environment have their names, and those of the infrastructure tool TF_VAR_ before them. They replace ' +
          'variables of your environment, all others of which the program inherits, also HOLDFAST_TOKEN. Nothing is written ' +
          'to a file, and no shell is involved.',
        'If a variable is sensitive or a reference, all values are read with your AWS credentials, not through the API. The ' +
          'deployment is found by its parameters in AWS_REGION, or by HOLDFAST_TABLE_NAME and HOLDFAST_SECRETS_KEY_ARN. If one ' +
          'value cannot be read, the program does not start.',
        'The exit code is that of the program, or 128 plus the number of the signal that has ended it.',
      ].join('\n\n'),
      arguments: {
        workspace: workspaceArgument,
        command: remainingArguments('The program and its arguments, after --.'),
      },
      flags: {
        'without-secrets': flag('Leave out variables that are sensitive or references.'),
        deployment: text('Name of the deployment. Default: HOLDFAST_DEPLOYMENT, or holdfast.', 'NAME'),
        lock: flag(
          'Lock the workspace while the program runs. Not for commands of terraform and tofu that lock it themselves: the ' +
            'service would refuse their lock.',
        ),
        lease: duration('The lock ends by itself after this time if it is not renewed, from 60s to 1d. Default: 5m.'),
      },
      routes: [
        'workspaces.show-by-name',
        'workspaces.show',
        'all-variables.list',
        'workspaces.lock',
        'workspaces.renew-lock',
        'workspaces.unlock',
      ],
      result: { kind: 'program' },
      examples: [
        'exec network -- terraform plan',
        'exec network --lock -- ./migrate.sh',
        'exec network --without-secrets -- env',
      ],
      errors: {
        conflict:
          'The lock of --lock was lost: it was released by force, or could not be renewed. The program got SIGTERM.',
        notStarted:
          'The program was not started: a wrong flag, a missing permission, a secret that cannot be read, or a foreign lock.',
        notExecutable: 'The program cannot be executed.',
        commandNotFound: 'The program is not found.',
      },
      run: async (invocation, { workspace: name, command: argv }, { lock, lease, ...flags }) => {
        if (lease !== undefined && !lock) throw usageError('--lease requires --lock.');
        const workspace = await invocation.workspace(name);
        const variables = await readVariables(invocation, workspace, flags);
        const environment = toEnvironment(invocation.io.env, variables);
        return runProgram(invocation, workspace, argv, environment, { lock, lease });
      },
    }),
  ],
};
