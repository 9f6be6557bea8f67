import { executionModes } from '../../domain/directory.ts';
import { prefixes } from '../../domain/ids.ts';
import {
  flag,
  id,
  linkOnly,
  nullable,
  object,
  oneOf,
  path,
  resource,
  text,
  time,
  toOne,
  toOneLinked,
} from '../schema.ts';

export const project = resource('Project', {
  type: 'projects',
  description: 'What workspaces are grouped in, and inherit from.',
  id: id(prefixes.project),
  attributes: {
    name: text(),
    description: nullable(text()),
    'created-at': time(),
    'default-execution-mode': nullable(oneOf(executionModes, "Null: the organization's.")),
    'auto-destroy-activity-duration': nullable(text()),
    'is-unified': flag(),
    'setting-overwrites': object(
      { 'default-execution-mode': flag(), 'default-agent-pool': flag() },
      { description: 'True: its own; false: inherited.' },
    ),
  },
  relationships: {
    organization: toOne('organizations'),
    'default-agent-pool': toOneLinked('agent-pools'),
    'tag-bindings': linkOnly,
    'effective-tag-bindings': linkOnly,
  },
  links: { self: path('/api/v2/projects/prj-CvpbqPPtsWSnyrTk') },
});
