import type { Group } from '../command.ts';
import { apiCommands } from './api.ts';
import { authCommands } from './auth.ts';
import { bundleCommands } from './bundles.ts';
import { completionCommands } from './completion.ts';
import { directoryCommands } from './directory.ts';
import { doctorCommands } from './doctor.ts';
import { execCommands } from './exec.ts';
import { auditCommands } from './history.ts';
import { importCommands } from './imports.ts';
import { jobCommands } from './jobs.ts';
import { lockCommands } from './locks.ts';
import { openCommands } from './open.ts';
import { tagCommands } from './organization-tags.ts';
import { runCommands } from './runs.ts';
import { stateCommands } from './states.ts';
import { variableSetCommands } from './variable-sets.ts';
import { variableCommands } from './variables.ts';
import { workspaceCommands } from './workspaces.ts';

/** The table of commands. */
export const groups: readonly Group[] = [
  authCommands,
  ...workspaceCommands,
  jobCommands,
  lockCommands,
  variableCommands,
  ...variableSetCommands,
  execCommands,
  stateCommands,
  runCommands,
  auditCommands,
  tagCommands,
  ...directoryCommands,
  bundleCommands,
  importCommands,
  apiCommands,
  openCommands,
  doctorCommands,
  completionCommands(() => groups),
];
