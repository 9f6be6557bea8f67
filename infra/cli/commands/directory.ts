import type { Group } from '../command.ts';
import { agentPoolCommands } from './agent-pools.ts';
import { projectTagCommands } from './project-tags.ts';
import { projectCommands } from './projects.ts';
import { sshKeyCommands } from './ssh-keys.ts';
import { tagKeyCommands } from './tag-keys.ts';

/** Commands of organizations and what belongs to them. */
export const directoryCommands: readonly Group[] = [
  projectCommands,
  projectTagCommands,
  agentPoolCommands,
  sshKeyCommands,
  tagKeyCommands,
];
