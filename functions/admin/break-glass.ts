import type { Clock } from '../../shared/lib/clock.ts';
import { breakGlassMetric, type Logger, messages } from '../../shared/logging/log.ts';
import type { CommandKey } from '../../shared/schemas/admin-commands.ts';
import { commandName } from '../../shared/schemas/command-name.ts';

/** Commands that give or take the access of people past the identity providers. Each use is logged and counted (ADMIN-5). */
const breakGlassCommands: readonly CommandKey[] = [
  'suspendUser',
  'resumeUser',
  'endSessions',
  'exemptUser',
  'signInLink',
  'disableProvider',
  'enableProvider',
  'linkIdentity',
  'unlinkIdentity',
];

/** Reports that a command begins. Nothing is reported for commands that are no break-glass commands. */
export type ReportUse = (command: CommandKey, parameters: object, requestId: string | undefined) => void;

/**
 * Opens the reports of break-glass commands: one log line for each use, which CloudWatch counts. No parameter of these
 * commands is a secret.
 * @param deployment name of the deployment.
 */
export const openUseReport =
  (logger: Logger, deployment: string, clock: Clock): ReportUse =>
  (command, parameters, requestId) => {
    if (!breakGlassCommands.includes(command)) return;
    const details = { requestId, command: commandName(command), parameters };
    logger.warn(messages.BREAK_GLASS_USED, { ...details, ...breakGlassMetric(deployment, clock()) });
  };
